"""Joining, and an organizer putting people together."""

import pytest

from leaderboard.actions.assigning import put_in_team
from leaderboard.actions.invitations import accept, invite_by_code, invite_person
from leaderboard.actions.registration import join, request_to_join
from leaderboard.actions.teams import grant
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance
from leaderboard.teams import invitations
from leaderboard.teams.membership import enter, open_team
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.queries import members, team_of
from tests.leaderboard.builders import competition, open_competition, team, user
from tests.leaderboard.material import CLOSES, NOON

pytestmark = pytest.mark.django_db


def put(contest: Competition, username: str, into: Team, by: str = "olivia") -> None:
    put_in_team(competition=contest, user=user(by), username=username, team=into, at=NOON)


def test_joining_makes_a_team_of_one_and_joining_again_answers_it() -> None:
    contest = competition()
    first = join(user=user("alice"), competition=contest, at=NOON)
    assert [member.username for member in members(first)] == ["alice"]
    assert join(user=user("alice"), competition=contest, team_name="다른 이름", at=NOON) == first


def test_a_taken_name_is_refused_and_a_taken_username_gets_a_number() -> None:
    contest = competition()
    join(user=user("alice"), competition=contest, team_name="bob", at=NOON)
    with pytest.raises(Refused, match="name_taken"):
        join(user=user("charlie"), competition=contest, team_name="bob", at=NOON)
    assert join(user=user("bob"), competition=contest, at=NOON).name == "bob 2"


@pytest.mark.parametrize("name", ["", "  \u200b\u202e ", "\0"])
def test_an_invisible_name_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="name_empty"):
        join(user=user("alice"), competition=competition(), team_name=name, at=NOON)


def test_nobody_joins_after_the_close_and_organizers_never_do() -> None:
    contest = competition()
    with pytest.raises(Refused, match="closed"):
        join(user=user("alice"), competition=contest, at=CLOSES)
    with pytest.raises(Refused, match="organizer"):
        join(user=user("olivia"), competition=contest, at=NOON)


def test_an_organizer_puts_two_people_in_one_team_and_the_empty_one_goes() -> None:
    contest = open_competition()
    alices, bobs = team(contest, "alice"), team(contest, "bob")
    put(contest, "bob", alices)
    assert team_of(user("bob"), contest) == alices
    assert not Team.objects.filter(pk=bobs.pk).exists()
    logged = AuditEvent.objects.get(kind="team.people_put")
    # The log still knows the team that is gone.
    assert logged.before == {"usernames": [f"bob: {bobs.name}"]}
    assert logged.after == {
        "usernames": [f"bob: {alices.name}"],
        "made": [],
    }


def test_a_team_of_one_that_was_granted_attempts_stays_behind_with_its_ledger() -> None:
    contest = open_competition()
    alices, bobs = team(contest, "alice"), team(contest, "bob")
    line = grant(team=bobs, user=user("olivia"), amount=2, reason="서버 장애", at=NOON)
    put(contest, "bob", alices)
    assert team_of(user("bob"), contest) == alices
    assert list(bobs.quota_entries.all()) == [line]
    bobs.refresh_from_db()
    assert bobs.captain is None
    assert allowance(alices, contest, NOON).granted == 0  # it was the other team's
    # Whoever is put there next leads it, and can use what it was granted.
    team(contest, "charlie")
    put(contest, "charlie", bobs)
    bobs.refresh_from_db()
    assert (bobs.captain, allowance(bobs, contest, NOON).granted) == (user("charlie"), 2)


def test_what_who_is_put_was_asked_and_had_asked_has_its_answer() -> None:
    contest = open_competition(registration="approval")
    asked = request_to_join(user=user("bob"), competition=contest, at=NOON)
    other = open_competition("other")
    alices, charlies, elsewhere = (
        open_team(competition=where, captain=user(name), name=name, at=NOON)
        for where, name in ((contest, "alice"), (contest, "charlie"), (other, "dana"))
    )
    for by in (alices, charlies, elsewhere):
        enter(team=by, user=user(by.name), at=NOON)
        invite_person(team=by, user=by.captain, username="bob", at=NOON)
    put(contest, "bob", alices)
    asked.refresh_from_db()
    assert (asked.approved, asked.decided_by) == (True, user("olivia"))
    still = invitations.open_at(NOON).filter(invitee=user("bob"))
    assert [one.team for one in still] == [elsewhere]
    kept = Notification.objects.filter(user=user("bob"), kind="invited")
    assert [one.subject for one in kept] == [still.get().pk]


def test_nobody_comes_into_an_empty_team_by_who_was_in_it() -> None:
    contest = open_competition()
    alices, bobs = team(contest, "alice"), team(contest, "bob")
    grant(team=bobs, user=user("olivia"), amount=2, reason="서버 장애", at=NOON)
    invitation, _ = invite_by_code(team=bobs, user=user("bob"), at=NOON)
    put(contest, "bob", alices)
    with pytest.raises(Refused, match="invitation_unusable"):
        accept(invitation=invitation, user=user("charlie"), at=NOON)


def test_a_team_of_another_contest_is_unknown_here() -> None:
    contest, other = open_competition(), open_competition("other")
    theirs = team(other, "charlie")
    team(contest, "bob")
    with pytest.raises(Refused, match="unknown_team"):
        put(contest, "bob", theirs)
    with pytest.raises(Refused, match="unknown_person"):
        put(contest, "nobody", team(contest, "alice"))
    Competition.objects.update(max_team_size=1)
    with pytest.raises(Refused, match="team_full"):
        put(contest, "bob", Team.objects.get(memberships__user=user("alice")))
    assert not AuditEvent.objects.filter(kind="team.people_put").exists()
    assert Membership.objects.filter(user=user("bob")).count() == 1
