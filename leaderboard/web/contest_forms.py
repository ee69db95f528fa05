"""Forms of a contest itself: making it, its pages and rules, its files."""

import zoneinfo
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import (
    Competition,
    validate_preset,
    validate_tokenizer,
    validate_zone,
)
from leaderboard.web.forms import (
    IN_RANGE,
    LinesField,
    MinuteField,
    preset_choices,
    tokenizer_choices,
)

TEXT_LENGTH = 20_000
MOST = 10_000  # of anything counted: beyond it a limit limits nothing


class CountField(forms.IntegerField):
    """A whole number of things, at least one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=MOST, **options)


class LimitsForm(forms.Form):
    """How much a team may hand in."""

    daily_limit = CountField(
        label=_("하루 제출"), help_text=_("팀마다. 하루는 대회 시간대의 자정에 바뀝니다.")
    )
    total_limit = CountField(
        label=_("전체 제출"),
        required=False,
        help_text=_("대회 동안 모두. 비워 두면 제한이 없습니다."),
    )
    max_waiting = CountField(label=_("동시 대기"), help_text=_("팀마다 채점을 기다릴 수 있는 제출"))


class NewContestForm(LimitsForm):
    """What a contest cannot be without. Golds, pages and files come afterwards, on the desk."""

    slug = forms.CharField(
        label=_("주소"),
        max_length=50,
        validators=[RegexValidator(r"^[a-z0-9]+(?:-[a-z0-9]+)*\Z", _("소문자, 숫자, -만 씁니다."))],
        help_text=_("/c/ 뒤에 붙습니다. 소문자, 숫자, -만. 나중에 바꿀 수 없습니다."),
    )
    title = forms.CharField(label=_("제목"), max_length=120)
    title_en = forms.CharField(label=_("제목 (영어)"), max_length=120, required=False)
    zone = forms.CharField(
        label=_("시간대"),
        max_length=64,
        validators=[validate_zone],
        widget=forms.TextInput(attrs={"list": "zones"}),
    )
    opens_at = MinuteField(label=_("시작"), validators=IN_RANGE)
    closes_at = MinuteField(label=_("마감"), validators=IN_RANGE)
    reveals_at = MinuteField(label=_("결과 공개"), validators=IN_RANGE)
    preset = forms.ChoiceField(
        label=_("채점 방식"),
        choices=preset_choices,
        validators=[validate_preset],
        help_text=_("정답을 올릴 때마다 다시 고를 수 있습니다."),
    )
    tokenizer = forms.ChoiceField(
        label=_("형태소 분석기"),
        choices=tokenizer_choices,
        validators=[validate_tokenizer],
        help_text=_(
            "요약을 자르는 도구입니다. 분석기가 다르면 점수도 달라 서로 견줄 수 없습니다. "
            "정답을 올릴 때마다 다시 고를 수 있습니다."
        ),
    )
    is_private = forms.BooleanField(label=_("비공개 대회: 참가자만 볼 수 있음"), required=False)


def zones() -> list[str]:
    """Names of zones to choose from, as the datalist offers them."""
    return sorted(name for name in zoneinfo.available_timezones() if "/" in name)


class PageField(LinesField):
    """A page in Markdown, kept to the last line break: what was not touched has not changed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=TEXT_LENGTH, required=False, strip=False, **options)


class SettingsForm(LimitsForm):
    """A contest's pages and rules. Dates and registration have pages of their own."""

    title = forms.CharField(label=_("제목"), max_length=120)
    title_en = forms.CharField(label=_("제목 (영어)"), max_length=120, required=False)
    introduction = PageField(label=_("소개 (Markdown)"))
    introduction_en = PageField(label=_("소개 (영어)"))
    rules = PageField(label=_("룰 (Markdown)"))
    rules_en = PageField(label=_("룰 (영어)"))
    max_cell = CountField(label=_("요약 한 칸의 글자 수"))
    late_entries = forms.BooleanField(label=_("마감 뒤 제출 받기 (순위 없음)"), required=False)
    finals_rule = forms.ChoiceField(label=_("private 순위"), choices=Competition.FinalsRule.choices)
    board_needs_sign_in = forms.BooleanField(
        label=_("순위표는 로그인한 사람에게만"), required=False
    )
    is_private = forms.BooleanField(label=_("비공개 대회: 참가자만 볼 수 있음"), required=False)


class DescriptionForm(forms.Form):
    """What a file for participants is."""

    description = LinesField(label=_("설명"), max_length=500, required=False)
    description_en = LinesField(label=_("설명 (영어)"), max_length=500, required=False)
