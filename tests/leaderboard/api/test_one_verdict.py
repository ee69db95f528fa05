"""The whole corpus of bad files: page, API and command line say the same of each."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.accounts.models import RateCount
from leaderboard.api.client import leaderboard_client
from leaderboard.submissions.models import QuotaEntry
from tests.leaderboard import builders
from tests.leaderboard.api.calling import contest_url, json_of, program
from tests.leaderboard.api.through import as_person
from tests.leaderboard.web.pages import HTMX, browser, csv_file
from tests.scoring.test_bad_files import CORPUS, IDS, text_of

pytestmark = pytest.mark.django_db


class Said(NamedTuple):
    """Whether it would be taken, and each cause and remark with its lines."""

    accepted: bool
    problems: list[tuple[str, list[int], int]]
    notices: list[tuple[str, list[int], int]]

    @property
    def first(self) -> list[tuple[str, list[int], int]]:
        return self.problems or self.notices


def said(found: dict[str, Any]) -> Said:
    problems, notices = (
        [(one["code"], list(one["lines"]), one["times"]) for one in found[kind]]
        for kind in ("problems", "notices")
    )
    return Said(not problems, problems, notices)


# A file over the limit is refused by the head of its request, before anybody reads it.
TOO_LARGE = Said(False, [("too_large", [], 1)], [])


def by_api(alice: Client, data: bytes) -> Said:
    answer = alice.post(contest_url("/validate"), {"file": csv_file(data)})
    if answer.status_code == 413:
        assert answer.json()["code"] == "too_large"
        return TOO_LARGE
    return said(json_of(answer))


def by_page(data: bytes) -> Said:
    answer = browser("alice").post("/c/talk/submit/check", {"file": csv_file(data)}, headers=HTMX)
    if answer.status_code == 413:
        return TOO_LARGE
    verdict = answer.context["verdict"]
    for problem in verdict.problems[:5]:
        assert problem.places in answer.text
    kinds = {"problems": verdict.problems, "notices": verdict.notices}
    return said({kind: [one.to_dict() for one in found] for kind, found in kinds.items()})


def by_command(file: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    code = leaderboard_client.main(["validate", str(file), "--json"])
    found = json.loads(capsys.readouterr().out)
    if found.get("code") == "too_large":
        assert code == 2
        return TOO_LARGE
    assert code == (2 if found["problems"] else 0)
    return said(found)


def contest_of_the_corpus() -> None:
    """A contest with the corpus's 500 ids that runs now, and Alice's team."""
    now = timezone.now()
    dates = {"opens_at": now - timedelta(days=2), "closes_at": now + timedelta(days=5)}
    contest = builders.competition("talk", **dates, reveals_at=now + timedelta(days=6))
    golds = {name: (text_of(n),) for n, name in enumerate(IDS)}
    splits = {name: ("public", "private")[n % 2] for n, name in enumerate(IDS)}
    builders.live(contest, builders.gold_csv(golds, splits))
    builders.team(contest, "alice")


@pytest.mark.whole
def test_page_api_and_command_line_say_the_same(
    short: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    contest_of_the_corpus()
    alice, file, different = program("alice"), tmp_path / "predictions.csv", []
    for row in CORPUS[::9] if short else CORPUS:
        file.write_bytes(row.data)
        api = by_api(alice, row.data)
        with as_person(monkeypatch, "alice"):
            ways = [by_page(row.data), api, by_command(file, capsys)]
        if ways != [api] * 3 or api.accepted is (row.verdict == "R"):
            different.append((row.name, ways))
        # The corpus names the first line of each.
        found = [(code, lines[0] if lines else None) for code, lines, _ in api.first]
        told = zip(row.codes, row.lines, strict=True)
        if api != TOO_LARGE and found != list(told):
            different.append((row.name, found))
        RateCount.objects.all().delete()
    assert different == []
    assert not QuotaEntry.objects.exists()
