"""The form of a judge column: which model, what is judged, what it may cost, and the rest."""

from typing import Any
from uuid import UUID

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from leaderboard.judging.drafting import CAPS, NAMES, ConfigSettings
from leaderboard.judging.models import JudgeConfig
from leaderboard.web.judge_forms import CountField, MoneyField
from scoring.judges.pipelines import PIPELINES

# Pipelines that judge a summary; the others make what is asked.
JUDGING = [name for name, pipeline in PIPELINES.items() if pipeline.systems]
SAMPLING = ("temperature", "top_p", "seed", "max_tokens", "reasoning_effort", "token_param")

GROUPS = (
    (_("모델"), ("label", "endpoint", "model", "dialogue_set_id", "pipeline", "language")),
    (
        _("심사할 것"),
        (
            "policy",
            "submissions_per_team_day",
            "sample_rows",
            "questions_per_dialogue",
            "longest_summary",
            "longest_share",
        ),
    ),
    (_("비용과 한도"), ("currency", "price_input", "price_output", *CAPS)),
    (_("생성 설정"), ("structured", *SAMPLING)),
)


class SamplingForm(forms.Form):
    """What is sent with each call; what is empty is not sent."""

    temperature = forms.FloatField(label=_("온도"), min_value=0, max_value=2, required=False)
    top_p = forms.FloatField(label="top_p", min_value=0, max_value=1, required=False)
    seed = CountField(0, label=_("씨앗"), required=False)
    max_tokens = CountField(
        16, 100_000, label=_("답의 가장 긴 토큰 수"), help_text=_("예산은 이만큼을 미리 잡습니다.")
    )
    token_param = forms.ChoiceField(
        label=_("토큰 수의 이름"),
        choices=[(name, name) for name in ("max_tokens", "max_completion_tokens")],
    )
    reasoning_effort = forms.ChoiceField(
        label=_("추론 정도"),
        required=False,
        choices=[("", _("보내지 않음"))]
        + [(name, name) for name in ("none", "minimal", "low", "medium", "high")],
    )


class JudgeForm(SamplingForm):
    """A whole judge column. The view says which servers and dialogues there are."""

    label = forms.CharField(
        label=_("이름표"), max_length=40, help_text=_("리더보드의 열 이름 아래에 보입니다.")
    )
    pipeline = forms.ChoiceField(
        label=_("절차"),
        choices=[(name, name) for name in JUDGING],
        initial="shared",
        help_text=_(
            "shared:3은 판정마다 세 번 물어 다수를 따릅니다. "
            "faithful은 공개된 시스템 하나를 그대로 따릅니다."
        ),
    )
    language = forms.ChoiceField(
        label=_("지시문 언어"), choices=[("en", "English"), ("ko", "한국어")]
    )
    dialogue_set_id = forms.TypedChoiceField(label=_("대화 묶음"), coerce=UUID)
    endpoint = forms.ChoiceField(label=_("심사 서버"))
    model = forms.CharField(
        label=_("모델"), max_length=120, help_text=_("바뀌지 않는 이름(스냅숏)을 적어 주세요.")
    )
    structured = forms.ChoiceField(label=_("답 형식"), choices=JudgeConfig.Structured.choices)
    questions_per_dialogue = CountField(1, 10, label=_("대화마다 질문"))
    longest_summary = CountField(1, 100_000, label=_("요약의 가장 긴 글자 수"))
    longest_share = forms.FloatField(
        label=_("대화 길이에 대한 요약의 한도"),
        min_value=0.01,
        max_value=10,
        help_text=_("둘 가운데 긴 쪽을 넘는 요약은 묻지 않고 0점입니다."),
    )
    sample_rows = CountField(
        0,
        100_000,
        label=_("심사할 행"),
        required=False,
        help_text=_("0이면 모든 행. 아니면 대화 길이에 고르게 뽑은, 모두에게 같은 행."),
    )
    policy = forms.ChoiceField(label=_("무엇을 심사하나"), choices=JudgeConfig.Policy.choices)
    submissions_per_team_day = CountField(1, 1_000, label=_("팀과 하루마다 심사할 제출"))
    currency = forms.CharField(
        label=_("통화"),
        validators=[RegexValidator(r"^[A-Z]{3}\Z", _("USD처럼 큰 글자 셋을 적어 주세요."))],
    )
    price_input = MoneyField(2_000, label=_("입력 토큰 100만 개의 값"))
    price_output = MoneyField(2_000, label=_("출력 토큰 100만 개의 값"))
    calls_per_submission = CountField(label=_("제출마다 호출 한도"))
    calls_per_team_day = CountField(label=_("팀과 하루마다 호출 한도"))
    calls_in_all = CountField(label=_("모든 호출의 한도"))
    micros_per_submission = MoneyField(label=_("제출마다 돈 한도"))
    micros_per_team_day = MoneyField(label=_("팀과 하루마다 돈 한도"))
    micros_in_all = MoneyField(
        label=_("모든 돈의 한도"), help_text=_("비우면 돈으로는 막지 않습니다.")
    )

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields that the form has, in the order an organizer thinks of them."""
        present = [
            (title, [name for name in names if name in self.fields]) for title, names in GROUPS
        ]
        return [(str(title), [self[name] for name in names]) for title, names in present if names]

    def offer(self, *, endpoints: list[str], dialogues: list[tuple[str, str]]) -> None:
        """Let the organizer choose among these."""
        for name, choices in (
            ("endpoint", [(one, one) for one in endpoints]),
            ("dialogue_set_id", dialogues),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = choices

    def wanted(self) -> ConfigSettings:
        """What was typed. Only of a valid form."""
        cleaned = self.cleaned_data
        sampling = {name: cleaned[name] for name in SAMPLING if cleaned[name] not in (None, "")}
        return ConfigSettings(
            sampling=sampling,
            **{name: cleaned[name] for name in NAMES if name not in ("sampling", "sample_rows")},
            sample_rows=cleaned["sample_rows"] or 0,
        )


RUNNING_FIELDS = (
    "policy",
    "submissions_per_team_day",
    "currency",
    "price_input",
    "price_output",
)


def initial_of(config: JudgeConfig | None) -> dict[str, Any]:
    """The form's values of this config, or those a new one starts with."""
    made = config or JudgeConfig(
        sampling={"temperature": 0, "top_p": 1, "seed": 1, "max_tokens": 2000}
    )
    values = {name: getattr(made, name) for name in NAMES if name != "sampling"}
    return {**values, **{name: made.sampling.get(name) for name in SAMPLING}}
