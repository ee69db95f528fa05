"""One submission under one scoring version, and the numbers that came out."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission


class Evaluation(models.Model):
    """The row is the truth about a scoring; messages only wake a worker up.

    queued → running → done | failed | cancelled. Every change is a conditional update fenced by
    (owner, attempt), see `claim`. A done row is never edited.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("Waiting")
        RUNNING = "running", _("Scoring")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    # The one `failure` that is no fault of ours: the file lacks ids of these references.
    IDS_CHANGED = "ids_changed"
    TEXT_TIME_LIMIT = "text_time_limit"  # an analyzer took too long for one text

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    submission = models.ForeignKey(Submission, models.PROTECT, related_name="evaluations")
    scoring_version = models.ForeignKey(ScoringVersion, models.PROTECT, related_name="evaluations")
    state = models.CharField(_("State"), max_length=10, choices=State.choices, default=State.QUEUED)
    received_at = models.DateTimeField(_("Received"))
    attempt = models.PositiveSmallIntegerField(_("Attempt"), default=0)
    owner = models.UUIDField(_("Owning worker"), null=True)
    lease_until = models.DateTimeField(_("Lease until"), null=True)
    not_before = models.DateTimeField(_("Not before"), null=True)
    stage = models.CharField(_("Stage"), max_length=10, blank=True)
    rows_done = models.PositiveIntegerField(_("Rows done"), default=0)
    rows_total = models.PositiveIntegerField(_("Rows in all"), default=0)
    last_sign_at = models.DateTimeField(_("Last sign of life"), null=True)
    started_at = models.DateTimeField(_("Opens"), null=True)
    finished_at = models.DateTimeField(_("Finished"), null=True)
    failure = models.CharField(_("Cause of failure"), max_length=40, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "scoring_version"], name="one_evaluation_per_version"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "received_at"]),
            models.Index(fields=["scoring_version", "state"]),
            # What was done lately is asked with every look at a file that waits.
            models.Index(fields=["state", "finished_at"]),
        ]
        verbose_name = _("Evaluation")
        verbose_name_plural = _("Evaluation")

    def __str__(self) -> str:
        return f"{self.submission_id} {self.state}"


class SplitScore(models.Model):
    """The metrics and the total of one evaluation over one split, with their signature."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="scores")
    split = models.CharField(_("Split"), max_length=7)
    rows = models.PositiveIntegerField(_("Rows"))
    metrics = models.JSONField(_("Metrics"))
    total = models.FloatField(_("Total"))
    printed = models.BigIntegerField(_("Printed total × 10⁴"))
    signature = models.TextField(_("Signature"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "split"], name="one_score_per_split"),
        ]
        verbose_name = _("Score")
        verbose_name_plural = _("Score")

    def __str__(self) -> str:
        return f"{self.split} {self.total:.4f}"


class ExampleScores(models.Model):
    """Every row's metric values of an evaluation in one compact blob; for organizers only."""

    evaluation = models.OneToOneField(
        Evaluation, models.CASCADE, primary_key=True, related_name="example_scores"
    )
    blob = models.BinaryField()

    class Meta:
        verbose_name = _("Scores per row")
        verbose_name_plural = _("Scores per row")

    def __str__(self) -> str:
        return str(self.evaluation_id)


class KeptFailure(models.Model):
    """What a worker could not make of a scoring version, and why; see `run`.

    `code`: the exception's name, or a code of ours. Not tried again before `again_at`.
    """

    class Work(models.TextChoices):
        GOLDS = "golds", _("References")
        LINES = "lines", _("Trivial baselines")
        BANDS = "bands", _("Rank ranges")
        FIGURES = "figures", _("Figures")
        LIFTS = "lifts", _("Dialogue-specific share")
        SPREADS = "spreads", _("Differences of a team's files")
        REPORT = "report", _("Closing report")
        LIGHTS = "lights", _("Flags")

    CODE_LENGTH = 40

    scoring_version = models.ForeignKey(
        ScoringVersion, models.CASCADE, related_name="kept_failures"
    )
    work = models.CharField(_("Work"), max_length=8, choices=Work.choices)
    code = models.CharField(_("Cause of failure"), max_length=CODE_LENGTH)
    at = models.DateTimeField(_("Finished"))
    again_at = models.DateTimeField(_("Not before"))

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scoring_version", "work"], name="one_kept_failure_per_work"
            ),
        ]
        verbose_name = _("Saved failure")
        verbose_name_plural = _("Saved failure")

    def __str__(self) -> str:
        return f"{self.scoring_version_id} {self.work} {self.code}"


class Worker(models.Model):
    """A process and its last sign of life; see `workers`. Nothing is decided by it.

    `queue` is what it does: the queues of a worker, or `web` or `sweeper`. `clock_at` is what its
    own clock said when the database's said `last_sign_at`.
    """

    name = models.CharField(_("Workers"), max_length=200, unique=True)
    queue = models.CharField(_("Work"), max_length=40)  # or several, with commas
    started_at = models.DateTimeField(_("Opens"))
    last_sign_at = models.DateTimeField(_("Last sign of life"))
    clock_at = models.DateTimeField(_("Own clock"), null=True)
    version = models.CharField(pgettext_lazy("software", "Version"), max_length=40, default="")

    class Meta:
        verbose_name = _("Workers")
        verbose_name_plural = _("Workers")

    def __str__(self) -> str:
        return self.name
