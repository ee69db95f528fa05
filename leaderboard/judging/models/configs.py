"""How a judge column is made, whether its server answers, and how far people agree."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import Competition
from leaderboard.references.models import DialogueSet
from scoring.judges.call_graph import family_of


class JudgeConfig(models.Model):
    """How one judge column is made. After freezing, only caps, prices, policy and state change.

    draft → reviewing (artefacts are built and reviewed) → frozen → active (shown on the board) →
    retired. One active config per competition.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("초안")
        REVIEWING = "reviewing", _("검토 중")
        FROZEN = "frozen", _("고정")
        ACTIVE = "active", _("사용 중")
        RETIRED = "retired", _("물러남")

    class Policy(models.TextChoices):
        ON_DEMAND = "on_demand", _("팀이 부탁한 제출")
        BEST = "best", _("팀마다 가장 나은 제출")
        FINALS = "finals", _("최종 제출")

    class Structured(models.TextChoices):
        JSON_SCHEMA = "json_schema", "json_schema"
        JSON_OBJECT = "json_object", "json_object"
        PROMPT = "prompt", _("지시문만")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.PROTECT, related_name="judge_configs")
    number = models.PositiveIntegerField(_("번호"))
    label = models.CharField(_("이름표"), max_length=40)
    state = models.CharField(_("상태"), max_length=10, choices=State.choices, default=State.DRAFT)
    # `shared`, `shared:3` or `faithful:<system>`: see scoring.judges.pipelines.
    pipeline = models.CharField(_("절차"), max_length=30, default="shared")
    dialogue_set = models.ForeignKey(DialogueSet, models.PROTECT, related_name="+")
    language = models.CharField(_("지시문 언어"), max_length=2, default="en")

    # A name of settings.JUDGE_ENDPOINTS: organizers never type an address or a key.
    endpoint = models.CharField(_("서버"), max_length=40)
    model = models.CharField(_("모델"), max_length=120)
    # temperature, top_p, seed, max_tokens, reasoning_effort, token_param; null: not sent.
    sampling = models.JSONField(_("생성 설정"), default=dict)
    structured = models.CharField(
        _("답 형식"), max_length=12, choices=Structured.choices, default=Structured.JSON_SCHEMA
    )
    questions_per_dialogue = models.PositiveSmallIntegerField(_("대화마다 질문"), default=5)
    longest_summary = models.PositiveIntegerField(_("요약의 가장 긴 글자 수"), default=1000)
    longest_share = models.FloatField(_("대화 길이에 대한 요약의 한도"), default=0.8)

    # 0: every row. Otherwise the same rows for all submissions, drawn by the seed; see `sample`.
    sample_rows = models.PositiveIntegerField(_("심사할 행"), default=0)
    sample_seed = models.BigIntegerField(default=0)

    policy = models.CharField(
        _("무엇을 심사하나"), max_length=10, choices=Policy.choices, default=Policy.ON_DEMAND
    )
    price_input = models.PositiveIntegerField(
        _("입력 토큰 100만 개의 가격, 100만분의 1"), default=0
    )
    price_output = models.PositiveIntegerField(
        _("출력 토큰 100만 개의 가격, 100만분의 1"), default=0
    )
    currency = models.CharField(_("통화"), max_length=3, default="USD")
    calls_per_submission = models.PositiveIntegerField(_("제출마다 호출 한도"), default=10_000)
    calls_per_team_day = models.PositiveIntegerField(_("팀과 하루마다 호출 한도"), default=20_000)
    calls_in_all = models.PositiveIntegerField(_("모든 호출의 한도"), default=100_000)
    # Millionths of the currency; 0: money is not limited, calls are.
    micros_per_submission = models.PositiveBigIntegerField(default=0)
    micros_per_team_day = models.PositiveBigIntegerField(default=0)
    micros_in_all = models.PositiveBigIntegerField(default=0)
    submissions_per_team_day = models.PositiveSmallIntegerField(
        _("팀과 하루마다 심사할 제출"), default=3
    )

    # Whose settings it began with, and how many items came along when its review began.
    copied_from = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("이어받은 설정"),
    )
    carried_items = models.PositiveIntegerField(_("이어받은 항목"), default=0)

    artefact_hash = models.CharField(max_length=64, blank=True)
    config_hash = models.CharField(max_length=64, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(_("만든 시각"))
    frozen_at = models.DateTimeField(_("고정한 시각"), null=True)
    retired_at = models.DateTimeField(_("사용 끝"), null=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "number"], name="one_judge_config_per_number"
            ),
            models.UniqueConstraint(
                fields=["competition"],
                condition=models.Q(state="active"),
                name="one_active_judge_config",
            ),
        ]
        verbose_name = _("심사 설정")
        verbose_name_plural = _("심사 설정")

    def __str__(self) -> str:
        return f"{self.label} j{self.number}"

    @property
    def is_shared(self) -> bool:
        """Whether it has our own metrics, rather than one published system's call by call."""
        return family_of(self.pipeline) == "shared"


class Circuit(models.Model):
    """Whether a config's server is asked at all: closed, or open until an instant."""

    config = models.OneToOneField(
        JudgeConfig, models.CASCADE, primary_key=True, related_name="circuit"
    )
    failures = models.PositiveIntegerField(_("이어진 실패"), default=0)
    openings = models.PositiveIntegerField(_("이어서 열린 횟수"), default=0)
    open_until = models.DateTimeField(_("이때까지 묻지 않음"), null=True)
    # One worker is trying a single call; `open_until` is then the end of its time for it.
    is_probing = models.BooleanField(default=False)
    # A configuration failure (401, unknown model …) opens it until an organizer acts.
    reason = models.CharField(_("까닭"), max_length=80, blank=True)

    class Meta:
        verbose_name = _("차단기")
        verbose_name_plural = _("차단기")

    def __str__(self) -> str:
        return f"{self.config_id} {self.open_until or ''}"


class AgreementReport(models.Model):
    """How far a config agrees with human labels, with the labels' file and the config's hash."""

    config = models.ForeignKey(JudgeConfig, models.CASCADE, related_name="agreement_reports")
    config_hash = models.CharField(max_length=64)
    file_name = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)
    labels = models.JSONField()
    numbers = models.JSONField()
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField()

    class Meta:
        ordering = ["-uploaded_at", "pk"]
        verbose_name = _("사람과의 일치")
        verbose_name_plural = _("사람과의 일치")

    def __str__(self) -> str:
        return f"{self.config} {self.uploaded_at:%Y-%m-%d}"
