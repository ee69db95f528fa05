"""What is judged, how far it is, what came of it, and what asking cost."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.competitions.models import Competition
from leaderboard.judging.models.configs import JudgeConfig, Leased
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team


class Judging(Leased):
    """One submission under one config on one board: planned rows, a lease, how far it is.

    waiting → running → waiting … → complete. Every change is a conditional update fenced by
    (owner, attempt). A paused config leaves it waiting.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", pgettext_lazy("state", "Judging")
        COMPLETE = "complete", _("Done")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    config = models.ForeignKey(JudgeConfig, models.PROTECT, related_name="judgings")
    submission = models.ForeignKey(Submission, models.PROTECT, related_name="+")
    board = models.CharField(_("Split"), max_length=7)
    state = models.CharField(_("State"), max_length=8, choices=State.choices, default=State.WAITING)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    requested_at = models.DateTimeField(_("Requested at"))
    # The team's day of the contest that a request is counted in.
    day = models.DateField(_("Day"))
    rows = models.PositiveIntegerField(_("Rows in all"), default=0)
    rows_done = models.PositiveIntegerField(_("Rows done"), default=0)
    # Raised when an organizer has it judged anew: a faithful pipeline then asks again.
    round = models.PositiveSmallIntegerField(default=0)
    # Of the whole submission, for organizers: see `injection`.
    flags = models.JSONField(default=list)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["config", "submission", "board"], name="judged_once_per_board"
            ),
        ]
        indexes = [models.Index(fields=["state", "requested_at"])]
        verbose_name = _("Judging")
        verbose_name_plural = _("Judging")

    def __str__(self) -> str:
        return f"{self.submission_id} {self.state}"


class Judgment(models.Model):
    """What came of one row: every metric's result, its flags, and where its answers are kept."""

    judging = models.ForeignKey(Judging, models.CASCADE, related_name="judgments")
    example_id = models.CharField(max_length=200)
    # scoring.judges.records.Status: the row's worst; each metric has its own in `results`.
    status = models.CharField(max_length=16)
    results = models.JSONField(default=dict)
    flags = models.JSONField(default=list)
    call_keys = models.JSONField(default=dict)  # id of the call in its pipeline: key of its answer

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judging", "example_id"], name="one_judgment_per_row"),
        ]
        verbose_name = _("Judgment")
        verbose_name_plural = _("Judgment")

    def __str__(self) -> str:
        return f"{self.example_id} {self.status}"


class ColumnValue(models.Model):
    """The mean of one metric over the rows of one judging, recomputed from them; read by boards."""

    judging = models.ForeignKey(Judging, models.CASCADE, related_name="values")
    metric = models.CharField(max_length=20)
    mean = models.FloatField(null=True)  # None: no row has a score
    scored = models.PositiveIntegerField(_("Rows with a score"))
    rows = models.PositiveIntegerField(_("Rows that can have a score"))
    low = models.FloatField(null=True)  # 95 % interval of the mean
    high = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judging", "metric"], name="one_value_per_metric"),
        ]
        verbose_name = _("Judge value")
        verbose_name_plural = _("Judge value")

    def __str__(self) -> str:
        return f"{self.metric} {self.mean}"


class Answerer(models.Model):
    """Which model, as its server called it, gave how many of one judging's answers.

    Recomputed from the rows, so an answer that another config had asked for counts as well.
    """

    judging = models.ForeignKey(Judging, models.CASCADE, related_name="answerers")
    model = models.CharField(_("Model that answered"), max_length=120)
    fingerprint = models.CharField(max_length=120, blank=True)
    answers = models.PositiveIntegerField(_("Answer"))
    first_at = models.DateTimeField()  # when the first of these answers was stored
    last_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judging", "model", "fingerprint"], name="one_answerer_per_judging"
            ),
        ]
        verbose_name = _("Model that answered")
        verbose_name_plural = _("Model that answered")

    def __str__(self) -> str:
        return f"{self.model} {self.fingerprint}"


class Repeat(Leased):
    """Some rows of one judging asked again and again; nothing of it is in any column.

    waiting → complete, or stopped. Fenced as judgings are; see `repeating`.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("Measuring")
        COMPLETE = "complete", _("Done")
        STOPPED = "stopped", _("Stopped")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    config = models.ForeignKey(JudgeConfig, models.PROTECT, related_name="repeats")
    config_hash = models.CharField(max_length=64)
    judging = models.ForeignKey(Judging, models.PROTECT, related_name="+")
    state = models.CharField(_("State"), max_length=8, choices=State.choices, default=State.WAITING)
    # In the plan's order: [example id, key of the answer that holds its claims].
    rows = models.JSONField()
    # Answers to each item in all: the stored one and so many less one. One more is asked with the
    # items in another order.
    samples = models.PositiveSmallIntegerField()
    # Pass → example id → {"items": kind → item id → verdict, "scores": metric → score}; the stored
    # answers are pass "0".
    said = models.JSONField()
    done = models.PositiveIntegerField(_("Rows done"), default=0)
    numbers = models.JSONField(default=dict)
    begun_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    begun_at = models.DateTimeField(_("Started at"))
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-begun_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["config"],
                condition=models.Q(state="waiting"),
                name="one_repeat_at_a_time",
            ),
        ]
        verbose_name = _("Repeats")
        verbose_name_plural = _("Repeats")

    def __str__(self) -> str:
        return f"{self.config_id} {self.state}"

    @property
    def to_do(self) -> int:
        """How many rows are asked in all, each as often as it is."""
        return len(self.rows) * self.samples


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
