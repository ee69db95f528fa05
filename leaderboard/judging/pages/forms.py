"""Forms of a judge column: which model, what is judged, what it may cost; its sections."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext, pgettext_lazy

from leaderboard.judging.board import CHOICES, NEED_INSTRUCTION, ON_BOARD, judge_label
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
        said = _("It must be more than 0. Leave it empty for no cost limit.")
        least = Decimal(1) / MILLION
        super().__init__(min_value=least, error_messages={"min_value": said}, **options)


# Pipelines that judge a summary; the others make what is asked.
JUDGING = [name for name, pipeline in PIPELINES.items() if pipeline.systems]
SAMPLING = ("temperature", "top_p", "seed", "max_tokens", "reasoning_effort", "token_param")


Named = tuple[tuple[Any, str], ...]
Grouped = list[tuple[Any, list[forms.BoundField]]]
# What nobody can choose for the organizer.
GROUPS: Named = (
    (_("Model"), "model sample_rows calls_in_all"),
    (_("Columns on the leaderboard"), "systems"),
)
# What has a default that serves; each says what it is for.
FOLDED: Named = (
    (pgettext_lazy("group", "What is judged"), "policy submissions_per_team_day"),
    (_("Cost"), "currency price_input price_output micros_in_all"),
    (_("Name and pipeline"), "label endpoint pipeline language dialogue_set_id"),
    (_("What is asked"), "questions_per_dialogue longest_summary longest_share"),
    (_("Limits per submission"), "calls_per_submission micros_per_submission"),
    (_("Limits per team and day"), "calls_per_team_day micros_per_team_day"),
    (_("Sampling parameters"), " ".join(("structured", *SAMPLING))),
)


HELP = {
    "temperature": _("0 gives the same answer to the same question as far as possible."),
    "top_p": _("1 by default. Left empty, it is not sent."),
    "seed": _(
        "Helps to get the same answer again. Leave it empty if the server does not accept one."
    ),
    "max_tokens": _("Reserved from the budget for each call until its answer arrives."),
    "token_param": _("Change it only if the server answers that it does not know max_tokens."),
    "reasoning_effort": _("For reasoning models only."),
    "endpoint": _("Connected by the server operator. Dialogues and summaries are sent there."),
    "model": _("Use a name that never changes (a snapshot)."),
    "sample_rows": _("Left empty: every row. Otherwise a sample, the same for every submission."),
    "policy": _("Organizers can also judge any scored submission."),
    "submissions_per_team_day": _("Only the team's own requests count."),
    "currency": _("The currency of prices and cost limits."),
    **dict.fromkeys(("price_input", "price_output"), _("Left empty, the cost counts as 0.")),
    "micros_in_all": _("Judging stops when it is used up. Left empty, there is no limit."),
    "calls_in_all": _("Judging stops when they are used up, and continues when you raise it."),
    "label": _("Shown under the column's name on the leaderboard."),
    "pipeline": _("shared asks once, shared:3 three times; faithful repeats a published system."),
    "language": _("The language of the instructions to the model."),
    "dialogue_set_id": _("Only sets with every dialogue of the live references are listed."),
    "questions_per_dialogue": _("More questions check more, and cost more."),
    "longest_summary": _("A summary longer than both limits is not asked about and scores 0."),
    # xgettext:no-python-format
    "longest_share": _("0.8 means up to 80 % of the dialogue's length."),
    "calls_per_submission": _("This stops one submission from using up the budget."),
    "calls_per_team_day": _("This stops one team from using up the budget in a day."),
    **dict.fromkeys(("micros_per_submission", "micros_per_team_day"), _("Left empty: no limit.")),
    "structured": _("If the server does not know json_schema, choose json_object or the prompt."),
}


class JudgeForm(StoredForm):
    """A whole judge column; of the sampling parameters, what is empty is not sent."""

    endpoint = forms.ChoiceField(label=_("Judge server"))
    model = forms.CharField(max_length=120)
    systems = forms.MultipleChoiceField(
        label=_("Columns"), required=False, widget=forms.CheckboxSelectMultiple
    )
    policy = forms.ChoiceField(choices=JudgeConfig.Policy.choices)
    submissions_per_team_day = WholeField(1, 1_000)
    sample_rows = WholeField(1, 100_000, required=False)
    currency = forms.CharField(
        max_length=3,
        validators=[RegexValidator(r"^[A-Z]{3}\Z", _("Three capital letters, such as USD."))],
    )
    price_input = MoneyField(2_000, label=_("Price of a million input tokens"))
    price_output = MoneyField(2_000, label=_("Price of a million output tokens"))
    micros_in_all = MoneyLimitField(label=_("Cost limit in total"))
    calls_in_all = WholeField()
    label = forms.CharField(max_length=40)
    pipeline = forms.ChoiceField(initial="shared")
    language = forms.ChoiceField(choices=[("en", "English"), ("ko", "한국어")])
    dialogue_set_id = forms.TypedChoiceField(label=_("Dialogue set"), coerce=UUID)
    questions_per_dialogue = WholeField(1, 10)
    longest_summary = WholeField(1, 100_000)
    longest_share = forms.FloatField(min_value=0.01, max_value=10)
    calls_per_submission = WholeField()
    calls_per_team_day = WholeField()
    micros_per_submission = MoneyLimitField(label=_("Cost limit per submission"))
    micros_per_team_day = MoneyLimitField(label=_("Cost limit per team and day"))
    structured = forms.ChoiceField(choices=JudgeConfig.Structured.choices)
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

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        limited = any(cleaned.get(name) for name in RUNNING if name.startswith("micros_"))
        if limited and not (cleaned.get("price_input") or cleaned.get("price_output")):
            said = _("A cost limit needs prices. Enter the prices, or leave the cost limits empty.")
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
            (title, [self[name] for name in names.split() if name in self.fields])
            for title, names in groups
        )
        return [(title, fields) for title, fields in found if fields]

    def offer(self, config: JudgeConfig | None, **choices: Iterable[tuple[str, str]]) -> None:
        """Say what there is to choose; what needs an instruction only where a section has one."""
        instructed = config is not None and config.sections.exclude(instruction="").exists()
        columns = (*CHOICES, *(NEED_INSTRUCTION if instructed else ()))
        pipelines = [name for name in JUDGING if instructed or name != "faithful:google"]
        choices["systems"] = [(name, judge_label(name)) for name in columns]
        choices["pipeline"] = zip(pipelines, pipelines, strict=True)
        for name, those in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = list(those)

    def wanted(self) -> JudgeConfig:
        cleaned = self.cleaned_data
        sampling = {name: cleaned[name] for name in SAMPLING if cleaned[name] not in (None, "")}
        typed = {"sampling": sampling, "sample_rows": cleaned["sample_rows"] or 0}
        return JudgeConfig(**{name: cleaned[name] for name in NAMES if name not in typed}, **typed)


_CALLED = {field.name: field.verbose_name for field in JudgeConfig._meta.fields}
for _name, _field in JudgeForm.declared_fields.items():
    _field.label = _CALLED[_name] if _field.label is None else _field.label
    _field.help_text = HELP.get(_name, "")


def initial_of(config: JudgeConfig | None) -> dict[str, Any]:
    """The form's values of this config, or those a new one starts with."""
    made = config or JudgeConfig(
        label=pgettext("judge", "Judge"),
        sampling={"temperature": 0, "top_p": 1, "seed": 1, "max_tokens": 2000},
    )
    values = {name: getattr(made, name) for name in NAMES if name != "sampling"}
    # None of these is a limit of zero: nothing is typed where nothing is limited.
    values["systems"] = made.systems or list(ON_BOARD)
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
