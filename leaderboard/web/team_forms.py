"""Forms of the desk's decisions about one team; the rules live in the actions."""

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboard.actions import discipline, teams


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
