"""Forms of the desk: a contest itself, its files, its people, its teams."""

import zoneinfo
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from leaderboard.actions import discipline, teams
from leaderboard.competitions.models import (
    Competition,
    Organizer,
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


class JoinForm(forms.Form):
    """A team's name (or none: then the action makes one), and what the contest asks for.

    The view takes away `code` and `email` where the contest does not ask.
    """

    code = forms.CharField(label=_("참가 코드"), max_length=60)
    email = forms.CharField(
        label=_("이메일"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text=_("주최자의 명단에 적힌 주소입니다. 이 대회에서만 쓰고, 주최자가 봅니다."),
    )
    team_name = forms.CharField(
        label=_("팀 이름"),
        max_length=40,
        required=False,
        strip=True,
        help_text=_(
            "40자까지. 리더보드에 그대로 보입니다. 비워 두면 사용자 이름을, "
            "학번으로 보이면 ‘참가자’를 씁니다."
        ),
    )
    terms = forms.IntegerField(required=False, widget=forms.HiddenInput)
    accepted = forms.BooleanField(label=_("약관을 읽었고 동의합니다"), required=False)

    def agreed_to(self) -> int | None:
        """The number of the wording that was on the page, if the box was ticked."""
        number: int | None = self.cleaned_data["terms"]
        return number if self.cleaned_data["accepted"] else None


class AcceptForm(forms.Form):
    """Agreeing to the wording of this number."""

    terms = forms.IntegerField(widget=forms.HiddenInput)
    accepted = forms.BooleanField(label=_("약관을 읽었고 동의합니다"))


class AppointForm(forms.Form):
    """Who gets which role. `seen` is the key of the account that was shown before."""

    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)

    username = forms.CharField(label=_("사용자 이름"), max_length=150)
    role = forms.ChoiceField(
        label=_("역할"), choices=Organizer.Role.choices, initial=Organizer.Role.EDITOR
    )


class RegistrationForm(forms.Form):
    """How people come in."""

    registration = forms.ChoiceField(label=_("참가 방법"), choices=Competition.Registration.choices)
    code = forms.CharField(
        label=_("참가 코드"),
        max_length=60,
        required=False,
        help_text=_(
            "영문자, 숫자, 붙임표로 6자부터 40자까지. 큰 글자와 작은 글자를 가리지 않습니다."
        ),
    )
    emails = LinesField(
        label=_("이메일 명단"),
        max_length=600_000,
        required=False,
        help_text=_("한 줄에 주소 하나. 지금 명단을 이 내용으로 바꿉니다."),
    )


class TermsForm(forms.Form):
    """A new wording of the terms."""

    text = LinesField(label=_("약관 (Markdown)"), required=False)
    text_en = LinesField(label=_("약관 (영어)"), required=False)


class GrantForm(forms.Form):
    """So many more for one contest day, and why."""

    amount = forms.IntegerField(
        label=_("횟수"), min_value=1, max_value=teams.MOST_GRANTED, initial=1
    )
    day = forms.DateField(
        label=_("대회 날짜"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    reason = forms.CharField(label=_("까닭"), max_length=teams.REASON_LENGTH)


class WarnForm(forms.Form):
    """What every member is to read."""

    reason = forms.CharField(
        label=_("까닭"),
        max_length=discipline.WARNING_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class DisqualifyForm(forms.Form):
    """Why the team stands on no board any more."""

    reason = forms.CharField(label=_("까닭"), max_length=discipline.REASON_LENGTH)


class ReinstateForm(forms.Form):
    """Why it stands there again; may be left empty."""

    reason = forms.CharField(label=_("까닭"), max_length=discipline.REASON_LENGTH, required=False)


ADDRESS = RegexValidator(r"^[a-z0-9]+(?:-[a-z0-9]+)*\Z", _("소문자, 숫자, -만 씁니다."))


class CloneForm(forms.Form):
    """Another contest like this one."""

    slug = forms.CharField(
        label=_("새 주소"),
        max_length=50,
        validators=[ADDRESS],
        help_text=_("/c/ 뒤에 붙습니다. 소문자, 숫자, -만. 나중에 바꿀 수 없습니다."),
    )
    opens_at = MinuteField(
        label=_("시작"),
        required=False,
        validators=IN_RANGE,
        help_text=_(
            "다른 날짜도 같은 만큼 옮깁니다. 미리 적힌 것은 같은 요일과 시각의 가까운 앞날입니다."
        ),
    )


class ImportForm(forms.Form):
    """A contest's file. `seen` is the hash of the file that was checked; a small one is `carried`
    through the page, so that it need not be chosen again."""

    file = forms.FileField(label=_("대회 파일 (ZIP)"), required=False)
    slug = forms.CharField(
        label=_("다른 주소로"),
        max_length=50,
        required=False,
        validators=[ADDRESS],
        help_text=_("적으면 새 id로 따로 만듭니다. 비워 두면 파일의 주소와 id를 그대로 씁니다."),
    )
    seen = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    carried = forms.CharField(required=False, widget=forms.HiddenInput)
