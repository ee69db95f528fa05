"""Walking the site twice and saying which answers differ."""

import difflib
from typing import Any

from django.test import Client

from tests.leaderboard.web.crawl import Page, crawl, everything, masked
from tests.leaderboard.web.stage import Stage


def walk(
    stage: Stage, browsers: dict[str, Client], *, reads_only: bool = False
) -> dict[tuple[str, str], Page]:
    """Every answer to these people, by role, place in the walk and request."""
    pages: dict[tuple[str, str], Page] = {}
    for role, browser in browsers.items():
        # One row of each table is enough of the administrator's pages.
        probes = everything(stage, role)
        if reads_only:
            probes = [probe for probe in probes if probe.method == "GET"]
        found = crawl(role, browser, probes, beside="/admin/")
        for number, page in enumerate(found):
            pages[role, f"{number} {masked(page).splitlines()[0]}"] = page
    return pages


def differences(one: dict[Any, Page], other: dict[Any, Page]) -> list[str]:
    """The requests answered differently, each with the first line that differs."""
    found = [f"{role} {asked}: asked once only" for role, asked in one.keys() ^ other.keys()]
    for key in one.keys() & other.keys():
        before, after = masked(one[key]), masked(other[key])
        if before != after:
            lines = difflib.ndiff(before.splitlines(), after.splitlines())
            changed = next((line for line in lines if line[:1] in "+-"), "")
            found.append(f"{' '.join(key)}: {changed[:200]}")
    return sorted(found)
