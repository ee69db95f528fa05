"""Walking the site twice and saying which answers differ."""

import difflib

from django.test import Client

from tests.leaderboard.web.crawl import Page, crawl, every_page, everything, masked
from tests.leaderboard.web.stage import Stage


def walk(
    stage: Stage, role: str, browser: Client, *, whole: bool, reads_only: bool = False
) -> dict[str, Page]:
    """Every answer to this person, or those of the small walk, by place in it and request."""
    probes = everything(stage, role) if whole else every_page(stage)
    if reads_only:
        probes = [probe for probe in probes if probe.method == "GET"]
    found = crawl(role, browser, probes, beside="/admin/", follow=whole)
    return {
        f"{role} {number} {masked(page).splitlines()[0]}": page for number, page in enumerate(found)
    }


def differences(one: dict[str, Page], other: dict[str, Page]) -> list[str]:
    """The requests answered differently, each with the first line that differs."""
    found = [f"{key}: asked once only" for key in one.keys() ^ other.keys()]
    for key in one.keys() & other.keys():
        before, after = masked(one[key]), masked(other[key])
        if before != after:
            lines = difflib.ndiff(before.splitlines(), after.splitlines())
            changed = next((line for line in lines if line[:1] in "+-"), "")
            found.append(f"{key}: {changed[:200]}")
    return sorted(found)
