"""The form of a judge column: which model, what is judged, what it may cost, and the rest."""

from typing import Any, NamedTuple
from uuid import UUID

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from leaderboard.judging.drafting import CAPS, NAMES, ConfigSettings
from leaderboard.judging.models import JudgeConfig
from leaderboard.judging.pages.forms import CountField, MoneyField, MoneyLimitField
from scoring.judges.pipelines import PIPELINES

# Pipelines that judge a summary; the others make what is asked.
JUDGING = [name for name, pipeline in PIPELINES.items() if pipeline.systems]
SAMPLING = ("temperature", "top_p", "seed", "max_tokens", "reasoning_effort", "token_param")


class Group(NamedTuple):
    """Fields that are thought of together."""

    title: str
    fields: list[forms.BoundField]


Named = tuple[tuple[Any, tuple[str, ...]], ...]
# What nobody can choose for the organizer.
GROUPS: Named = (
    (_("모델"), ("endpoint", "model")),
    (_("심사할 것"), ("policy", "submissions_per_team_day", "sample_rows")),
    (_("예산"), ("currency", "price_input", "price_output", "micros_in_all", "calls_in_all")),
)
# What has a default that serves; each says what it is for.
FOLDED: Named = (
    (_("이름과 절차"), ("label", "pipeline", "language", "dialogue_set_id")),
    (_("묻는 것"), ("questions_per_dialogue", "longest_summary", "longest_share")),
    (
        _("더 좁은 한도"),
        (
            "calls_per_submission",
            "calls_per_team_day",
            "micros_per_submission",
            "micros_per_team_day",
        ),
    ),
    (_("생성 설정"), ("structured", *SAMPLING)),
)


class SamplingForm(forms.Form):
    """What is sent with each call; what is empty is not sent."""

    temperature = forms.FloatField(
        label=_("온도"),
        min_value=0,
        max_value=2,
        required=False,
        help_text=_("기본 0: 같은 것을 물으면 되도록 같은 답을 합니다. 비우면 보내지 않습니다."),
    )
    top_p = forms.FloatField(
        label=_("누적 확률 (top_p)"),
        min_value=0,
        max_value=1,
        required=False,
        help_text=_("기본 1: 후보를 줄이지 않습니다. 비우면 보내지 않습니다."),
    )
    seed = CountField(
        0,
        label=_("씨앗"),
        required=False,
        help_text=_("같은 답을 다시 얻기 위한 수입니다. 받지 않는 서버라면 비워 두세요."),
    )
    max_tokens = CountField(
        16,
        100_000,
        label=_("답의 가장 긴 토큰 수"),
        help_text=_("호출마다 이만큼을 예산에서 미리 잡고, 답이 오면 쓴 만큼으로 바로잡습니다."),
    )
    token_param = forms.ChoiceField(
        label=_("토큰 수의 이름"),
        choices=[(name, name) for name in ("max_tokens", "max_completion_tokens")],
        help_text=_("서버가 max_tokens를 모른다고 답할 때만 바꿉니다."),
    )
    reasoning_effort = forms.ChoiceField(
        label=_("추론 정도"),
        required=False,
        choices=[("", _("보내지 않음"))]
        + [(name, name) for name in ("none", "minimal", "low", "medium", "high")],
        help_text=_("추론하는 모델에만 보냅니다."),
    )


