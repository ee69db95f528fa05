"""Forms: they read what a person typed and nothing more; the rules live in the actions."""

from datetime import UTC, datetime

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from leaderboard.community.models import Announcement
from leaderboard.competitions.models import validate_preset, validate_tokenizer
from leaderboard.teams.models import Team
from scoring import java, metrics, tokenizers
from scoring.profile import PRESETS


class NoteForm(forms.Form):
    """What a team writes beside its own submission."""

    method_name = forms.CharField(
        label=_("방법 이름"),
        max_length=80,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    note = forms.CharField(
        label=_("메모"),
        max_length=500,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("우리 팀만 봅니다"),
    )


class SubmitForm(NoteForm):
    """The fields beside the file. `key` makes a repeated click one submission."""

    key = forms.CharField(max_length=64, widget=forms.HiddenInput)


PRESET_WORDS = {
    "max-sum": _("지표마다 최고 정답, 더하기"),
    "mean-sum": _("정답 평균, 더하기"),
    "stages": _("정답 평균, 지표 평균, 100점"),
}
TOKENIZER_WORDS = {
    "mecab-ko": _("기본값, 가장 빠름"),
    **dict.fromkeys(java.NAMES, _("KoNLPy, Java가 필요함")),
    "chars": _("글자마다"),
    "whitespace": _("띄어 쓴 낱말마다, 조사까지 같아야 맞음"),
}


def preset_choices() -> list[tuple[str, str]]:
    """The ways to count, each with a word on what it does."""
    return [(name, f"{name} · {PRESET_WORDS[name]}") for name in PRESETS]


def tokenizer_choices() -> list[tuple[str, str]]:
    """The analyzers, each with a word on what it does and whether this server has it."""
    missing = gettext("이 서버에는 없음")
    said = {name: f"{name} · {TOKENIZER_WORDS[name]}" for name in tokenizers.NAMES}
    return [
        (name, text if tokenizers.available(name) else f"{text} · {missing}")
        for name, text in said.items()
    ]


def beside_choices() -> list[tuple[str, str]]:
    """The metrics that a board may show beside the total."""
    return [(name, metrics.parse(name).label) for name in metrics.BESIDE]


class ProfileForm(forms.Form):
    """How a scoring version counts, and what it shows beside the total."""

    preset = forms.CharField(label=_("채점 방식"), validators=[validate_preset])
    tokenizer = forms.CharField(label=_("형태소 분석기"), validators=[validate_tokenizer])
    beside = forms.MultipleChoiceField(
        label=_("총점 옆에 보일 것"), choices=beside_choices, required=False
    )


class RedraftForm(ProfileForm):
    """A version whose golds are to count in another way."""

    version = forms.UUIDField(label=_("채점 기준"))


class GoldsForm(ProfileForm):
    """How a new scoring version is to be made from the uploaded files."""

    seed = forms.IntegerField(
        label=_("나누기 씨앗"),
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text=_("파일에 split 열이 없을 때 이 수로 public과 private을 나눕니다."),
    )


class SwitchForm(forms.Form):
    """Making a rehearsed version live: why, and whether what has no score may stay without."""

    reason = forms.CharField(
        label=_("까닭"),
        max_length=200,
        required=False,
        help_text=_("기록과 공지에 적힙니다. 정답 글은 적지 마세요."),
    )
    accept_failed = forms.BooleanField(required=False)


class PutInTeamForm(forms.Form):
    """One person into one team."""

    username = forms.CharField(label=_("사용자 이름"), max_length=150)
    team = forms.UUIDField(label=_("팀"))


# Nobody plans outside; at the ends of the calendar a change of zone would overflow.
IN_RANGE = (
    MinValueValidator(datetime(2000, 1, 1, tzinfo=UTC)),
    MaxValueValidator(datetime(2200, 1, 1, tzinfo=UTC)),
)


class MinuteField(forms.DateTimeField):
    """A date and time to the minute, in the zone that is current while the form is used."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


class DatesForm(forms.Form):
    """A contest's dates, read and written in its own zone, and why they move."""

    opens_at = MinuteField(label=_("시작"), validators=IN_RANGE)
    team_merge_until = MinuteField(label=_("팀 합치기 마감"), validators=IN_RANGE, required=False)
    freezes_at = MinuteField(
        label=_("순위표 고정"),
        validators=IN_RANGE,
        required=False,
        help_text=_("이때부터 결과 공개까지 참가자에게 다른 팀의 줄이 멈춰 보입니다."),
    )
    closes_at = MinuteField(label=_("마감"), validators=IN_RANGE)
    reveals_at = MinuteField(label=_("결과 공개"), validators=IN_RANGE)
    reason = forms.CharField(label=_("까닭"), max_length=200, required=False)


class PauseForm(forms.Form):
    """Why submissions stop for a while."""

    reason = forms.CharField(label=_("까닭"), max_length=200, required=False)


class LinesField(forms.CharField):
    """Text of several lines. Browsers send two characters for each line break; here it is one."""

    widget = forms.Textarea(attrs={"rows": 5})

    def to_python(self, value: object) -> str | None:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if text else text


class CorrectionForm(forms.Form):
    """The words of an announcement, in both languages."""

    text = LinesField(label=_("내용"), max_length=2000)
    text_en = LinesField(label=_("내용 (영어)"), max_length=2000, required=False)


class AnnouncementForm(CorrectionForm):
    """What is said to whom. The view narrows `teams` to those of the contest."""

    audience = forms.ChoiceField(label=_("받는 사람"), choices=Announcement.Audience.choices)
    teams = forms.ModelMultipleChoiceField(
        label=_("고른 팀"),
        queryset=Team.objects.none(),
        required=False,
        help_text=_("받는 사람이 ‘고른 팀’일 때만 씁니다."),
    )
    pinned = forms.BooleanField(label=_("위에 고정"), required=False)


class BaselineForm(forms.Form):
    """What a baseline is called on the board. Its file comes beside the form."""

    name = forms.CharField(
        label=_("이름"),
        max_length=40,
        help_text=_("40자까지. 리더보드에 기준선이라는 표시와 함께 보입니다."),
    )


class ExcludeForm(forms.Form):
    """Why a submission goes off the boards, and whether its team may read that."""

    reason = forms.CharField(label=_("까닭"), max_length=300)
    reason_shown = forms.BooleanField(label=_("팀에게 까닭을 보임"), required=False, initial=True)
