"""Leaving a team, removing somebody, handing it over, and what it costs: no attempt is bought."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from leaderboard.actions.discipline import disqualify
from leaderboard.actions.invitations import accept, invite_by_code
from leaderboard.actions.membership import hand_over, leave, remove_member
from leaderboard.actions.submissions import cancel
from leaderboard.actions.teams import grant
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance, by_day
from leaderboard.submissions.models import QuotaEntry
from leaderboard.submissions.queries import of_team
from leaderboard.teams.models import Team
from leaderboard.teams.queries import team_of
from tests.leaderboard.builders import hand_in, open_competition, team, user
from tests.leaderboard.material import CLOSES, NOON

pytestmark = pytest.mark.django_db
TICK = timedelta(microseconds=1)
DAY = timedelta(days=1)
VERBS: dict[str, Callable[[Team, str], Any]] = {
    "remove": lambda by, who: remove_member(team=by, user=user(who), username="bob", at=NOON),
    "hand_over": lambda by, who: hand_over(team=by, user=user(who), username="bob", at=NOON),
}


@pytest.fixture
def contest() -> Competition:
    return open_competition(daily_limit=3, total_limit=5)


@pytest.fixture
def alices(contest: Competition) -> Team:
    return team(contest, "alice", "bob", "carol", called="새벽")


def told(name: str) -> list[str]:
    rows = Notification.objects.filter(user__username=name, kind="team")
    return [row.data["news"] for row in rows.order_by("created_at", "pk")]


def refused(act: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as caught:
        act()
    return caught.value.code


@pytest.mark.parametrize("how", ["leave", "remove"])
def test_whoever_goes_starts_with_what_the_team_had_used(
    contest: Competition, alices: Team, how: str
) -> None:
    for _ in range(2):
        hand_in(alices, at=NOON - 2 * DAY)
    hand_in(alices, at=NOON - DAY)
    hand_in(alices)
    cancel(submission=hand_in(alices), user=user("alice"), at=NOON)
    grant(team=alices, user=user("olivia"), amount=2, reason="정전", at=NOON)
    if how == "leave":
        new = leave(team=alices, user=user("bob"), at=NOON)
    else:
        new = remove_member(team=alices, user=user("alice"), username="bob", at=NOON)
    assert team_of(user("bob"), contest) == new
    assert (new.captain, new.name) == (user("bob"), "bob")
    assert not of_team(new).exists()
    assert [(one.kind, one.day, one.amount) for one in new.quota_entries.order_by("day")] == [
        ("carried", date(2026, 11, 19), 3),
        ("carried", date(2026, 11, 20), 1),
    ]
    before, after = (allowance(each, contest, NOON) for each in (alices, new))
    assert (after.used_today, after.total_used) == (before.used_today, before.total_used) == (1, 4)
    assert (before.left_today, after.left_today, after.total_left) == (3, 1, 1)
    hand_in(new)
    assert refused(lambda: hand_in(new)) == "total_limit"
    # What was used on days before bob came stands under none of them: on the day that he came.
    (shown,) = by_day(new)
    assert (shown["date"], shown["used"], shown["left"]) == (date(2026, 11, 20), 2, 1)
    lines = {(one.amount, one.earlier, one.left_after) for one in shown["lines"]}
    assert lines >= {(-3, True, 3), (-1, False, 2)} or lines >= {(-3, True, 2), (-1, False, 2)}


def test_going_on_carries_what_was_carried(contest: Competition, alices: Team) -> None:
    hand_in(alices, at=NOON - DAY)
    first = leave(team=alices, user=user("bob"), at=NOON)
    made, _ = invite_by_code(team=first, user=user("bob"), at=NOON)
    accept(invitation=made, user=user("dana"), at=NOON)
    second = leave(team=first, user=user("dana"), at=NOON)
    assert allowance(second, contest, NOON).total_used == 1
    # Alone, but no newcomer: an invitation leads nowhere any more.
    again, _ = invite_by_code(team=first, user=user("bob"), at=NOON)
    assert refused(lambda: accept(invitation=again, user=user("dana"), at=NOON)) == "in_team"


def test_late_files_are_not_carried_into_the_contest(contest: Competition, alices: Team) -> None:
    Competition.objects.filter(pk=contest.pk).update(late_entries=True)
    alices.refresh_from_db()
    hand_in(alices, at=CLOSES)
    Competition.objects.filter(pk=contest.pk).update(
        closes_at=CLOSES + DAY, reveals_at=CLOSES + 9 * DAY
    )
    new = leave(team=alices, user=user("bob"), at=CLOSES + TICK)
    assert not QuotaEntry.objects.filter(team=new).exists()


def test_a_captain_who_leaves_hands_over(alices: Team) -> None:
    new = leave(team=alices, user=user("alice"), at=NOON)
    alices.refresh_from_db()
    assert (alices.captain, new.captain) == (user("bob"), user("alice"))
    leave(team=alices, user=user("bob"), captain="carol", at=NOON)
    alices.refresh_from_db()
    assert alices.captain == user("carol")
    assert refused(lambda: leave(team=alices, user=user("carol"), at=NOON)) == "team_of_one"
    assert told("carol") == ["left", "left"]


def test_handing_over_is_told_and_logged(alices: Team) -> None:
    hand_over(team=alices, user=user("alice"), username="bob", at=NOON)
    alices.refresh_from_db()
    assert alices.captain == user("bob")
    assert (told("bob"), told("alice")) == (["new_captain"], [])
    event = AuditEvent.objects.get(kind="team.handed_over")
    assert (event.before, event.after) == ({"captain": "alice"}, {"captain": "bob"})
    assert refused(lambda: VERBS["remove"](alices, "alice")) == "not_captain"
    remove_member(team=alices, user=user("bob"), username="alice", at=NOON)
    assert (told("alice"), sorted(told("carol"))) == (["you_removed"], ["new_captain", "removed"])


@pytest.mark.parametrize("verb", VERBS)
def test_only_the_captain_removes_and_hands_over(
    contest: Competition, alices: Team, verb: str
) -> None:
    team(contest, "charlie")
    assert refused(lambda: VERBS[verb](alices, "carol")) == "not_captain"
    assert refused(lambda: VERBS[verb](alices, "charlie")) == "not_a_member"
    assert refused(lambda: VERBS[verb](alices, "olivia")) == "not_a_member"


def test_a_disqualified_team_stays_as_it_is(alices: Team) -> None:
    disqualify(team=alices, user=user("olivia"), reason="베낌", at=NOON)
    for act in (
        lambda: leave(team=alices, user=user("bob"), at=NOON),
        lambda: VERBS["remove"](alices, "alice"),
        lambda: invite_by_code(team=alices, user=user("alice"), at=NOON),
    ):
        assert refused(act) == "disqualified"


def test_teams_change_until_the_close_to_the_microsecond(alices: Team) -> None:
    assert refused(lambda: leave(team=alices, user=user("bob"), at=CLOSES)) == "closed"
    leave(team=alices, user=user("bob"), at=CLOSES - TICK)
