"""The alarms that ring, and how the last backups ended."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class Alarm(models.Model):
    """Something is wrong since `began_at`; `fault` and `values` are a `Fault`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=30, unique=True)
    fault = models.CharField(max_length=40)
    values = models.JSONField(default=dict)
    began_at = models.DateTimeField()

    class Meta:
        verbose_name = _("Alarm")
        verbose_name_plural = _("Alarm")

    def __str__(self) -> str:
        return self.kind


class Backup(models.Model):
    """One row: when the newest backup was made and when one failed, by the database's clock.

    `failure` is the name of an `ExitCode`. No row: nobody has tried to make one.
    """

    made_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    failure = models.CharField(max_length=20, default="")

    class Meta:
        verbose_name = _("Backup")
        verbose_name_plural = _("Backup")

    def __str__(self) -> str:
        return str(self.made_at)
