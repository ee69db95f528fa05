"""How judging is written on the desk: money, estimates with intervals, words for codes."""

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import Any

from django import template
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.judging.board import judge_label

register = template.Library()

register.filter("judge_label", judge_label)

STATUSES = {
    "scored": pgettext_lazy("judge", "Scored"),
    "not_applicable": gettext_lazy("Not applicable"),
    "pending": gettext_lazy("Waiting"),
    "infra_error": gettext_lazy("The server is not responding"),
    "content_failed": gettext_lazy("Unreadable answer, 0 points"),
    "source_blocked": gettext_lazy("Dialogue that cannot be judged"),
    "skipped_budget": gettext_lazy("Waiting for budget"),
    "not_sampled": gettext_lazy("Not sampled"),
}
PAUSES = {
    "budget": gettext_lazy("Waiting for budget"),
    "circuit": gettext_lazy("The server is not responding"),
    "server": gettext_lazy("Rows without an answer are asked again soon"),
    "configuration": gettext_lazy("Stopped: the settings are wrong"),
    "quota": gettext_lazy("The server's own limit is used up"),
}
BARRIERS = {
    "pipeline": gettext_lazy("Items can only be copied between configs with the pipeline shared."),
    "nothing": gettext_lazy("There are no items to copy yet."),
    "questions": gettext_lazy("The number of questions per dialogue differs."),
    "sections": gettext_lazy("The sections with instructions differ."),
}


@register.filter
def money(micros: int | None) -> str:
    """Millionths as money: 12,345 is `0.0123`; less than that in full."""
    amount = Decimal(micros or 0) / 1_000_000
    if amount and amount < Decimal("0.01"):
        return format(amount.normalize(), "f")
    return f"{amount:,.4f}" if amount < 1 else f"{amount:,.2f}"


@register.filter
def estimated(found: dict[str, Any] | None) -> str:
    """A number with its 95 % interval, `0.62 (0.41–0.78)`; a dash where there is none."""
    if not found or found.get("value") is None:
        return "–"
    value, low, high = (found.get(name) for name in ("value", "low", "high"))
    if low is None or high is None:
        return _two(value)
    return f"{_two(value)} ({_two(low)}–{_two(high)})"


@register.filter
def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _two(value: Any) -> str:
    return f"{float(value):.2f}".replace("-", "−")


def _in_words(table: Mapping[str, Any], code: str) -> str:
    return str(table.get(code, code))


for _name, _table in (("row_status", STATUSES), ("pause", PAUSES), ("barrier", BARRIERS)):
    register.filter(_name, partial(_in_words, _table))
