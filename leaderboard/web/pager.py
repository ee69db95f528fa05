"""The numbers under a list of several pages."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class PageLink:
    """One number of the pager."""

    number: int
    address: str
    current: bool


def pager(page: int, pages: int, address: Callable[[int], str]) -> list[PageLink]:
    """The first and last pages and those around the present one."""
    near = {1, 2, pages - 1, pages, *range(page - 2, page + 3)}
    return [
        PageLink(number, address(number), number == page)
        for number in sorted(near)
        if 1 <= number <= pages
    ]
