"""Forms: they read what a person typed and nothing more; the rules live in the actions."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.names import TEAM_LENGTH
from leaderboard.actions import discipline, teams
from leaderboard.boards.columns import label
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import (
    Competition,
    Organizer,
    validate_zone,
    zone_names,
)
from leaderboard.web.stored import StoredForm
from scoring import metrics, tokenizers
from scoring.profile import PRESETS
from scoring.tokenizers import java, tags

username_field = partial(
    forms.CharField, label=pgettext_lazy("account", "Username"), max_length=150
)
reason_field = partial(forms.CharField, label=_("Reason"))
# One line that browsers do not fill in.
once_field = partial(forms.CharField, widget=forms.TextInput(attrs={"autocomplete": "off"}))


class NoteForm(forms.Form):
    method_name = once_field(label=_("Method"), max_length=80, required=False)
    note = once_field(
        label=_("Note"), max_length=500, required=False, help_text=_("only our team sees it")
    )


class SubmitForm(NoteForm):
    """The fields beside the file. `key` makes a repeated click one submission."""

    key = forms.CharField(max_length=64, widget=forms.HiddenInput)


PRESET_WORDS = {
    "max-sum": _("best reference per metric, added up"),
    "mean-sum": _("mean over references, added up"),
    "stages": _("mean over references, mean of metrics, out of 100"),
}
TOKENIZER_WORDS = {
    "mecab-ko": _("the default, and the fastest"),
    **dict.fromkeys(java.NAMES, _("KoNLPy, needs Java")),
    "chars": _("single characters"),
    "whitespace": _("blank-separated words, particles included"),
}


def preset_choices() -> list[tuple[str, str]]:
    return [(name, f"{name} · {PRESET_WORDS[name]}") for name in PRESETS]


def tokenizer_choices() -> list[tuple[str, str]]:
    """The analyzers, each with a word on what it does and whether this server has it."""
    missing = gettext("not on this server")
    said = {name: f"{name} · {TOKENIZER_WORDS[name]}" for name in tokenizers.NAMES}
    return [
        (name, text if tokenizers.available(name) else f"{text} · {missing}")
        for name, text in said.items()
    ]


TAG_WORDS = {
    "keep": _("as the tokenizer splits them"),
    "atomic": _("one token each"),
    "drop": _("not counted"),
}


class TagFormsField(forms.CharField):
    """Forms of speaker tags with blanks between them: `화자* [S*]`."""

    widget = forms.TextInput(attrs={"autocomplete": "off"})
    default_error_messages = {
        "tag_form": _(
            "Write a tag with * for its number, such as %(usual)s: something before the *, no "
            "digit beside it. At most %(most)d."
        )
    }

    def clean(self, value: object) -> list[str]:
        found: list[str] = super().clean(value).split()
        try:
            for one in found:
                tags.refuse_form(one)
        except ValueError:
            found = []
        if len(found) > tags.MOST_FORMS or (value and not found):
            given = {"usual": tags.USUAL_FORM, "most": tags.MOST_FORMS}
            raise forms.ValidationError(self.error_messages["tag_form"], "tag_form", given)
        return found


class ProfileForm(forms.Form):
    """How a version counts."""

    preset = forms.ChoiceField(label=_("Preset"), choices=preset_choices)
    tokenizer = forms.ChoiceField(label=_("Tokenizer"), choices=tokenizer_choices)
    tags = forms.TypedChoiceField(
        label=_("Speaker tags"),
        choices=lambda: [(mode, f"{mode} · {words}") for mode, words in TAG_WORDS.items()],
        required=False,
        empty_value="keep",
    )
    tag_forms = TagFormsField(
        label=_("Other tags"),
        max_length=100,
        required=False,
        help_text=_("#Person*# is always a tag. Separate others with spaces; * is the number."),
    )
    beside = forms.MultipleChoiceField(
        label=_("Beside the total"),
        choices=lambda: [(name, label(name)) for name in metrics.BESIDE],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


class ReferencesForm(ProfileForm):
    """The settings that come with uploaded references."""

    new_split = forms.BooleanField(label=_("Draw a new public/private split"), required=False)


class SwitchForm(forms.Form):
    """Making a rehearsed version live: why, and whether what has no score may stay without."""

    reason = reason_field(
        max_length=200,
        required=False,
        help_text=_("Shown in the log and the announcement. Do not write any reference text here."),
    )
    accept_failed = forms.BooleanField(required=False)


class PutInTeamForm(forms.Form):
    username = username_field()
    team = forms.UUIDField(label=_("Team"))


class MinuteField(forms.DateTimeField):
    """A date and time to the minute, in the zone that is current while the form is used."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    # Nobody plans outside; at the ends of the calendar a change of zone would overflow.
    default_validators = [
        MinValueValidator(datetime(2000, 1, 1, tzinfo=UTC)),
        MaxValueValidator(datetime(2200, 1, 1, tzinfo=UTC)),
    ]


