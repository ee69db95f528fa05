"""Answers under the hash of what was asked, and what asking cost."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import Competition
from leaderboard.judging.models.configs import JudgeConfig
from leaderboard.judging.models.judgings import Judging
from leaderboard.judging.models.repeats import Repeat
from leaderboard.teams.models import Team


class StoredCall(models.Model):
    """An answer of a judge under the hash of everything that was asked. The first one wins.

    Never edited; holds participants' text, so only owners and editors may read it. Refusals, cut
    and invalid answers and errors are never stored.
    """

    key = models.CharField(primary_key=True, max_length=64)
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="+")
    body = models.TextField(_("Answer as received"))
    answer = models.JSONField(_("Answer"))
    model = models.CharField(_("Model that answered"), max_length=120)
    fingerprint = models.CharField(max_length=120, blank=True)
    input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    latency_ms = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("Stored answers")
        verbose_name_plural = _("Stored answers")

    def __str__(self) -> str:
        return self.key[:8]


class Reservation(models.Model):
    """One attempt to call, paid for before it is made; settled with what it really took.

    An open one of a worker that is gone is listed as unsettled and keeps its estimate.
    """

    class State(models.TextChoices):
        OPEN = "open", _("Calling")
        ANSWERED = "answered", _("Answer stored")
        REFUSED = "refused", _("Unusable answer")
        FAILED = "failed", _("No answer")
        UNSETTLED = "unsettled", _("End unknown")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    config = models.ForeignKey(JudgeConfig, models.PROTECT, related_name="reservations")
    judging = models.ForeignKey(Judging, models.PROTECT, null=True, related_name="reservations")
    repeat = models.ForeignKey(Repeat, models.PROTECT, null=True, related_name="reservations")
    team = models.ForeignKey(Team, models.PROTECT, null=True, related_name="+")
    day = models.DateField(_("Day"))
    call_key = models.CharField(max_length=64)
    example_id = models.CharField(max_length=200, blank=True)
    call = models.CharField(_("Calls"), max_length=40)  # id of the call in its pipeline
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    outcome = models.CharField(_("Result"), max_length=40, blank=True)
    owner = models.UUIDField(null=True)
    estimate = models.PositiveBigIntegerField(_("Estimated cost"))
    micros = models.PositiveBigIntegerField(_("Cost"))
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    made_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["config", "state"]),
            models.Index(fields=["config", "team", "day"]),
        ]
        verbose_name = _("Judge spending")
        verbose_name_plural = _("Judge spending")

    def __str__(self) -> str:
        return f"{self.call} {self.state}"


class Budget(models.Model):
    """Counters that a reservation raises in one conditional update; `scope` says whose."""

    config = models.ForeignKey(JudgeConfig, models.CASCADE, related_name="budgets")
    # "all", "judging:<uuid>", "team:<uuid>:<date>"
    scope = models.CharField(max_length=70)
    calls = models.PositiveIntegerField(default=0)
    micros = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["config", "scope"], name="one_budget_per_scope"),
        ]
        verbose_name = _("Budget")
        verbose_name_plural = _("Budget")

    def __str__(self) -> str:
        return self.scope
