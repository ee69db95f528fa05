"""The rows of a board, each rendered once for the same numbers."""

from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.template.loader import get_template
from django.utils.translation import get_language, pgettext

from leaderboard.boards.queries import Column, LeaderboardEntry

register = template.Library()

# Rows of some forty pages in both languages, about 1 KB each, in each web process.
KEPT = 8192


@register.simple_tag(takes_context=True)
def board_row(context: dict[str, Any], entry: LeaderboardEntry, *, pinned: bool = False) -> str:
    """`parts/board_row.html` for one entry of the page in the context."""
    page = context["page"]
    return _rendered(
        entry, pinned, page.columns, page.since is not None, context["zone"], get_language()
    )


@lru_cache(maxsize=KEPT)
def _rendered(
    entry: LeaderboardEntry,
    pinned: bool,
    columns: tuple[Column, ...],
    shows_climbed: bool,
    zone: ZoneInfo,
    language: str | None,
) -> str:
    """Every input of the row stands in the arguments, so an equal call has an equal answer."""
    return get_template("parts/board_row.html").render(
        {
            "entry": entry,
            "pinned": pinned,
            "columns": columns,
            "shows_climbed": shows_climbed,
            "zone": zone,
        }
    )


@register.filter
def judge_label(metric: str) -> str:
    """A judge metric's name for people; a system's own name where it has no other."""
    names = {
        "summarization": pgettext("judge", "요약 판정"),
        "alignment": pgettext("judge", "원문 일치"),
        "unsure": pgettext("judge", "판단을 미룬 주장"),
        "coverage": pgettext("judge", "핵심 포함"),
        "completeness": pgettext("judge", "내용 갖춤"),
        "adherence": pgettext("judge", "지시 지킴"),
        "conciseness": pgettext("judge", "간결함"),
        "completeness_micro": pgettext("judge", "내용 갖춤, 모든 내용을 한데"),
    }
    return names.get(metric, metric)
