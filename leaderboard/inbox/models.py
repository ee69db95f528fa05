"""One row per person and event, so that telling twice is telling once."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.texts import Said, Sentences


class News(Said):
    """What a decision says to those whom it concerns."""

    sentences = {
        "approved": Sentences(_("You were let in.")),
        "approved.reason": Sentences(_("You were let in. {reason}")),
        "asked": Sentences(_("Somebody asked to join: {username}")),
        "declined": Sentences(_("Your request to join was declined.")),
        "declined.reason": Sentences(_("Your request to join was declined. {reason}")),
        "disqualified": Sentences(
            _("Your team was disqualified. It is off the boards and cannot submit any more.")
        ),
        "excluded": Sentences(_("An organizer took the submission {file} off the boards.")),
        "excluded.reason": Sentences(
            _("An organizer took the submission {file} off the boards. Reason: {reason}")
        ),
        "granted": Sentences(_("You may submit {amount} more on {day}.")),
        "reinstated": Sentences(
            _("Your team is no longer disqualified. It is on the boards and may submit again.")
        ),
        "restored": Sentences(_("An organizer put the submission {file} back on the boards.")),
        "warned": Sentences(_("An organizer warned your team.")),
    }

    @property
    def kept(self) -> dict[str, object]:
        """As a notification's data keep it."""
        return {"news": self.key, "values": self.values}


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

    def message(self, language: str) -> str:
        """What a decision or an announcement says, in `ko` or `en`; may be empty."""
        if "news" in self.data:
            return News(self.data["news"], **self.data["values"]).message(language)
        return str(self.data.get(language, ""))