# Between close and reveal: until then what was sent in time is here and decided.
APART = timedelta(minutes=10)


def keep_apart(form: forms.Form) -> None:
    """Refuse a reveal that comes soon after the close. The order of the dates is the action's."""
    closes, reveals = (form.cleaned_data.get(name) for name in ("closes_at", "reveals_at"))
    if closes and reveals and closes <= reveals < closes + APART:
        form.add_error(
            "reveals_at", _("Leave at least 10 minutes between the close and the reveal.")
        )


class DatesForm(StoredForm):
    """A contest's dates, read and written in its own zone, and why they move."""

    opens_at = MinuteField(label=_("Opens"))
    team_merge_until = MinuteField(label=_("Last day to merge teams"), required=False)
    freezes_at = MinuteField(
        label=_("Board freeze"),
        required=False,
        help_text=_("From this time until the reveal, participants see other teams’ rows frozen."),
    )
    closes_at = MinuteField(label=_("Closes"))
    reveals_at = MinuteField(label=_("Results revealed"))
    reason = reason_field(max_length=200, required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if self.touched & {"closes_at", "reveals_at"}:  # dates of before stay valid
            keep_apart(self)
        return cleaned


def reason_form(most: int, *, required: bool = True, rows: int = 0) -> type[forms.Form]:
    """A form that asks why, in at most so many characters."""

    class ReasonForm(forms.Form):
        reason = reason_field(
            max_length=most,
            required=required,
            widget=forms.Textarea(attrs={"rows": rows}) if rows else forms.TextInput,
        )

    return ReasonForm


class LinesField(forms.CharField):
    """Text of several lines. Browsers send two characters for each line break; here it is one."""

    widget = forms.Textarea(attrs={"rows": 5})

    def to_python(self, value: object) -> str | None:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if text else text


class CorrectionForm(forms.Form):
    text = LinesField(label=_("Content"), max_length=2000)
    text_en = LinesField(label=_("Text (English)"), max_length=2000, required=False)


class CorrectForm(StoredForm, CorrectionForm):
    """Other words for an announcement."""


class AnnouncementForm(CorrectionForm):
    """What is said to whom. `teams` holds names: a contest may have thousands to choose from."""

    audience = forms.ChoiceField(label=_("Recipient"), choices=Announcement.Audience.choices)
    teams = LinesField(
        label=_("Chosen teams"),
        max_length=10_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Team names, one per line. Only for the recipient “Chosen teams”."),
    )
    pinned = forms.BooleanField(label=_("Pin to the top"), required=False)


class BaselineForm(forms.Form):
    """What a baseline is called on the board. Its file comes beside the form."""

    name = forms.CharField(
        label=_("Name"),
        max_length=40,
        help_text=_("Up to 40 characters. The leaderboard shows it marked as a baseline."),
    )


class ExcludeForm(forms.Form):
    """Why a submission goes off the boards, and whether its team may read that."""

    reason = reason_field(max_length=300)
    reason_shown = forms.BooleanField(
        label=_("Show the reason to the team"), required=False, initial=True
    )


# --- Of a contest itself, its files, its people, its teams ----------------------------------------

TEXT_LENGTH = 20_000
CARRIED_BYTES = 3_000_000  # of an imported file; three bytes are four characters of a page
MOST = 10_000  # of anything counted: beyond it a limit limits nothing


count_field = partial(forms.IntegerField, min_value=1, max_value=MOST)
# What comes after /c/ in a contest's address.
_IN_ADDRESS = RegexValidator(
    r"^[a-z0-9]+(?:-[a-z0-9]+)*\Z", _("Use lower-case letters, digits and - only.")
)
address_field = partial(forms.CharField, max_length=50, validators=[_IN_ADDRESS])
WHERE = _(
    "The part after /c/ in the address. Lower-case letters, digits and - only. It cannot be "
    "changed later."
)


class ContestForm(forms.Form):
    title = forms.CharField(label=_("Title"), max_length=120)
    title_en = forms.CharField(label=_("Title (English)"), max_length=120, required=False)
    is_private = forms.BooleanField(
        label=_("Private competition: only participants can see it"), required=False
    )
    daily_limit = count_field(
        label=_("Submissions a day"),
        help_text=_("Per team. A day begins at midnight in the competition's time zone."),
    )
    total_limit = count_field(
        label=_("Submissions in total"),
        required=False,
        help_text=_("During the whole competition. Empty: no limit."),
    )
    max_waiting = count_field(
        label=_("Waiting at once"), help_text=_("Submissions of a team that can wait for scoring")
    )


class NewContestForm(ContestForm):
    """What a contest cannot be without. Golds, pages and files come afterwards, on the desk."""

    slug = address_field(label=_("Address"), help_text=WHERE)
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
        help_text=_("You can choose again with each upload of references."),
    )
    tokenizer = forms.ChoiceField(
        label=_("Tokenizer"),
        choices=tokenizer_choices,
        help_text=_(
            "It splits the summaries into morphemes. Scores of different tokenizers cannot be "
            "compared. You can choose again with each upload of references."
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        keep_apart(self)
        return cleaned


def zones() -> list[str]:
    """Names of zones to choose from, as the datalist offers them."""
    return sorted(name for name in zone_names() if "/" in name)


# A page in Markdown, kept to the last line break: what was not touched has not changed.
page_field = partial(LinesField, max_length=TEXT_LENGTH, required=False, strip=False)


class SettingsForm(StoredForm, ContestForm):
    """A contest's pages and rules. Dates and registration have pages of their own."""

    introduction = page_field(label=_("Introduction (Markdown)"))
    introduction_en = page_field(label=_("Introduction (English)"))
    rules = page_field(label=_("Rules (Markdown)"))
    rules_en = page_field(label=_("Rules (English)"))
    max_cell = count_field(label=_("Characters of one summary"))
    max_team_size = count_field(
        label=_("People in a team"),
        help_text=_("Existing larger teams stay as they are."),
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
        help_text=_(
            "Participants can write in it. The forum of a private competition is for "
            "its participants and organizers only."
        ),
    )


class DescriptionForm(forms.Form):
    description = LinesField(label=_("Description"), max_length=500, required=False)
    description_en = LinesField(label=_("Description (English)"), max_length=500, required=False)


class DescribeForm(StoredForm, DescriptionForm):
    """The words of a file that is there."""


class AppointForm(forms.Form):
    """Who gets which role."""

    username = username_field()
    role = forms.ChoiceField(
        label=_("Role"), choices=Organizer.Role.choices, initial=Organizer.Role.EDITOR
    )


class RegistrationForm(StoredForm):
    registration = forms.ChoiceField(
        label=_("Who can join"),
        choices=Competition.Registration.choices,
        widget=forms.RadioSelect,
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
        help_text=_("One address per line. This list replaces the current one."),
    )


class TermsForm(StoredForm):
    text = LinesField(label=_("Terms (Markdown)"), max_length=TEXT_LENGTH, required=False)
    text_en = LinesField(label=_("Terms (English)"), max_length=TEXT_LENGTH, required=False)


class GrantForm(forms.Form):
    amount = forms.IntegerField(
        label=_("Count"), min_value=1, max_value=teams.MOST_GRANTED, initial=1
    )
    day = forms.DateField(
        label=_("Contest day"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    reason = reason_field(max_length=teams.REASON_LENGTH)


class RenameForm(StoredForm):
    """What the team is to be called, and why; its members read both."""

    name = forms.CharField(label=_("New name"), max_length=TEAM_LENGTH)
    reason = reason_field(max_length=discipline.REASON_LENGTH)


class CaptainForm(forms.Form):
    """Who is to lead the team, and why; its members read both."""

    username = forms.CharField(label=_("New captain"), max_length=150)
    reason = reason_field(max_length=discipline.REASON_LENGTH)


class CloneForm(forms.Form):
    """What a clone does not take from its model."""

    title = forms.CharField(label=_("Title"), max_length=120)
    slug = address_field(label=_("New address"), help_text=WHERE)


class ImportForm(forms.Form):
    """A contest's file. `seen` is the hash of the file that was checked; a small one is `carried`
    through the page, so that it need not be chosen again."""

    file = forms.FileField(label=_("Competition file (ZIP)"), required=False)
    slug = address_field(
        label=_("Under another address"),
        required=False,
        help_text=_(
            "With an address, everything gets new ids. If empty, the file's address and ids are "
            "used."
        ),
    )
    seen = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    carried = forms.CharField(
        max_length=4 * CARRIED_BYTES // 3, required=False, widget=forms.HiddenInput
    )
