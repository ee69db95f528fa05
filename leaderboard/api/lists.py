"""Lists that are answered page by page."""

from collections.abc import Callable
from typing import Any

from ninja import Schema

from leaderboard.web import lookups

PAGE = 100


class Paged(Schema):
    """A page of a list, out of `pages`; of `count` lines in all."""

    count: int
    page: int
    pages: int


def paged(
    rows: Any,
    number: int,
    lines: Callable[[list[Any]], list[dict[str, Any]]],
    *,
    size: int | None = None,
    most: int | None = None,
) -> dict[str, Any]:
    """What a `Paged` answers: of these rows the page of this number, line by line.

    most: as of `lookups.Pages`.
    """
    pages = lookups.Pages(rows, size or PAGE, most)
    shown = pages.get_page(number)
    return {
        "items": lines(list(shown)),
        "count": pages.count,
        "page": shown.number,
        "pages": pages.num_pages,
        "is_cut": pages.is_cut,
    }
