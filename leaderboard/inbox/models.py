"""One row per person and event, so that telling twice is telling once."""

import uuid
from collections.abc import Iterator
from typing import Any

import structlog
from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.inbox.news import SENTENCES
from leaderboard.texts import say

logger = structlog.get_logger(__name__)


class Notification(models.Model):
    """Something a person should know. Holds ids and public facts, never a private score.

    `subject`: the thing it is about, or the logged decision; a person is told of it once. What the
    notice says is in its data, as `as_news` makes it; where its kind leads to is in `inbox.lines`.
    `to_mail`: waits for the person's next mail.
    """

    class Kind(models.TextChoices):
        SCORED = "scored", _("Scored")
        FAILED = "failed", _("Scoring failed")
        REFUNDED = "refunded", _("Attempt given back")
        GRANTED = "granted", _("More submissions granted")
        EXCLUDED = "excluded", _("A decision about a submission")
        INVITED = "invited", _("Invitation to a team")
        ASKED = "asked", _("Request to join")
        MERGED = "merged", _("Merging teams")
        TEAM = "team", _("Changes in your team")
        ANSWERED = "answered", _("Answer to a question")
        POSTED = "posted", _("New post in a thread you follow")
        REPORTED = "reported", _("For organizers of a forum")
        ANNOUNCED = "announced", _("Announcement")
        WARNED = "warned", _("Warning")
        DISQUALIFIED = "disqualified", _("Disqualified")
        REINSTATED = "reinstated", _("Disqualification lifted")
        REVEALED = "revealed", _("Results revealed")
        ACCOUNT = "account", _("Security of your account")
        ALARM = "alarm", _("Alarm of the server")

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
    to_mail = models.BooleanField(_("To be mailed"), default=False)

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "subject"], name="one_notification")
        ]
        indexes = [
            models.Index(fields=["user", "-created_at"]),
            models.Index(
                fields=["user", "-created_at"],
                condition=models.Q(read_at=None),
                name="inbox_of_the_unread",
            ),
            models.Index(fields=["subject"], name="inbox_of_a_subject"),
            # The administrator's list of everybody's.
            models.Index(fields=["-created_at", "id"], name="notice_by_time"),
            models.Index(fields=["user"], condition=models.Q(to_mail=True), name="inbox_to_mail"),
        ]
        verbose_name = _("Notice")
        verbose_name_plural = _("Notice")

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"

    def message(self, language: str) -> str:
        """What it says beside its kind, in `ko` or `en`; may be empty."""
        said = (say(SENTENCES[key], language, **values) for key, values in self._news())
        return " ".join(said) or str(self.data.get(language, ""))  # what an organizer wrote

    def _news(self) -> Iterator[tuple[str, dict[str, Any]]]:
        if self.kind in (self.Kind.SCORED, self.Kind.FAILED) and "values" in self.data:
            named = dict(self.data["values"])
            own = named.pop("by") == self.user_id
            yield ("file" if own else "file.others"), named
        if "news" in self.data:
            key = self.data["news"]
            if key in SENTENCES:
                yield key, self.data["values"]
            else:  # it costs its person neither the other notices nor their mail
                logger.error("unknown_news", notice=str(self.pk), news=key)
                yield "unknown", {}
        elif self.kind == self.Kind.FAILED:
            yield "failed", {}
        elif self.kind == self.Kind.SCORED and self.data.get("public"):
            yield "scored", {"total": self.data["public"]}
        if self.data.get("reason"):
            yield "reason", {"reason": self.data["reason"]}


NOT_MAILED = frozenset({Notification.Kind.SCORED, Notification.Kind.REFUNDED})
"""What is never mailed: it comes with each submission, and the inbox has it."""


class MailAddress(models.Model):
    """Where a person wants mail: asked for, then confirmed by a link that was mailed there.

    Of the link only a hash is kept, and it confirms once. A person has one confirmed address, and
    beside it perhaps one that is to take its place.
    """

    class Every(models.TextChoices):
        NOW = "now", _("At once")
        DAY = "day", _("Once a day")
        NEVER = "never", _("Never")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="mail_addresses"
    )
    address = models.EmailField(_("Mail address"), max_length=254)
    asked_at = models.DateTimeField(_("Created"))
    token_sha256 = models.CharField("sha256", max_length=64, unique=True)
    expires_at = models.DateTimeField(_("Expires at"))
    confirmed_at = models.DateTimeField(_("Confirmed at"), null=True)
    every = models.CharField(_("How often"), max_length=5, choices=Every.choices, default=Every.NOW)
    next_at = models.DateTimeField(_("No mail before"))
    refused_code = models.PositiveSmallIntegerField(_("Refused by its server"), null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user"],
                condition=models.Q(confirmed_at__isnull=False),
                name="one_confirmed_address",
            ),
            models.UniqueConstraint(
                fields=["user"],
                condition=models.Q(confirmed_at=None),
                name="one_address_to_confirm",
            ),
        ]
        verbose_name = _("Mail address")
        verbose_name_plural = _("Mail address")

    def __str__(self) -> str:
        return self.address
