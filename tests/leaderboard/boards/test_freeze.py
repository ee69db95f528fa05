"""What a freeze shows to whom, at its exact instant and until the reveal."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser

from leaderboard.boards import queries
from leaderboard.boards.queries import BoardPage, contest_header, page, whole
from leaderboard.boards.results import result
from leaderboard.boards.visibility import BoardState, state
from leaderboard.competitions.models import Competition
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.cells import text
from tests.leaderboard.material import CLOSES, GOLDS, NOON, REVEALS

pytestmark = pytest.mark.django_db

TICK = timedelta(microseconds=1)
HOUR = timedelta(hours=1)
FREEZE = NOON + HOUR
LATER = NOON + 2 * HOUR
PERFECT = {name: texts[0] for name, texts in GOLDS.items()}
POOR = dict.fromkeys(GOLDS, "눈이 온다.")
HALF = {**POOR, "talk_1": GOLDS["talk_1"][0]}


def frozen_contest() -> Competition:
    """Before the freeze Bob leads, Alice and Charlie are poor; after it Alice and Charlie rise."""
    contest = open_competition(freezes_at=FREEZE)
    alices, bobs, charlies = (team(contest, name) for name in ("alice", "bob", "charlie"))
    hand_in(bobs, HALF, at=NOON)
    hand_in(alices, POOR, at=NOON + timedelta(minutes=1))
    hand_in(charlies, POOR, at=NOON + timedelta(minutes=2))
    hand_in(alices, PERFECT, at=FREEZE)
    hand_in(charlies, PERFECT, at=FREEZE + HOUR / 2)
    score_all()
    return contest


def seen_by(name: str | None, contest: Competition, at: object, **asked: object) -> BoardPage:
    viewer = user(name) if name else AnonymousUser()
    shown = page(viewer_of(contest, viewer, at), "public", **asked)
    assert shown is not None
    return shown


def order(shown: BoardPage) -> list[tuple[int | None, str]]:
    return [(row.rank, row.team_name) for row in shown.rows]


STILL = [(1, "bob"), (2, "alice"), (2, "charlie")]
MOVING = [(1, "alice"), (1, "charlie"), (3, "bob")]


def test_a_stranger_sees_all_rows_stand_still_until_the_reveal() -> None:
    contest = frozen_contest()
    assert order(seen_by(None, contest, FREEZE - TICK)) == MOVING  # scored early in this test
    for at in (FREEZE, LATER, CLOSES, REVEALS - TICK):
        assert order(seen_by(None, contest, at)) == STILL
    assert order(seen_by(None, contest, REVEALS)) == MOVING


def test_a_member_sees_the_own_row_of_now_among_the_still_ones() -> None:
    contest = frozen_contest()
    shown = seen_by("alice", contest, LATER)
    assert order(shown) == [(1, "alice"), (2, "bob"), (3, "charlie")]
    assert (text(shown.own), text(shown.own, "entries"), shown.own.rank) == ("3.0000", "2", 1)
    assert (shown.instant, shown.own_moves, shown.teams) == (FREEZE, True, 3)
    header = contest_header(viewer_of(contest, user("alice"), LATER))
    assert (header.rank, header.gap_to_next) == (1, None)
    # Charlie's perfect file is not seen: it would share the first place.
    assert not shown.rows[0].tied
    best = user("alice").memberships.get().team.submissions.earliest("-received_at")
    card = result(best, viewer_of(contest, user("alice"), LATER))
    assert (card.rank_now, card.teams, card.next_team) == (1, 3, None)


def test_editors_see_the_board_move_and_assistants_do_not() -> None:
    contest = frozen_contest()
    contest.organizers.create(user=user("ada"), role="assistant")
    contest.organizers.create(user=user("eddie"), role="editor")
    assert order(seen_by("eddie", contest, LATER)) == MOVING
    assert order(seen_by("olivia", contest, LATER)) == MOVING
    assert order(seen_by("ada", contest, LATER)) == STILL


def test_the_own_row_stands_where_it_belongs_on_every_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contest = frozen_contest()
    monkeypatch.setattr(queries, "PAGE", 1)
    for name, expected in (("alice", 1), ("bob", 1), ("charlie", 1)):
        pages = [seen_by(name, contest, LATER, page=number) for number in (1, 2, 3)]
        rows = [order(one)[0] for one in pages]
        everything = whole(viewer_of(contest, user(name), LATER), "public")
        assert rows == order(everything)
        assert pages[0].own_page == expected
        assert [one.pages for one in pages] == [3, 3, 3]
    found = seen_by("charlie", contest, LATER, query="charl")
    assert order(found) == [(1, "charlie")]


def test_rows_may_be_laid_out_by_any_column_and_keep_their_ranks() -> None:
    contest = frozen_contest()
    by_entries = seen_by(None, contest, REVEALS, sort="entries")
    assert order(by_entries) == [(1, "alice"), (1, "charlie"), (3, "bob")]
    by_last = seen_by("alice", contest, LATER, sort="last")
    assert order(by_last)[0] == (1, "alice")
    by_rouge = seen_by("charlie", contest, LATER, sort="rouge1")
    assert order(by_rouge)[0] == (1, "charlie")
    by_name = seen_by("charlie", contest, LATER, sort="team")
    assert order(by_name) == [(3, "alice"), (2, "bob"), (1, "charlie")]
    assert seen_by(None, contest, LATER, sort="private").sort == "total"


def test_a_past_date_never_reaches_behind_the_freeze() -> None:
    contest = frozen_contest()
    midnight = NOON + 12 * HOUR  # 00:00 in Seoul
    next_day = midnight + HOUR
    assert order(seen_by(None, contest, next_day, instant=midnight)) == STILL
    assert order(seen_by("alice", contest, next_day, instant=midnight)) == STILL
    assert order(seen_by("olivia", contest, next_day, instant=midnight)) == MOVING
    assert seen_by(None, contest, next_day, instant=midnight - 24 * HOUR).rows == ()
    # An instant still to come is the same as now.
    assert order(seen_by(None, contest, LATER, instant=midnight)) == STILL


def test_the_states_of_a_board() -> None:
    contest = frozen_contest()
    at = {
        FREEZE - TICK: BoardState.LIVE,
        FREEZE: BoardState.FROZEN,
        CLOSES - TICK: BoardState.FROZEN,
        CLOSES: BoardState.PROVISIONAL,
        REVEALS - TICK: BoardState.PROVISIONAL,
        REVEALS: BoardState.FINAL,
    }
    assert {instant: state(contest, instant) for instant in at} == at
    contest.reveal_held = True
    assert state(contest, REVEALS) is BoardState.PROVISIONAL