class JudgeForm(SamplingForm):
    """A whole judge column. The view says which servers and dialogues there are."""

    endpoint = forms.ChoiceField(
        label=_("심사 서버"),
        help_text=_("서버 운영자가 연결한 곳입니다. 대화와 요약이 이곳으로 나갑니다."),
    )
    model = forms.CharField(
        label=_("모델"), max_length=120, help_text=_("바뀌지 않는 이름(스냅숏)을 적어 주세요.")
    )
    policy = forms.ChoiceField(label=_("무엇을 심사하나"), choices=JudgeConfig.Policy.choices)
    submissions_per_team_day = CountField(1, 1_000, label=_("팀과 하루마다 심사할 제출"))
    sample_rows = CountField(
        1,
        100_000,
        label=_("심사할 행"),
        required=False,
        help_text=_("비워 두면 모든 행. 적으면 대화 길이에 고르게 뽑은, 모두에게 같은 행."),
    )
    currency = forms.CharField(
        label=_("통화"),
        validators=[RegexValidator(r"^[A-Z]{3}\Z", _("USD처럼 큰 글자 셋을 적어 주세요."))],
    )
    price_input = MoneyField(
        2_000,
        label=_("입력 토큰 100만 개의 가격"),
        help_text=_("모델을 파는 곳의 가격표에서. 비워 두면 쓴 돈을 0으로 셉니다."),
    )
    price_output = MoneyField(2_000, label=_("출력 토큰 100만 개의 가격"))
    micros_in_all = MoneyLimitField(
        label=_("모든 돈의 한도"),
        help_text=_("다 쓰면 심사가 멈추고, 늘려 주면 이어집니다. 비우면 돈으로는 막지 않습니다."),
    )
    calls_in_all = CountField(
        label=_("모든 호출의 한도"), help_text=_("가격을 몰라도 언제나 지켜지는 한도입니다.")
    )
    label = forms.CharField(
        label=_("이름표"), max_length=40, help_text=_("리더보드의 열 이름 아래에 보입니다.")
    )
    pipeline = forms.ChoiceField(
        label=_("절차"),
        choices=[(name, name) for name in JUDGING],
        initial="shared",
        help_text=_(
            "shared는 판정마다 한 번 묻고, shared:3은 세 번 물어 다수를 따르며 그만큼 더 씁니다. "
            "faithful은 공개된 시스템 하나를 그대로 따릅니다."
        ),
    )
    language = forms.ChoiceField(
        label=_("지시문 언어"),
        choices=[("en", "English"), ("ko", "한국어")],
        help_text=_("모델에 보내는 지시문의 언어입니다. 대화와 요약은 적힌 그대로 보냅니다."),
    )
    dialogue_set_id = forms.TypedChoiceField(
        label=_("대화 묶음"),
        coerce=UUID,
        help_text=_("적용한 정답의 대화가 모두 든 묶음만 보입니다. 하나뿐이면 그대로 두세요."),
    )
    questions_per_dialogue = CountField(
        1,
        10,
        label=_("대화마다 질문"),
        help_text=_("많을수록 꼼꼼하지만, 만들고 검토할 것과 호출이 늘어납니다."),
    )
    longest_summary = CountField(
        1,
        100_000,
        label=_("요약의 가장 긴 글자 수"),
        help_text=_("이 수와 아래 한도 가운데 긴 쪽을 넘는 요약은 묻지 않고 0점입니다."),
    )
    longest_share = forms.FloatField(
        label=_("대화 길이에 대한 요약의 한도"),
        min_value=0.01,
        max_value=10,
        help_text=_("0.8이면 대화의 80% 길이까지입니다."),
    )
    calls_per_submission = CountField(
        label=_("제출마다 호출 한도"),
        help_text=_("제출 하나가 예산을 다 쓰지 못하게 합니다."),
    )
    calls_per_team_day = CountField(
        label=_("팀과 하루마다 호출 한도"),
        help_text=_("한 팀이 하루에 예산을 다 쓰지 못하게 합니다."),
    )
    micros_per_submission = MoneyLimitField(
        label=_("제출마다 돈 한도"), help_text=_("비우면 돈으로는 막지 않습니다.")
    )
    micros_per_team_day = MoneyLimitField(
        label=_("팀과 하루마다 돈 한도"), help_text=_("비우면 돈으로는 막지 않습니다.")
    )
    structured = forms.ChoiceField(
        label=_("답 형식"),
        choices=JudgeConfig.Structured.choices,
        help_text=_("서버가 json_schema를 모르면 json_object, 그것도 모르면 지시문만."),
    )

    def clean(self) -> dict[str, Any]:
        """A limit of money counts nothing where no token has a price."""
        cleaned = super().clean() or self.cleaned_data
        limited = any(cleaned.get(name) for name in CAPS if name.startswith("micros_"))
        if limited and not (cleaned.get("price_input") or cleaned.get("price_output")):
            said = _("돈으로 막으려면 가격이 있어야 합니다. 가격을 적거나 돈 한도를 비워 주세요.")
            self.add_error("price_input", said)
        return cleaned

    @property
    def groups(self) -> list[Group]:
        """What is chosen first, of the fields that the form has."""
        return self._grouped(GROUPS)

    @property
    def folded(self) -> list[Group]:
        """What may stay as it is."""
        return self._grouped(FOLDED)

    @property
    def is_unfolded(self) -> bool:
        """Whether something is wrong with a field that would be out of sight."""
        return any(field.errors for group in self.folded for field in group.fields)

    def _grouped(self, groups: Named) -> list[Group]:
        present = [
            (title, [name for name in names if name in self.fields]) for title, names in groups
        ]
        return [
            Group(str(title), [self[name] for name in names]) for title, names in present if names
        ]

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
        label=pgettext("judge", "심사"),
        sampling={"temperature": 0, "top_p": 1, "seed": 1, "max_tokens": 2000},
    )
    values = {name: getattr(made, name) for name in NAMES if name != "sampling"}
    # None of these is a limit of zero: nothing is typed where nothing is limited.
    values["sample_rows"] = made.sample_rows or None
    return {**values, **{name: made.sampling.get(name) for name in SAMPLING}}
