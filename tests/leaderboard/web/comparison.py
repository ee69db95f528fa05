"""Walking the site twice and saying which answers differ."""

import difflib
from collections import Counter
from collections.abc import Container, Sequence

from django.test import Client

from tests.leaderboard.web.crawl import (
    Page,
    Probe,
    crawl,
    every_page,
    everything,
    forms,
    masked,
)
from tests.leaderboard.web.stage import Stage


def walk(
    stage: Stage,
    role: str,
    browser: Client,
    *,
    whole: bool,
    reads_only: bool = False,
    more: Sequence[Probe] = (),
    again: Container[str] | None = None,
) -> dict[str, Page]:
    """Every answer to this person, by request and how often it was made.

    The small walk is a GET and a form for each address, about things that exist; no link is
    followed. `more` is asked too; of all this only `again`, if that is given.
    """
    probes = everything(stage, role) if whole else [*every_page(stage), *forms(stage)]
    if reads_only:
        probes = [probe for probe in probes if probe.method == "GET"]
    asked = [one for one in (*probes, *more) if again is None or one.asked in again]
    found: dict[str, Page] = {}
    times: Counter[str] = Counter()
    for page in crawl(role, browser, asked, beside="/admin/", follow=whole):
        key = f"{role} {masked(page).splitlines()[0]}"
        times[key] += 1
        found[f"{key} ({times[key]})"] = page
    return found


def that_read_secrets(pages: dict[str, Page]) -> dict[str, Page]:
    """The answers that scores, golds or private posts were looked up for.

    No other answer can depend on them: a second walk asks these alone. What else is shown of
    scores, in a column of another table, `leaks` finds.
    """
    asked = {page.asked for page in pages.values() if page.reads_secrets}
    return {key: page for key, page in pages.items() if page.asked in asked}


def walk_again(
    before: dict[str, Page],
    stage: Stage,
    role: str,
    browser: Client,
    *,
    whole: bool,
    reads_only: bool = False,
    more: Sequence[Probe] = (),
) -> list[str]:
    """What is answered otherwise now than `before`: the whole walk, or what reads secrets."""
    compared = before if whole else that_read_secrets(before)
    again = None if whole else {page.asked for page in compared.values()}
    after = walk(stage, role, browser, whole=whole, reads_only=reads_only, more=more, again=again)
    return differences(compared, after)


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
