"""How judging is written on the desk: money, estimates with intervals, words for codes."""

from decimal import Decimal
from typing import Any

from django import template
from django.utils.translation import gettext_lazy

from leaderboard.judging.board import judge_label

register = template.Library()

register.filter("judge_label", judge_label)

STATUSES = {
    "scored": gettext_lazy("점수 있음"),
    "not_applicable": gettext_lazy("해당 없음"),
    "pending": gettext_lazy("대기"),
    "infra_error": gettext_lazy("서버가 답하지 않음"),
    "content_failed": gettext_lazy("답을 읽을 수 없음, 0점"),
    "source_blocked": gettext_lazy("대화를 심사할 수 없음"),
    "skipped_budget": gettext_lazy("예산을 기다림"),
    "not_sampled": gettext_lazy("뽑지 않음"),
}
PAUSES = {
    "budget": gettext_lazy("예산을 기다림"),
    "circuit": gettext_lazy("서버가 답하지 않음"),
    "server": gettext_lazy("답하지 않은 행을 곧 다시 물음"),
    "configuration": gettext_lazy("설정이 틀려 멈춤"),
    "quota": gettext_lazy("서버 쪽 한도가 다 됨"),
}
BARRIERS = {
    "pipeline": gettext_lazy("두 설정의 절차가 모두 shared일 때만 옮깁니다."),
    "nothing": gettext_lazy("옮길 항목이 아직 없습니다."),
    "questions": gettext_lazy("대화마다 질문의 수가 다릅니다."),
    "sections": gettext_lazy("지시가 있는 부분이 다릅니다."),
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
    """A share as `4.2%`; a dash where there is none."""
    return "–" if share is None else f"{100 * share:.1f}%"


def _two(value: Any) -> str:
    return f"{float(value):.2f}".replace("-", "−")


@register.filter
def row_status(code: str) -> str:
    """What became of a judged row, in words."""
    return str(STATUSES.get(code, code))


@register.filter
def pause(code: str) -> str:
    """Why a judging waits, in words."""
    return str(PAUSES.get(code, code))


@register.filter
def barrier(code: str) -> str:
    """Why a copied config takes no items over, in words."""
    return str(BARRIERS.get(code, code))
