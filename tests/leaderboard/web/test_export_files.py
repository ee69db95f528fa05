"""Boards and submissions as files: the numbers of the page, and no more."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.boards.exports import csv_file
from leaderboard.boards.queries import page
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from tests.leaderboard import builders
from tests.leaderboard.builders import viewer_of
from tests.leaderboard.cells import text
from tests.leaderboard.kept_rows import built_once
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db


@built_once
def ranked() -> Competition:
    """Alice first, two teams tied, and a team whose name is a formula last."""
    contest = running()
    now = timezone.now()
    poor = {"talk_1": "전혀 다른 말", "talk_4": "또 다른 말"}
    for name, called, texts in (
        ("alice", "두괄식", {}),
        ("bob", "가, 나", {"talk_1": "도서관에서 만난다"}),
        ("charlie", '따옴"표', {"talk_1": "도서관에서 만난다"}),
        ("dana", "=1+1", poor),
    ):
        builders.hand_in(builders.team(contest, name, called=called), texts, at=now)
    builders.score_all(now)
    return contest


def table(client: Client, where: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The facts of the head, and the rows by column."""
    answer = client.get(where)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    lines = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))
    facts = {line[0].removeprefix("# "): line[1] for line in lines if line[0].startswith("# ")}
    columns, *rows = lines[len(facts) :]
    return facts, [dict(zip(columns, row, strict=True)) for row in rows]


def test_the_file_holds_what_the_page_shows() -> None:
    contest = ranked()
    facts, rows = table(browser(), "/c/talk/leaderboard.csv")
    now = timezone.now()
    shown = page(viewer_of(contest, builders.user("alice"), now), "public")
    assert shown is not None
    assert facts["signature"] == shown.signature
    assert (facts["competition"], facts["board"], facts["version"]) == ("talk", "public", "1")
    assert facts["as_of"].endswith("+09:00")
    assert list(rows[0]) == [
        *("rank", "team", "total", "rouge1", "rouge2", "rougeL"),
        *("entries", "last_submission_at"),
    ]
    for row, entry in zip(rows, shown.rows, strict=True):
        assert row["team"].removeprefix("'") == entry.team_name
        assert (int(row["rank"]), row["total"]) == (entry.rank, text(entry))
        assert all(row[key] == text(entry, key) for key in ("rouge1", "rouge2", "rougeL"))
    assert [row["rank"] for row in rows] == ["1", "2", "2", "4"]


def test_no_name_is_a_formula_in_a_spreadsheet_and_json_is_left_alone() -> None:
    ranked()
    _facts, rows = table(browser(), "/c/talk/leaderboard.csv")
    assert rows[-1]["team"] == "'=1+1"
    found: dict[str, Any] = browser().get("/c/talk/leaderboard.json").json()
    last = found["rows"][-1]
    assert last["team"] == "=1+1"
    assert isinstance(last["total"], float)
    assert set(last["metrics"]) == {"rouge1", "rouge2", "rougeL"}
    assert found["signature"].startswith("rouge:")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"])
def test_each_beginning_of_a_formula_is_disarmed(start: str) -> None:
    data = csv_file({"note": f"{start}x"}, ["a", "b"], [[f"{start}1", -1]])
    lines = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert lines == [["# note", f"'{start}x"], ["a", "b"], [f"'{start}1", "-1"]]


def test_the_own_submissions_hold_no_private_number_before_the_reveal() -> None:
    ranked()
    Submission.objects.filter(submitted_by__username="alice").update(note="@메모")
    _facts, rows = table(browser("alice"), "/c/talk/submissions.csv")
    assert len(rows) == 1
    assert rows[0]["note"] == "'@메모"
    assert (rows[0]["state"], rows[0]["public_total"]) == ("done", "3.0000")
    assert not any(name.startswith("private") for name in rows[0])
    now = timezone.now()
    hour = timedelta(hours=1)
    Competition.objects.update(closes_at=now - 2 * hour, reveals_at=now - hour)
    _facts, rows = table(browser("alice"), "/c/talk/submissions.csv")
    assert rows[0]["private_total"] == "3.0000"
