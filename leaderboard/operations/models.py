"""The alarms that ring."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class Alarm(models.Model):
    """Something is wrong since `began_at`. Its row is made by who says so, and taken away by who
    says that it is over: of several sweepers one does.

    `fault` and `values` are a `doctor.Fault`.
    """

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
