"""Forms: they read what a person typed and nothing more; the rules live in the actions."""

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import validate_preset, validate_tokenizer


class JoinForm(forms.Form):
    """A team's name, or none: then the action makes one from the username."""

    team_name = forms.CharField(
        label=_("팀 이름"),
        max_length=40,
        required=False,
        strip=True,
        help_text=_("40자까지. 리더보드에 그대로 보입니다. 비워 두면 사용자 이름을 씁니다."),
    )


class NoteForm(forms.Form):
    """What a team writes beside its own submission."""

    method_name = forms.CharField(label=_("방법 이름"), max_length=80, required=False)
    note = forms.CharField(label=_("메모"), max_length=500, required=False)


class SubmitForm(NoteForm):
    """The fields beside the file. `key` makes a repeated click one submission."""

    key = forms.CharField(max_length=64, widget=forms.HiddenInput)


class GoldsForm(forms.Form):
    """How a new scoring version is to be made from the uploaded files."""

    preset = forms.CharField(label=_("채점 방식"), validators=[validate_preset])
    tokenizer = forms.CharField(label=_("형태소 분석기"), validators=[validate_tokenizer])
    seed = forms.IntegerField(
        label=_("나누기 씨앗"),
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text=_("파일에 split 열이 없을 때 이 수로 public과 private을 나눕니다."),
    )


class PutInTeamForm(forms.Form):
    """One person into one team."""

    username = forms.CharField(label=_("사용자 이름"), max_length=150)
    team = forms.UUIDField(label=_("팀"))
