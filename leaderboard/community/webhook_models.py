"""The outgoing webhook of a contest, and what it has sent and is to send."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition


class Webhook(models.Model):
    """Where a contest's organizers want to read of it. The address is a secret of theirs."""

    class Format(models.TextChoices):
        SLACK = "slack", "Slack"
        DISCORD = "discord", "Discord"
        MATTERMOST = "mattermost", "Mattermost"
        JSON = "json", _("JSON, for a program")

    class Event(models.TextChoices):
        FAILED = "submission.failed", _("A submission could not be scored")
        ASKED = "question.asked", _("A question in the forum")
        INQUIRY = "inquiry.asked", _("A private inquiry")
        REPORTED = "post.reported", _("A post was reported")
        REQUESTED = "join.requested", _("Somebody asks to join")
        ANNOUNCED = "announced", _("An announcement")
        REVEALED = "revealed", _("The results were revealed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.OneToOneField(Competition, models.CASCADE, related_name="webhook")
    url = models.CharField(_("Address"), max_length=500)
    format = models.CharField(_("Format"), max_length=10, choices=Format.choices)
    language = models.CharField(_("Language"), max_length=2, choices=User.Language.choices)
    events = models.JSONField(_("Events"), default=list)
    # Signs what is sent, so it is kept as it is.
    secret = models.CharField(max_length=60)

    class Meta:
        verbose_name = pgettext_lazy("outgoing", "Webhook")
        verbose_name_plural = pgettext_lazy("outgoing", "Webhook")

    def __str__(self) -> str:
        return f"{self.competition_id} {self.format}"


class Delivery(models.Model):
    """One message of a webhook. Its id goes with it each time it is sent."""

    class State(models.TextChoices):
        WAITING = "waiting", pgettext_lazy("delivery", "Waiting")
        DELIVERED = "delivered", pgettext_lazy("delivery", "Delivered")
        GIVEN_UP = "given_up", pgettext_lazy("delivery", "Given up")

    TEST = "test"
    TITLE_LENGTH = 120

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.CharField(_("Event"), max_length=20)
    # How often it happened until it was sent for the first time.
    count = models.PositiveIntegerField(_("Count"), default=1)
    title = models.CharField(_("Title"), max_length=TITLE_LENGTH, blank=True)
    # The thread that it leads to, or the announcement, if it is about one.
    subject = models.UUIDField(_("Subject"), null=True)
    created_at = models.DateTimeField(_("Created"))
    state = models.CharField(_("State"), max_length=9, choices=State.choices, default=State.WAITING)
    attempt = models.PositiveSmallIntegerField(_("Attempt"), default=0)
    # Not before; while it is being sent, the end of the lease.
    next_at = models.DateTimeField(_("Next attempt"))
    # Of the last answer, or why there was none.
    status = models.PositiveSmallIntegerField(_("Status"), null=True)
    failure = models.CharField(_("Cause of failure"), max_length=30, blank=True)
    ended_at = models.DateTimeField(_("Ended"), null=True)

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state="waiting", ended_at__isnull=True)
                | ~models.Q(state="waiting") & models.Q(ended_at__isnull=False),
                name="delivery_waits_until_it_ended",
            ),
        ]
        indexes = [
            models.Index(fields=["webhook", "-created_at"], name="deliveries_of_a_webhook"),
            models.Index(
                fields=["next_at"],
                condition=models.Q(state="waiting"),
                name="deliveries_that_wait",
            ),
        ]
        verbose_name = _("Delivery")
        verbose_name_plural = _("Delivery")

    def __str__(self) -> str:
        return f"{self.event} {self.state}"
