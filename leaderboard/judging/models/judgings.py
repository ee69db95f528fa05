"""What is judged, how far it is, and what came of it."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.judging.models.configs import JudgeConfig
from leaderboard.judging.models.leases import Leased
from leaderboard.submissions.models import Submission


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
    """What came of one row: every metric's result, its records, flags, and what it cost."""

    judging = models.ForeignKey(Judging, models.CASCADE, related_name="judgments")
    example_id = models.CharField(max_length=200)
    # scoring.judges.records.Status: the row's worst; each metric has its own in `results`.
    status = models.CharField(max_length=16)
    results = models.JSONField(default=dict)
    flags = models.JSONField(default=list)
    call_keys = models.JSONField(default=dict)  # id of the call in its pipeline: key of its answer
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    micros = models.PositiveBigIntegerField(default=0)
    latency_ms = models.PositiveIntegerField(default=0)

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
