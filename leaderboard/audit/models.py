"""One row a decision; rows are added, and only the name of a closed account leaves them."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class AuditEvent(models.Model):
    """Who did what to which thing, when, from what to what, and why.

    Keeps UUIDs instead of foreign keys (but for the user), so that this app stands below
    all the apps it speaks of.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(_("Time"))
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        related_name="+",
        verbose_name=_("Who"),
    )
    kind = models.CharField(_("Kind"), max_length=40)
    competition = models.UUIDField(_("Competition"), null=True, db_index=True)
    subject = models.UUIDField(_("Subject"), null=True)
    before = models.JSONField(_("Before"), null=True)
    after = models.JSONField(_("After"), null=True)
    reason = models.TextField(_("Reason"), blank=True)

    class Meta:
        ordering = ["-at", "pk"]
        indexes = [models.Index(fields=["competition", "-at"])]
        verbose_name = _("Audit log")
        verbose_name_plural = _("Audit log")

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.kind}"
