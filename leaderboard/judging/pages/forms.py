"""Forms of a judge column: which model, what is judged, what it may cost; its sections."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext, pgettext_lazy

from leaderboard.judging.identity import (
    LONGEST_INSTRUCTION,
    LONGEST_VALUE,
    MOST_VALUES,
    NAMES,
    RUNNING,
)
from leaderboard.judging.models import JudgeConfig, Section
from leaderboard.web.forms import LinesField
from leaderboard.web.stored import StoredForm
from scoring.judges.pipelines import PIPELINES

MILLION = 1_000_000
MOST = 2_000_000_000


class WholeField(forms.IntegerField):
    def __init__(self, least: int = 1, most: int = MOST, **options: Any) -> None:
        super().__init__(min_value=least, max_value=most, **options)


class MoneyField(forms.DecimalField):
    """Money in its currency, to six decimals; kept in millionths. Empty is nothing."""

    def __init__(self, most: int = 1_000_000, **options: Any) -> None:
        options = {"min_value": 0, "max_value": most, "decimal_places": 6, **options}
        super().__init__(required=False, **options)

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
        least = Decimal(1) / MILLION
        super().__init__(min_value=least, error_messages={"min_value": said}, **options)


# Pipelines that judge a summary; the others make what is asked.
JUDGING = [name for name, pipeline in PIPELINES.items() if pipeline.systems]
SAMPLING = ("temperature", "top_p", "seed", "max_tokens", "reasoning_effort", "token_param")


Named = tuple[tuple[Any, tuple[str, ...]], ...]
Grouped = list[tuple[Any, list[forms.BoundField]]]
# What nobody can choose for the organizer.
GROUPS: Named = (
    (_("Model"), ("endpoint", "model")),
    (
        pgettext_lazy("group", "What is judged"),
        ("policy", "submissions_per_team_day", "sample_rows"),
    ),
    (_("Budget"), ("currency", "price_input", "price_output", "micros_in_all", "calls_in_all")),
)
# What has a default that serves; each says what it is for.
FOLDED: Named = (
    (_("Name and pipeline"), ("label", "pipeline", "language", "dialogue_set_id")),
    (_("What is asked"), ("questions_per_dialogue", "longest_summary", "longest_share")),
    (
        _("Narrower limits"),
        (
            "calls_per_submission",
            "calls_per_team_day",
            "micros_per_submission",
            "micros_per_team_day",
        ),
    ),
    (_("Sampling parameters"), ("structured", *SAMPLING)),
)


# What each field is for.
HELP = {
    "temperature": _(
        "0 by default: the same question gets the same answer as far as possible. Left "
        "empty, it is not sent."
    ),
    "top_p": _("1 by default: no candidate is cut off. Left empty, it is not sent."),
    "seed": _(
        "A number that helps to get the same answer again. Leave it empty if the server "
        "does not take one."
    ),
    "max_tokens": _(
        "So much of the budget is held for each call, and corrected to what it used when "
        "the answer comes."
    ),
    "token_param": _("Change it only if the server answers that it does not know max_tokens."),
    "reasoning_effort": _("For reasoning models only."),
    "endpoint": _("Connected by whoever runs this server. Dialogues and summaries are sent there."),
    "model": _("Use a name that never changes (a snapshot)."),
    "sample_rows": _(
        "Left empty: every row. Otherwise so many rows, spread evenly over dialogue "
        "lengths and the same for everybody."
    ),
    "price_input": _(
        "From the provider's price list. Left empty, the money spent is counted as 0."
    ),
    "micros_in_all": _(
        "Judging stops when it is used up and goes on when you raise it. Left empty, there "
        "is no limit of money."
    ),
    "calls_in_all": _("This limit always holds, whatever a call costs."),
    "label": _("Shown under the column's name on the leaderboard."),
    "pipeline": _(
        "shared asks once for each verdict; shared:3 asks three times, follows the "
        "majority and spends accordingly more. faithful does exactly what one published "
        "system does."
    ),
    "language": _(
        "The language of the instructions to the model. Dialogues and summaries are sent "
        "as they are."
    ),
    "dialogue_set_id": _(
        "Only sets with every dialogue of the live golds are listed. If there is just one, "
        "leave it."
    ),
    "questions_per_dialogue": _(
        "More questions check more, but there is more to make, to review and to ask."
    ),
    "longest_summary": _(
        "A summary longer than both this and the share below is not asked about and scores 0."
    ),
    "longest_share": _(
        # xgettext:no-python-format
        "0.8 means up to 80 % of the dialogue's length."
    ),
    "calls_per_submission": _("So that one submission cannot use up the budget."),
    "calls_per_team_day": _("So that one team cannot use up the budget in a day."),
    "micros_per_submission": _("Left empty, there is no limit of money."),
    "micros_per_team_day": _("Left empty, there is no limit of money."),
    "structured": _(
        "If the server does not know json_schema, choose json_object; if it does not know "
        "that either, the prompt only."
    ),
}


def in_words(form: type[forms.Form]) -> None:
    """Fields are called as the model calls them, if nothing else, and say what they are for."""
    called = {field.name: field.verbose_name for field in JudgeConfig._meta.fields}
    for name, field in form.declared_fields.items():
        if field.label is None:
            field.label = called[name]
        field.help_text = HELP.get(name, "")


class SamplingForm(forms.Form):
    """What is sent with each call; what is empty is not sent."""

    temperature = forms.FloatField(label=_("Temperature"), min_value=0, max_value=2, required=False)
    top_p = forms.FloatField(
        label=_("Cumulative probability (top_p)"), min_value=0, max_value=1, required=False
    )
    seed = WholeField(0, label=_("Seed"), required=False)
    max_tokens = WholeField(16, 100_000, label=_("Longest answer in tokens"))
    token_param = forms.ChoiceField(
        label=_("Name of the token limit"),
        choices=[(name, name) for name in ("max_tokens", "max_completion_tokens")],
    )
    reasoning_effort = forms.ChoiceField(
        label=_("Reasoning effort"),
        required=False,
        choices=[("", _("Not sent"))]
        + [(name, name) for name in ("none", "minimal", "low", "medium", "high")],
    )


class JudgeForm(StoredForm, SamplingForm):
    """A whole judge column. The view says which servers and dialogues there are."""

    endpoint = forms.ChoiceField(label=_("Judge server"))
    model = forms.CharField(max_length=120)
    policy = forms.ChoiceField(choices=JudgeConfig.Policy.choices)
    submissions_per_team_day = WholeField(1, 1_000)
    sample_rows = WholeField(1, 100_000, required=False)
    currency = forms.CharField(
        max_length=3,
        validators=[RegexValidator(r"^[A-Z]{3}\Z", _("Three capital letters, such as USD."))],
    )
    price_input = MoneyField(2_000, label=_("Price of a million input tokens"))
    price_output = MoneyField(2_000, label=_("Price of a million output tokens"))
    micros_in_all = MoneyLimitField(label=_("Limit of money in total"))
    calls_in_all = WholeField()
    label = forms.CharField(max_length=40)
    pipeline = forms.ChoiceField(choices=[(name, name) for name in JUDGING], initial="shared")
    language = forms.ChoiceField(choices=[("en", "English"), ("ko", "한국어")])
    dialogue_set_id = forms.TypedChoiceField(label=_("Dialogue set"), coerce=UUID)
    questions_per_dialogue = WholeField(1, 10)
    longest_summary = WholeField(1, 100_000)
    longest_share = forms.FloatField(min_value=0.01, max_value=10)
    calls_per_submission = WholeField()
    calls_per_team_day = WholeField()
    micros_per_submission = MoneyLimitField(label=_("Money limit per submission"))
    micros_per_team_day = MoneyLimitField(label=_("Money limit per team and day"))
    structured = forms.ChoiceField(choices=JudgeConfig.Structured.choices)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        limited = any(cleaned.get(name) for name in RUNNING if name.startswith("micros_"))
        if limited and not (cleaned.get("price_input") or cleaned.get("price_output")):
            said = _(
                "A limit of money needs prices. Enter them, or leave the limits of money empty."
            )
            self.add_error("price_input", said)
        return cleaned

    def groups(self) -> Grouped:
        return self._grouped(GROUPS)

    def folded(self) -> Grouped:
        return self._grouped(FOLDED)

    def is_unfolded(self) -> bool:
        """Whether something is wrong with a field that would be out of sight."""
        return any(field.errors for _, fields in self.folded() for field in fields)

    def _grouped(self, groups: Named) -> Grouped:
        found = (
            (title, [self[name] for name in names if name in self.fields])
            for title, names in groups
        )
        return [(title, fields) for title, fields in found if fields]

    def offer(self, **choices: Iterable[tuple[str, str]]) -> None:
        for name, those in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = list(those)

    def wanted(self) -> JudgeConfig:
        cleaned = self.cleaned_data
        sampling = {name: cleaned[name] for name in SAMPLING if cleaned[name] not in (None, "")}
        typed = {"sampling": sampling, "sample_rows": cleaned["sample_rows"] or 0}
        return JudgeConfig(**{name: cleaned[name] for name in NAMES if name not in typed}, **typed)


in_words(JudgeForm)


def initial_of(config: JudgeConfig | None) -> dict[str, Any]:
    """The form's values of this config, or those a new one starts with."""
    made = config or JudgeConfig(
        label=pgettext("judge", "Judge"),
        sampling={"temperature": 0, "top_p": 1, "seed": 1, "max_tokens": 2000},
    )
    values = {name: getattr(made, name) for name in NAMES if name != "sampling"}
    # None of these is a limit of zero: nothing is typed where nothing is limited.
    values["sample_rows"] = made.sample_rows or None
    return {**values, **{name: made.sampling.get(name) for name in SAMPLING}}


class SectionForm(StoredForm):
    """One section; an empty name leaves it out."""

    name = forms.CharField(label=_("Name"), max_length=60, required=False)
    kind = forms.ChoiceField(label=_("Kind"), choices=Section.Kind.choices, required=False)
    instruction = LinesField(label=_("Instruction"), max_length=LONGEST_INSTRUCTION, required=False)
    allowed_values = LinesField(
        label=_("Allowed values"),
        max_length=MOST_VALUES * (LONGEST_VALUE + 1),
        required=False,
        help_text=_("One per line. Only for fixed values."),
    )

    def section(self) -> Section:
        values = map(str.strip, self.cleaned_data["allowed_values"].split("\n"))
        return Section(**{**self.cleaned_data, "allowed_values": list(filter(None, values))})
