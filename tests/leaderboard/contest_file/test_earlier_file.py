"""A contest file that an earlier version exported, with the boards that it showed.

`earlier/` was written by commit e2de44d, from `full_contest` as it stood there.
"""

import io
import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from leaderboard.competitions.models import Competition
from leaderboard.contest_file.check import plan
from leaderboard.contest_file.export import package
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.contest_file.packing import Archive, write_zip
from leaderboard.submissions.models import QuotaEntry
from tests.leaderboard import builders
from tests.leaderboard.contest_file import full_contest
from tests.leaderboard.contest_file.full_contest import AFTER

EARLIER = Path(__file__).parent / "earlier"


@pytest.mark.django_db
def test_it_is_imported_and_scored_to_the_same_boards() -> None:
    expected: dict[str, Any] = json.loads((EARLIER / "talk.json").read_text())
    found = plan(Archive(io.BytesIO((EARLIER / "talk.zip").read_bytes())))
    assert found.problems == []
    import_competition(contest=found.contest, owner=builders.user("root"), asked_by=None, at=AFTER)
    while builders.score_all(at=AFTER):
        pass
    contest = Competition.objects.get()
    assert contest.slug == "talk"
    reasons = {(line.kind, line.reason, line.words) for line in QuotaEntry.objects.all()}
    assert reasons == {
        ("charge", "submitted", ""),
        ("refund", "cancelled", ""),
        ("refund", "failed", ""),
        ("grant", "", "점검"),
    }
    shown = full_contest.shown("talk")
    assert {board: shown[board, None].decode() for board in ("public", "private")} == expected[
        "boards"
    ]
    placements = sorted(full_contest.placements_now("talk"), key=str)
    assert [list(map(str, row)) for row in placements] == [
        list(map(str, row)) for row in expected["placements"]
    ]
    again = io.BytesIO()
    write_zip(package(contest, full=True), again)
    assert {name for name in names(again) if not name.startswith("golds/")} == {
        name for name in names(EARLIER / "talk.zip") if not name.startswith("golds/")
    }


def names(file: Path | io.BytesIO) -> list[str]:
    with ZipFile(file) as archive:
        return archive.namelist()
