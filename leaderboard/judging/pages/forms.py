"""Forms around a judge column: its sections and limits, the items it asks, labels."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.judging.drafting import (
    CAPS,
    LONGEST_INSTRUCTION,
    SectionSettings,
)
from leaderboard.judging.items.review import LONGEST_ITEM
from leaderboard.judging.models import Artefact, Section
from leaderboard.web.forms import LinesField
from scoring.judges.labels import LONGEST, MOST_ROWS

MILLION = 1_000_000
MOST = 2_000_000_000
CHECKED = 3  # submissions that a file of items is made of where nobody chooses


class WholeField(forms.IntegerField):
    """A whole number, at least `least`."""

    def __init__(self, least: int = 1, most: int = MOST, **options: Any) -> None:
        super().__init__(min_value=least, max_value=most, **options)


class MoneyField(forms.DecimalField):
    """Money in its currency, to six decimals; kept in millionths. Empty is nothing."""

    def __init__(self, most: int = 1_000_000, least: Decimal = Decimal(0), **options: Any) -> None:
        super().__init__(
            min_value=least, max_value=most, decimal_places=6, required=False, **options
        )

    def clean(self, value: Any) -> int:
        return int((super().clean(value) or Decimal(0)) * MILLION)

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, int):
            return format((Decimal(value) / MILLION).normalize(), "f") if value else ""
        return value


class MoneyLimitField(MoneyField):
    """How much may be spent. Empty limits nothing, so a zero must not be taken for that."""

    def __init__(self, **options: Any) -> None:
        said = _("It must be more than 0. Leave it empty to set no limit of money.")
        super().__init__(least=Decimal(1) / MILLION, error_messages={"min_value": said}, **options)


class SectionForm(forms.Form):
    """One section; an empty name leaves it out."""

    name = forms.CharField(label=_("Name"), max_length=60, required=False)
    kind = forms.ChoiceField(label=_("Kind"), choices=Section.Kind.choices, required=False)
    instruction = LinesField(label=_("Instruction"), max_length=LONGEST_INSTRUCTION, required=False)
    allowed_values = LinesField(
        label=_("Allowed values"),
        required=False,
        help_text=_("One per line. Only for fixed values."),
    )

    def section(self) -> SectionSettings:
        """What was typed. Only of a valid form with a name."""
        values = (line.strip() for line in self.cleaned_data["allowed_values"].split("\n"))
        return SectionSettings(
            name=self.cleaned_data["name"],
            kind=self.cleaned_data["kind"],
            instruction=self.cleaned_data["instruction"],
            allowed_values=tuple(value for value in values if value),
        )


class BudgetForm(forms.Form):
    """How much more a column may cost. Empty fields raise nothing."""

    calls_in_all = WholeField(0, label=_("Total calls"), required=False)
    calls_per_team_day = WholeField(
        0, label=pgettext_lazy("short", "Calls per team and day"), required=False
    )
    calls_per_submission = WholeField(
        0, label=pgettext_lazy("short", "Calls per submission"), required=False
    )
    micros_in_all = MoneyField(label=_("Total money"))
    micros_per_team_day = MoneyField(label=_("Money per team and day"))
    micros_per_submission = MoneyField(label=_("Money per submission"))
    reason = forms.CharField(label=_("Reason"), max_length=300, required=False)

    def more(self) -> dict[str, int]:
        """The amounts, in calls and millionths. Only of a valid form."""
        return {name: self.cleaned_data[name] or 0 for name in CAPS}


class LabelItemsForm(forms.Form):
    """Of which items people want a file to label."""

    submission = forms.TypedMultipleChoiceField(coerce=UUID, required=False)
    dialogues = WholeField(1, MOST_ROWS, label=_("Number of dialogues"), required=False, initial=50)
    rater = forms.CharField(
        label=_("Rater"),
        max_length=LONGEST,
        required=False,
        help_text=_("Written into the rater cell of every row."),
    )

    def offer(self, submissions: Iterable[UUID]) -> None:
        """Let the organizer choose among these."""
        field = self.fields["submission"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(str(one), str(one)) for one in submissions]


class NewItemForm(forms.Form):
    """An item that the organizer adds; an empty text adds none."""

    kind = forms.ChoiceField(choices=Artefact.Kind.choices)
    text = forms.CharField(max_length=LONGEST_ITEM, required=False)
    rubric_id = forms.CharField(max_length=40, required=False)
    section_id = forms.IntegerField(min_value=1, required=False)
