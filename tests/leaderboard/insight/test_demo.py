"""What the demo shows of how far its leaderboards can be believed."""

import zipfile
from itertools import pairwise

import pytest

from leaderboard.accounts.models import User
from leaderboard.boards import queries as boards
from leaderboard.boards.columns import EXPORTED
from leaderboard.boards.figures import DERIVED
from leaderboard.boards.results import best_submission
from leaderboard.boards.visibility import Viewer, board_view
from leaderboard.competitions.models import Competition
from leaderboard.insight.models import ClosingReport
from leaderboard.insight.rank_range import RankRange
from leaderboard.insight.reliability import trust
from leaderboard.insight.slices import slices_of
from leaderboard.insight.trivial_baselines import Lines
from leaderboard.submissions.models import Submission
from scoring.insight.closing.sheets import Sheet
from scoring.insight.trivial_baselines import LINES
from tests.leaderboard.builders import viewer_of
from tests.leaderboard.cells import cell, text
from tests.leaderboard.demo.test_seed import NOW, seeded

pytestmark = [pytest.mark.django_db, pytest.mark.whole]


def test_a_worker_finds_all_that_a_board_says_of_itself() -> None:
    seeded()
    while any(one.make(NOW) for one in DERIVED):
        pass
    for slug in ("daily-dialogue", "short-calls"):
        seen = viewer_of(
            Competition.objects.get(slug=slug), User.objects.get(username="alice"), NOW
        )
        page = boards.page(seen, "public", sources=EXPORTED)
        lines = Lines.of(seen, "public")
        assert {row.name for row in lines.rows} == set(LINES)
        [constant] = [row for row in page.rows if row.team_name == "한 문장 되풀이"]
        assert text(constant, "lift") == "▲ 0\xa0%"
        boards_of_both_kinds_of_references(slug, seen, page)
        assert states(seen, page)["rehearsal"] == ("passed" if slug == "short-calls" else "not_run")
    for board in ("public", "private"):
        they_are_tied_and_separated(rank_ranges(seen, board))
    by_kind = slices_of(Submission.objects.get(pk=best_submission(seen)), seen)
    assert len(by_kind) == 2  # by turns and by topic
    for groups in by_kind.values():
        assert len(groups) > 1
        assert {one.split for group in groups for one in group.slices} == {"public", "private"}
    the_report_has_ranges_and_drawings(ClosingReport.objects.get())


def states(viewer: Viewer, page: boards.BoardPage) -> dict[str, str]:
    """What the panel says of each check."""
    found = trust(viewer, board_view(viewer, page.board))
    return {check.key: check.state for check in found.checks}


def boards_of_both_kinds_of_references(slug: str, seen: Viewer, page: boards.BoardPage) -> None:
    """Where people agree, the way to them is shown; where they do not, that they do not."""
    agree = slug == "daily-dialogue"
    assert states(seen, page)["references"] == ("passed" if agree else "doubt")
    assert ("way" in [column.key for column in page.columns]) == agree
    if agree:
        shares = [cell(row, "way").value for row in page.rows if row.rank is not None]
        assert all(one > other for one, other in pairwise(shares))
        assert 60 <= shares[0] < 100
        assert 0 < shares[-1] < 60
        beside = {row.team_name: cell(row, "way").value for row in page.rows if row.rank is None}
        assert all(share <= 0 for share in beside.values())


def rank_ranges(seen: Viewer, board: str) -> list[RankRange]:
    page = boards.page(seen, board, sources=EXPORTED)
    return [cell(row, "range").value for row in page.rows if row.rank is not None]


def they_are_tied_and_separated(ranges: list[RankRange]) -> None:
    assert len(ranges) == 8
    assert any(one.best < one.worst for one in ranges)
    assert any(one.worst < other.best for one in ranges for other in ranges)


def the_report_has_ranges_and_drawings(kept: ClosingReport) -> None:
    assert kept.competition.slug == "short-calls"
    with kept.public.open("rb") as packed, zipfile.ZipFile(packed) as bundle:
        standings = Sheet.read(bundle.read("standings.csv"))
        report = bundle.read("report.html").decode()
    ranked = [bool(rank) for rank in standings.column("rank")]
    assert ranked.count(True) == 16
    for end in ("best_rank", "worst_rank"):
        assert [bool(rank) for rank in standings.column(end)] == ranked
    for title in ("Shake-up", "Rank ranges of the private leaderboard"):
        assert title in report
    assert report.count("<svg") == 3
