"""Forms: they read what a person typed and nothing more; the rules live in the actions."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.boards.columns import label
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import validate_preset, validate_tokenizer
from leaderboard.web.stored import StoredForm
from scoring import metrics, tokenizers
from scoring.profile import PRESETS
from scoring.tokenizers import java, tags


class NoteForm(forms.Form):
    method_name = forms.CharField(
        label=_("Method"),
        max_length=80,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    note = forms.CharField(
        label=_("Note"),
        max_length=500,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("only our team sees it"),
    )


class SubmitForm(NoteForm):
    """The fields beside the file. `key` makes a repeated click one submission."""

    key = forms.CharField(max_length=64, widget=forms.HiddenInput)


PRESET_WORDS = {
    "max-sum": _("best gold per metric, added up"),
    "mean-sum": _("mean over golds, added up"),
    "stages": _("mean over golds, mean of metrics, out of 100"),
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


def beside_choices() -> list[tuple[str, str]]:
    return [(name, label(name)) for name in metrics.BESIDE]


TAG_WORDS = {
    "keep": _("as the tokenizer cuts them"),
    "atomic": _("one token each"),
    "drop": _("not counted"),
}


def tag_choices() -> list[tuple[str, str]]:
    return [(mode, f"{mode} · {words}") for mode, words in TAG_WORDS.items()]


class TagFormsField(forms.CharField):
    """Forms of speaker tags with blanks between them: `화자* [S*]`."""

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
    preset = forms.CharField(label=_("Preset"), max_length=20, validators=[validate_preset])
    tokenizer = forms.CharField(
        label=_("Tokenizer"), max_length=20, validators=[validate_tokenizer]
    )
    beside = forms.MultipleChoiceField(
        label=_("Beside the total"), choices=beside_choices, required=False
    )
    tags = forms.TypedChoiceField(
        label=_("Speaker tags"), choices=tag_choices, required=False, empty_value="keep"
    )
    tag_forms = TagFormsField(label=_("Other tags"), max_length=100, required=False)


class RedraftForm(ProfileForm):
    """A version whose golds are to count in another way."""

    version = forms.UUIDField(label=_("Scoring version"))


class SwitchForm(forms.Form):
    """Making a rehearsed version live: why, and whether what has no score may stay without."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=200,
        required=False,
        help_text=_("Goes into the log and the announcement. Do not write any gold text here."),
    )
    accept_failed = forms.BooleanField(required=False)


class PutInTeamForm(forms.Form):
    username = forms.CharField(label=pgettext_lazy("account", "Username"), max_length=150)
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
        help_text=_(
            "From then until the reveal, the other teams’ rows are frozen for participants."
        ),
    )
    closes_at = MinuteField(label=_("Closes"))
    reveals_at = MinuteField(label=_("Results revealed"))
    reason = forms.CharField(label=_("Reason"), max_length=200, required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if self.touched & {"closes_at", "reveals_at"}:  # dates of before stay valid
            keep_apart(self)
        return cleaned


def reason_form(most: int, *, required: bool = True, rows: int = 0) -> type[forms.Form]:
    """A form that asks why, in at most so many characters."""

    class ReasonForm(forms.Form):
        reason = forms.CharField(
            label=_("Reason"),
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
        help_text=_("Their names, one a line; only with the recipient “Chosen teams”."),
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

    reason = forms.CharField(label=_("Reason"), max_length=300)
    reason_shown = forms.BooleanField(
        label=_("Show the reason to the team"), required=False, initial=True
    )
