"""Forms of the desk: a contest itself, its files, its people, its teams."""

from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.accounts.names import TEAM_LENGTH
from leaderboard.actions import discipline, teams
from leaderboard.actions.competition import TERMS_LENGTH
from leaderboard.competitions.models import (
    Competition,
    Organizer,
    validate_preset,
    validate_tokenizer,
    validate_zone,
    zone_names,
)
from leaderboard.web.forms import (
    LinesField,
    MinuteField,
    keep_apart,
    preset_choices,
    tokenizer_choices,
)
from leaderboard.web.stored import StoredForm

TEXT_LENGTH = 20_000
CARRIED_BYTES = 3_000_000  # of an imported file; three bytes are four characters of a page
MOST = 10_000  # of anything counted: beyond it a limit limits nothing


class CountField(forms.IntegerField):
    """A whole number of things, at least one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=MOST, **options)


class AddressField(forms.CharField):
    """What comes after /c/ in a contest's address."""

    default_validators = [
        RegexValidator(
            r"^[a-z0-9]+(?:-[a-z0-9]+)*\Z", _("Use lower-case letters, digits and - only.")
        )
    ]

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=50, **options)


WHERE = _(
    "It comes after /c/ in the address. Lower-case letters, digits and - only. It "
    "cannot be changed later."
)


class ContestForm(forms.Form):
    title = forms.CharField(label=_("Title"), max_length=120)
    title_en = forms.CharField(label=_("Title (English)"), max_length=120, required=False)
    is_private = forms.BooleanField(
        label=_("Private competition: only participants can see it"), required=False
    )
    daily_limit = CountField(
        label=_("Submissions a day"),
        help_text=_("Per team. A day begins at midnight in the competition's time zone."),
    )
    total_limit = CountField(
        label=_("Submissions in all"),
        required=False,
        help_text=_("During the whole competition. Empty: no limit."),
    )
    max_waiting = CountField(
        label=_("Waiting at once"), help_text=_("Submissions of a team that may wait for scoring")
    )


class NewContestForm(ContestForm):
    """What a contest cannot be without. Golds, pages and files come afterwards, on the desk."""

    slug = AddressField(label=_("Address"), help_text=WHERE)
    zone = forms.CharField(
        label=_("Time zone"),
        max_length=64,
        validators=[validate_zone],
        widget=forms.TextInput(attrs={"list": "zones"}),
    )
    opens_at = MinuteField(label=_("Opens"))
    closes_at = MinuteField(label=_("Closes"))
    reveals_at = MinuteField(label=_("Results revealed"))
    preset = forms.ChoiceField(
        label=_("Preset"),
        choices=preset_choices,
        validators=[validate_preset],
        help_text=_("You can choose again with each upload of golds."),
    )
    tokenizer = forms.ChoiceField(
        label=_("Tokenizer"),
        choices=tokenizer_choices,
        validators=[validate_tokenizer],
        help_text=_(
            "It cuts the summaries. Scores of different tokenizers cannot be compared. You can "
            "choose again with each upload of golds."
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        keep_apart(self)
        return cleaned


def zones() -> list[str]:
    """Names of zones to choose from, as the datalist offers them."""
    return sorted(name for name in zone_names() if "/" in name)


class PageField(LinesField):
    """A page in Markdown, kept to the last line break: what was not touched has not changed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=TEXT_LENGTH, required=False, strip=False, **options)


class SettingsForm(StoredForm, ContestForm):
    """A contest's pages and rules. Dates and registration have pages of their own."""

    introduction = PageField(label=_("Introduction (Markdown)"))
    introduction_en = PageField(label=_("Introduction (English)"))
    rules = PageField(label=_("Rules (Markdown)"))
    rules_en = PageField(label=_("Rules (English)"))
    max_cell = CountField(label=_("Characters of one summary"))
    max_team_size = CountField(
        label=_("People in a team"),
        help_text=_("Larger teams that exist already stay as they are."),
    )
    late_entries = forms.BooleanField(
        label=_("Accept entries after the close (unranked)"), required=False
    )
    finals_rule = forms.ChoiceField(
        label=_("Private ranks"), choices=Competition.FinalsRule.choices
    )
    board_needs_sign_in = forms.BooleanField(
        label=_("Leaderboard for signed-in people only"), required=False
    )
    forum_readers = forms.ChoiceField(
        label=_("Who reads the forum"),
        choices=Competition.ForumReaders.choices,
        help_text=_("Who takes part writes in it. That of a private competition is its people's."),
    )


class DescriptionForm(forms.Form):
    description = LinesField(label=_("Description"), max_length=500, required=False)
    description_en = LinesField(label=_("Description (English)"), max_length=500, required=False)


class DescribeForm(StoredForm, DescriptionForm):
    """The words of a file that is there."""


class AppointForm(forms.Form):
    """Who gets which role. `seen` is the key of the account that was shown before."""

    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)

    username = forms.CharField(label=pgettext_lazy("account", "Username"), max_length=150)
    role = forms.ChoiceField(
        label=_("Role"), choices=Organizer.Role.choices, initial=Organizer.Role.EDITOR
    )


class RegistrationForm(StoredForm):
    registration = forms.ChoiceField(
        label=_("How people join"), choices=Competition.Registration.choices
    )
    code = forms.CharField(
        label=_("Code to join"),
        max_length=60,
        required=False,
        help_text=_("6 to 40 letters, digits and hyphens; upper and lower case are the same."),
    )
    emails = LinesField(
        label=_("List of mail addresses"),
        max_length=600_000,
        required=False,
        help_text=_("One address a line. What stands here replaces the list."),
    )


class TermsForm(StoredForm):
    text = LinesField(label=_("Terms (Markdown)"), max_length=TERMS_LENGTH, required=False)
    text_en = LinesField(label=_("Terms (English)"), max_length=TERMS_LENGTH, required=False)


class GrantForm(forms.Form):
    amount = forms.IntegerField(
        label=_("Count"), min_value=1, max_value=teams.MOST_GRANTED, initial=1
    )
    day = forms.DateField(
        label=_("Contest day"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    reason = forms.CharField(label=_("Reason"), max_length=teams.REASON_LENGTH)


class RenameForm(StoredForm):
    """What the team is to be called, and why; its members read both."""

    name = forms.CharField(label=_("New name"), max_length=TEAM_LENGTH)
    reason = forms.CharField(label=_("Reason"), max_length=discipline.REASON_LENGTH)


class CaptainForm(forms.Form):
    """Who is to lead the team, and why; its members read both."""

    username = forms.CharField(label=pgettext_lazy("account", "Username"), max_length=150)
    reason = forms.CharField(label=_("Reason"), max_length=discipline.REASON_LENGTH)


class CloneForm(forms.Form):
    slug = AddressField(label=_("New address"), help_text=WHERE)
    opens_at = MinuteField(
        label=_("Opens"),
        required=False,
        help_text=_(
            "The other dates move along. Proposed is a near date on the same weekday at the "
            "same time."
        ),
    )


class ImportForm(forms.Form):
    """A contest's file. `seen` is the hash of the file that was checked; a small one is `carried`
    through the page, so that it need not be chosen again."""

    file = forms.FileField(label=_("Competition file (ZIP)"), required=False)
    slug = AddressField(
        label=_("Under another address"),
        required=False,
        help_text=_(
            "With an address everything gets new ids. Left empty, the file's own address and "
            "ids are kept."
        ),
    )
    seen = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    carried = forms.CharField(
        max_length=4 * CARRIED_BYTES // 3, required=False, widget=forms.HiddenInput
    )
