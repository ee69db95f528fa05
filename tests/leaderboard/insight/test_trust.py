"""The panel that says whether a ranking can be trusted: its checks either way, and its words."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

from leaderboard.actions.versions import make_live, redraft, rehearse
from leaderboard.boards.visibility import Viewer, board_view
from leaderboard.competitions.models import Competition
from leaderboard.insight.models import BoardBands
from leaderboard.insight.rank_range import make_next_bands
from leaderboard.insight.reliability import (
    CHECKS,
    SEALED,
    TOO_FEW,
    UNFROZEN,
    Known,
    Trust,
    TrustCheck,
    checks,
    trust,
)
from leaderboard.insight.specificity import make_next_lifts
from leaderboard.insight.trivial_baselines import Lines, make_next_lines
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from scoring.profile import Profile
from tests.leaderboard.builders import hand_in, score_all, team, user, viewer_of
from tests.leaderboard.insight.alike import ANSWERS, ANYONE, SOON, contest_of_three
from tests.leaderboard.material import NOON, REVEALS, texts_csv

pytestmark = pytest.mark.django_db


# What apps above add is not on a board that they say nothing of.
ORDER = ["exact", "signature", "noise", "floors", "lift", "references", "rows", "copies"]
ORDER += ["rehearsal"]


def make_all(at: datetime) -> None:
    while make_next_lines() or make_next_bands(at) or make_next_lifts(at):
        pass


def told(viewer: Viewer, board: str) -> Trust:
    """The panel of a board as this viewer sees it."""
    view = board_view(viewer, board)
    found = trust(viewer, view)
    assert found is not None
    return found


def panel(
    contest: Competition, at: datetime = SOON, board: str = "public"
) -> dict[str, TrustCheck]:
    return {check.key: check for check in told(viewer_of(contest, ANYONE, at), board).checks}


def states(contest: Competition, at: datetime = SOON, board: str = "public") -> dict[str, str]:
    return {key: check.state for key, check in panel(contest, at, board).items()}


def test_before_anything_is_made_nothing_is_claimed() -> None:
    contest, _ = contest_of_three()
    assert set(states(contest).values()) == {"not_run"}
    said = {key: check.says for key, check in panel(contest).items()}
    assert said == {key: str(CHECKS[key].not_run) for key in ORDER}
    assert list(states(contest)) == ORDER


def test_a_board_of_three_teams() -> None:
    contest, _ = contest_of_three()
    make_all(SOON)
    found = panel(contest)
    assert {key: (one.state, one.figure) for key, one in found.items()} == {
        "exact": ("passed", "3.0000 / 3.0000"),
        "signature": ("passed", "v1"),
        "noise": ("passed", f"{BoardBands.objects.get().threshold / 10_000:.3f}"),
        "floors": ("doubt", found["floors"].figure),
        "lift": ("passed", "53\xa0%"),
        "references": ("passed", found["references"].figure),
        "rows": ("doubt", "32"),
        "copies": ("passed", ""),
        "rehearsal": ("not_run", ""),
    }
    assert {"1", "3"} <= set(found["floors"].says)


def test_answers_that_two_teams_share_are_in_doubt() -> None:
    contest, _ = contest_of_three()
    dana = team(contest, "dana")
    hand_in(dana, data=texts_csv(ANSWERS | {"row_0": "비가 온다"}), at=NOON)
    score_all()
    make_all(SOON)
    found = panel(contest)["copies"]
    assert (found.state, found.figure) == ("doubt", "")
    assert "dana" not in found.says


def test_a_change_of_scoring_is_told_of_afterwards() -> None:
    contest, _ = contest_of_three()
    older = live_version(contest)
    olivia = user("olivia")
    fields = {"preset": "mean-sum", "tokenizer": "mecab-ko"}
    newer = redraft(version=older, user=olivia, at=NOON, **fields)
    rehearse(version=newer, user=olivia, at=SOON)
    score_all(SOON)
    make_all(SOON)
    assert states(contest)["rehearsal"] == "not_run"
    make_live(version=newer, user=olivia, at=SOON)
    make_all(SOON + timedelta(minutes=2))
    later = panel(contest, SOON + timedelta(minutes=2))
    assert (later["rehearsal"].state, later["rehearsal"].figure[-4:]) == ("passed", " / 3")
    assert later["exact"].state == "not_run"  # no reference earns everything under the mean


def test_of_private_rows_nothing_is_said_before_the_reveal() -> None:
    contest, _ = contest_of_three()
    before = REVEALS - timedelta(microseconds=1)
    make_all(before)
    seen = told(viewer_of(contest, user("olivia"), before), "private")
    assert [(one.key, one.state) for one in seen.checks] == [
        ("exact", "passed"),
        ("rehearsal", "not_run"),
    ]
    assert (seen.later, seen.noise) == (str(SEALED), None)
    make_all(REVEALS)
    assert states(contest, REVEALS, "private")["noise"] == "passed"


def test_in_a_freeze_an_organizer_reads_why_the_moving_board_has_no_checks() -> None:
    contest, _ = contest_of_three(freezes_at=SOON)
    make_all(SOON)
    [ours, theirs] = [
        told(viewer_of(contest, who, SOON), "public") for who in (user("olivia"), ANYONE)
    ]
    assert (ours.later, theirs.later) == (str(UNFROZEN), "")
    assert [one.key for one in theirs.checks] == ORDER


def _known(**facts: Any) -> Known:
    """A board of 200 rows and three teams, with what is said of it."""
    version = ScoringVersion(profile_settings=Profile().to_dict(), number=1)
    version.self_check = {"totals": facts.pop("totals", [3.0]), "full_mark": 3.0}
    totals = facts.pop("printed", [10_000, 15_000, 20_000])
    facts.setdefault("leaders", 1)
    bands = BoardBands(
        rows=facts.pop("rows", 200),
        threshold=facts.pop("threshold", 500),
        totals=np.array(totals).astype("<i8").tobytes(),
        facts=facts,
    )
    lines = {"constant": 0.9, "phrase": None, "other_row": 0.5, "lead1": None, "lead3": None}
    human, error = facts.pop("human", 1.8), facts.pop("gap_error", 0.04)
    return Known(
        version, bands, Lines(Profile(), lines | {"human": human}, error, None, (1, 1), 20, "")
    )


WORST: dict[str, Any] = {
    "totals": [2.0],
    "signatures": 2,
    "printed": [8_000, 19_900, 20_000],
    "leaders": 2,
    "top_lift": 0.15,
    "human": 0.91,
    "rows": 99,
    "copies": 1,
    "switch": {"first_stays": False, "moved": 2, "teams": 3},
}
BEST: dict[str, Any] = {
    "signatures": 1,
    "top_lift": 0.2,
    "copies": 0,
    "switch": {"first_stays": True, "moved": 0, "teams": 3},
}


@pytest.mark.parametrize(("facts", "state"), [(BEST, "passed"), (WORST, "doubt")])
def test_each_check_can_pass_and_be_in_doubt(facts: dict[str, Any], state: str) -> None:
    found = list(checks(_known(**facts)))
    assert {one.key: one.state for one in found} == dict.fromkeys(ORDER, state)
    assert not any("{" in one.says for one in found)


def test_people_ahead_by_chance_alone_are_in_doubt() -> None:
    """0.1 above the highest floor: two standard errors, and a little less."""
    for error, state in ((0.05, "passed"), (0.051, "doubt")):
        known = _known(**BEST | {"human": 1.0001, "gap_error": error})
        assert {one.key: one.state for one in checks(known)}["references"] == state


def test_one_reference_alone_says_nothing_of_people() -> None:
    found = {one.key: one for one in checks(_known(**BEST | {"human": None}))}["references"]
    assert (found.state, found.says) == ("not_run", str(TOO_FEW))


@pytest.mark.parametrize("key", WORST.keys() - {"printed"})
def test_each_fault_is_found_alone(key: str) -> None:
    found = checks(_known(**BEST | {key: WORST[key]}))
    doubts = [one.key for one in found if one.state == "doubt"]
    names = {
        "totals": "exact",
        "signatures": "signature",
        "leaders": "noise",
        "top_lift": "lift",
        "human": "references",
        "switch": "rehearsal",
    }
    assert doubts == [names.get(key, key)]
