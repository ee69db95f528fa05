"""Forms about people: joining, terms, organizers and registration."""

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import Competition, Organizer
from leaderboard.web.forms import LinesField


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
