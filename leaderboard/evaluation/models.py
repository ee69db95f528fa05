"""One submission under one scoring version, and the numbers that came out."""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission


class Evaluation(models.Model):
    """The row is the truth about a scoring; messages only wake a worker up.

    queued → running → done | failed | cancelled. Every change is a conditional update fenced by
    (owner, attempt), see `claim`. A done row is never edited.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("대기")
        RUNNING = "running", _("채점 중")
        DONE = "done", _("완료")
        FAILED = "failed", _("실패")
        CANCELLED = "cancelled", _("취소")

    # The one `failure` that is no fault of ours: the file lacks ids of these golds.
    IDS_CHANGED = "ids_changed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    submission = models.ForeignKey(Submission, models.PROTECT, related_name="evaluations")
    scoring_version = models.ForeignKey(ScoringVersion, models.PROTECT, related_name="evaluations")
    state = models.CharField(_("상태"), max_length=10, choices=State.choices, default=State.QUEUED)
    received_at = models.DateTimeField(_("받은 시각"))
    attempt = models.PositiveSmallIntegerField(_("시도"), default=0)
    owner = models.UUIDField(_("맡은 작업자"), null=True)
    lease_until = models.DateTimeField(_("임대 끝"), null=True)
    not_before = models.DateTimeField(_("이 시각 뒤에"), null=True)
    stage = models.CharField(_("단계"), max_length=10, blank=True)
    rows_done = models.PositiveIntegerField(_("끝난 행"), default=0)
    rows_total = models.PositiveIntegerField(_("모든 행"), default=0)
    last_sign_at = models.DateTimeField(_("마지막 신호"), null=True)
    started_at = models.DateTimeField(_("시작"), null=True)
    finished_at = models.DateTimeField(_("끝"), null=True)
    failure = models.CharField(_("실패 까닭"), max_length=40, blank=True)

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
        verbose_name = _("채점")
        verbose_name_plural = _("채점")

    def __str__(self) -> str:
        return f"{self.submission_id} {self.state}"


class SplitScore(models.Model):
    """The metrics and the total of one evaluation over one split, with their signature."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="scores")
    split = models.CharField(_("나눔"), max_length=7)
    rows = models.PositiveIntegerField(_("행"))
    metrics = models.JSONField(_("지표"))
    total = models.FloatField(_("총점"))
    printed = models.BigIntegerField(_("인쇄되는 총점 × 10⁴"))
    signature = models.TextField(_("서명"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "split"], name="one_score_per_split"),
        ]
        verbose_name = _("점수")
        verbose_name_plural = _("점수")

    def __str__(self) -> str:
        return f"{self.split} {self.total:.4f}"


class ExampleScores(models.Model):
    """Every row's metric values of an evaluation in one compact blob; for organizers only."""

    evaluation = models.OneToOneField(
        Evaluation, models.CASCADE, primary_key=True, related_name="example_scores"
    )
    blob = models.BinaryField()

    class Meta:
        verbose_name = _("행별 점수")
        verbose_name_plural = _("행별 점수")

    def __str__(self) -> str:
        return str(self.evaluation_id)


class SubmissionCuts(models.Model):
    """Where one tokenizer cut the texts of a submission; see `cuts`. May be deleted at any time."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="cuts")
    tokenizer = models.CharField(_("분석기 서명"), max_length=200)
    blob = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "tokenizer"], name="cut_once_by_each_tokenizer"
            ),
        ]
        verbose_name = _("형태소 경계")
        verbose_name_plural = _("형태소 경계")

    def __str__(self) -> str:
        return f"{self.submission_id} {self.tokenizer}"


class Worker(models.Model):
    """A worker process and its last sign of life; see `workers`. Nothing is decided by it."""

    name = models.CharField(_("작업자"), max_length=200, unique=True)
    queue = models.CharField(_("맡은 일"), max_length=40)  # or several, with commas
    started_at = models.DateTimeField(_("시작"))
    last_sign_at = models.DateTimeField(_("마지막 신호"))

    class Meta:
        verbose_name = _("작업자")
        verbose_name_plural = _("작업자")

    def __str__(self) -> str:
        return self.name
