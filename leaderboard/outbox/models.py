"""What waits to be sent, and what became of it."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Message(models.Model):
    """One mail, one call of a webhook or one alarm. Its id goes with it each time it is tried.

    `lane`: messages of one lane go to one server, one after the other. `recipient`: the mail
    address or the webhook. Who sends a message has a lease by the database's clock, and `attempt`
    says whose result counts. Who queues a message decides what the other columns mean.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        SENT = "sent", _("Sent")
        FAILED = "failed", _("Failed")

    MAIL = "mail"
    ALARM = "alarm"
    TITLE_LENGTH = 120

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    lane = models.CharField(_("Lane"), max_length=50)
    kind = models.CharField(_("Kind"), max_length=20)
    recipient = models.UUIDField(_("Recipient"), null=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    subject = models.UUIDField(_("Subject"), null=True)
    title = models.CharField(_("Title"), max_length=TITLE_LENGTH, blank=True)
    count = models.PositiveIntegerField(_("Count"), default=1)
    data = models.JSONField(default=dict)
    state = models.CharField(_("State"), max_length=7, choices=State.choices, default=State.WAITING)
    made_at = models.DateTimeField(_("Created"))
    next_at = models.DateTimeField(_("Next attempt"))
    attempt = models.PositiveSmallIntegerField(_("Attempts"), default=0)
    lease_until = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(_("Ended"), null=True)
    # The code that the server refused it with, or why there was no answer.
    failure = models.CharField(_("Failure"), max_length=40, blank=True)

    class Meta:
        ordering = ["-made_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state="waiting", ended_at__isnull=True)
                | ~models.Q(state="waiting") & models.Q(ended_at__isnull=False),
                name="message_waits_until_it_ended",
            ),
        ]
        indexes = [
            models.Index(
                fields=["lane", "made_at"],
                condition=models.Q(state="waiting"),
                name="messages_that_wait",
            ),
            models.Index(fields=["recipient", "-made_at"], name="messages_of_a_recipient"),
            models.Index(fields=["ended_at"], name="messages_that_ended"),
            models.Index(
                fields=["subject"],
                condition=models.Q(subject__isnull=False),
                name="messages_about_something",
            ),
        ]
        verbose_name = _("Outgoing message")
        verbose_name_plural = _("Outgoing message")

    def __str__(self) -> str:
        return f"{self.lane} {self.kind} {self.state}"
