"""The rows behind a difference: their shares add up to it, and the largest come first."""

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.actions.versions import make_live, rehearse
from leaderboard.boards.rehearsal import causes, preview
from leaderboard.boards.visibility import Viewer
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from tests.leaderboard.builders import (
    hand_in,
    open_competition,
    score_all,
    team,
    uploaded,
    user,
    viewer_of,
)
from tests.leaderboard.material import GOLDS, NOON, SPLITS, gold_csv

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(hours=1)
POOR = dict.fromkeys(GOLDS, "눈이 온다.")


def by(name: str) -> Viewer:
    return viewer_of(Competition.objects.get(), user(name), LATER)


def rehearsing(
    contest: Competition,
    golds: dict[str, tuple[str, ...]],
    splits: dict[str, str] | None = None,
    preset: str = "max-sum",
) -> ScoringVersion:
    version = uploaded(contest, gold_csv(golds, splits or SPLITS), preset=preset)
    rehearse(version=version, user=user("olivia"), at=LATER)
    score_all(LATER)
    return version


def test_each_row_has_its_share() -> None:
    contest = open_competition()
    given = hand_in(team(contest, "alice"))  # every row repeats its first gold: 3.0000
    score_all()
    swapped = {**GOLDS, "talk_1": ("눈이 온다.",), "talk_2": ("비가 온다.",)}
    version = rehearsing(contest, swapped)
    live = live_version(contest)
    cause = causes(live, version, "public", [given.pk], 3)[given.pk]
    # Two public rows: talk_1 falls from 3 to what `.` alone matches, and weighs one half.
    assert cause.changed == 1
    assert cause.rest is None
    (row,) = cause.rows
    assert row.example_id == "talk_1"
    seen = preview(version, "public", by("olivia"))
    (move,) = seen.moves
    assert row.share == move.totals.difference
    assert preview(version, "public", by("alice")) is None


def test_more_rows_than_are_named_are_added_up() -> None:
    contest = open_competition()
    given = hand_in(team(contest, "alice"))
    score_all()
    version = rehearsing(contest, dict.fromkeys(GOLDS, ("눈이 온다.",)))
    live = live_version(contest)
    (whole,), (part,) = (
        causes(live, version, "public", [given.pk], most).values() for most in (9, 1)
    )
    assert (len(whole.rows), whole.rest) == (2, None)
    assert (len(part.rows), part.others) == (1, 1)
    assert part.rest == whole.rows[1].share


def test_a_row_less_weighs_on_the_others() -> None:
    contest = open_competition()
    given = hand_in(team(contest, "alice"), {"talk_1": "눈이 온다."})
    score_all()
    version = rehearsing(contest, {name: GOLDS[name] for name in GOLDS if name != "talk_1"})
    live = live_version(contest)
    public, private = (
        causes(live, version, board, [given.pk], 9)[given.pk] for board in ("public", "private")
    )
    assert [row.example_id for row in public.rows] == ["talk_1"]
    assert public.rest == "+1.5000", "talk_4 alone makes the total now: 3/1 instead of 3/2"
    assert private.changed == 0


def test_a_changed_profile_changes_rows_with_the_same_golds() -> None:
    contest = open_competition()
    given = hand_in(team(contest, "alice"))
    score_all()
    version = rehearsing(contest, GOLDS, preset="stages")
    live = live_version(contest)
    assert causes(live, version, "public", [given.pk], 9)[given.pk].changed == 2
    seen = preview(version, "public", by("olivia"))
    assert seen.changes.rows == ()


def test_another_submission_may_come_to_stand_for_the_team() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    first = hand_in(alices, {**POOR, "talk_1": GOLDS["talk_1"][0]})
    other = hand_in(alices, {**POOR, "talk_1": "새로 쓴 정답이다."}, at=NOON + timedelta(minutes=1))
    hand_in(team(contest, "bob"), POOR)
    score_all()
    version = rehearsing(contest, {**GOLDS, "talk_1": ("새로 쓴 정답이다.",)})
    seen = preview(version, "public", by("olivia"))
    move = next(one for one in seen.moves if one.team_name == "alice")
    assert (move.stood, move.stands, move.other_submission) == (first, other, True)
    assert move.team_id in seen.causes_of([move])


def test_causes_of_a_page_of_teams_cost_three_queries(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    contest = open_competition()
    for name in ("alice", "bob", "charlie"):
        hand_in(team(contest, name))
    score_all()
    version = rehearsing(contest, {**GOLDS, "talk_1": ("눈이 온다.",)})
    seen = preview(version, "public", by("olivia"))
    with django_assert_num_queries(3):  # the rows of both sets, and all blobs
        assert len(seen.causes_of(list(seen.moves))) == 3


def test_the_preview_is_the_result_also_with_other_splits() -> None:
    contest = open_competition()
    hand_in(team(contest, "alice"), {"talk_1": "눈이 온다."})
    score_all()
    swapped = {name: "private" if half == "public" else "public" for name, half in SPLITS.items()}
    version = rehearsing(contest, GOLDS, swapped)
    before = preview(version, "private", by("olivia"))
    assert before.changes.number["moved"] == 4
    make_live(version=version, user=user("olivia"), at=LATER)
    totals = [f"{row.printed / 10_000:.4f}" for row in version.standings.filter(board="private")]
    assert totals == [move.totals.after for move in before.moves]
