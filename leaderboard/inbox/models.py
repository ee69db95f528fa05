"""One row per person and event, so that telling twice is telling once."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Notification(models.Model):
    """Something a person should know. Holds ids and public facts, never a private score."""

    class Kind(models.TextChoices):
        SCORED = "scored", _("Scored")
        FAILED = "failed", _("Scoring failed")
        ANNOUNCED = "announced", _("Announcement")
        GRANTED = "granted", _("More submissions granted")
        WARNED = "warned", _("Warning")
        DISQUALIFIED = "disqualified", _("Disqualified")
        REINSTATED = "reinstated", _("Disqualification lifted")
        REVEALED = "revealed", _("Results revealed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="notifications",
        verbose_name=_("Recipient"),
    )
    kind = models.CharField(_("Kind"), max_length=20, choices=Kind.choices)
    subject = models.UUIDField(_("Subject"))
    competition = models.UUIDField(_("Competition"), null=True)
    competition_slug = models.SlugField(_("Competition address"), blank=True)
    data = models.JSONField(_("Content"), default=dict)
    created_at = models.DateTimeField(_("Created"))
    read_at = models.DateTimeField(_("Read"), null=True)

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "subject"], name="one_notification")
        ]
        indexes = [models.Index(fields=["user", "-created_at"])]
        verbose_name = _("Notice")
        verbose_name_plural = _("Notice")

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"
