"""Invitations: who comes into a team of others, by which, until when."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from leaderboard.accounts.models import User
from leaderboard.actions.assigning import assign_teams, put_in_team
from leaderboard.actions.discipline import disqualify
from leaderboard.actions.invitations import (
    GOOD_FOR,
    INVITING,
    MOST_OPEN,
    accept,
    decline,
    invite_by_code,
    invite_person,
    revoke,
)
from leaderboard.actions.membership import leave
from leaderboard.actions.merging import accept_merge, ask_to_merge
from leaderboard.actions.teams import grant
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import lets_teams_grow, teams_grow_until
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from leaderboard.teams.invitations import LISTED, by_code, of_team
from leaderboard.teams.models import Invitation, Team
from leaderboard.teams.queries import team_of
from tests.leaderboard.builders import competition, hand_in, open_competition, team, user
from tests.leaderboard.material import CLOSES, NOON

pytestmark = pytest.mark.django_db
TICK = timedelta(microseconds=1)
DAY = timedelta(days=1)


@pytest.fixture
def contest() -> Competition:
    return competition()


@pytest.fixture
def alices(contest: Competition) -> Team:
    return team(contest, "alice", "bob", called="새벽")


def invited(by: Team) -> Invitation:
    return invite_by_code(team=by, user=by.captain, at=NOON)[0]


def asked(by: Team, name: str) -> Invitation:
    invite_person(team=by, user=by.captain, username=user(name).username, at=NOON)
    return Invitation.objects.get(invitee=user(name), revoked_at=None, uses=0)


def told(name: str) -> list[str]:
    rows = Notification.objects.filter(user__username=name, kind__in=["team", "invited"])
    return [row.data["news"] for row in rows.order_by("created_at", "pk")]


def refused(act: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as caught:
        act()
    return caught.value.code


def come(by: Invitation, name: str, **more: Any) -> Team:
    return accept(invitation=by, user=user(name), **{"at": NOON, **more})


# --- Coming in ------------------------------------------------------------------------------------


def test_a_newcomer_joins_contest_and_team_at_once(contest: Competition, alices: Team) -> None:
    made, code = invite_by_code(team=alices, user=user("alice"), at=NOON)
    assert len(code.replace("-", "")) == 12
    assert code not in str(list(Invitation.objects.values()))
    for typed in (code, code.upper(), f" {code.replace('-', ' ')} ", code.replace("-", "")):
        assert by_code(typed) == made
    assert come(made, "dana") == come(made, "dana") == alices
    made.refresh_from_db()
    assert made.uses == 1  # twice is once
    assert refused(lambda: come(made, "olivia")) == "organizer"
    assert team_of(user("dana"), contest) == alices
    assert Team.objects.count() == 1
    assert told("alice") == told("bob") == ["entered"]
    event = AuditEvent.objects.get(kind="team.invitation_accepted")
    assert (event.actor, event.subject) == (user("dana"), alices.pk)


def test_who_meant_to_join_and_founded_is_moved_and_the_empty_team_goes(
    contest: Competition, alices: Team
) -> None:
    danas = team(contest, "dana")
    invited(danas)
    asked(danas, "erin")
    come(invited(alices), "dana")
    assert team_of(user("dana"), contest) == alices
    assert not Team.objects.filter(pk=danas.pk).exists()
    assert told("erin") == []


@pytest.mark.parametrize("with_what", ["file", "grant", "people", "disqualified"])
def test_nobody_comes_into_a_second_team_from_one_that_used_anything(with_what: str) -> None:
    contest = open_competition()
    alices, danas = team(contest, "alice"), team(contest, "dana")
    match with_what:
        case "file":
            hand_in(danas)
        case "grant":
            grant(team=danas, user=user("olivia"), amount=1, reason="정전", at=NOON)
        case "people":
            come(invited(danas), "erin")
        case "disqualified":
            disqualify(team=danas, user=user("olivia"), reason="베낌", at=NOON)
    made = invited(alices)
    wanted = "disqualified" if with_what == "disqualified" else "in_team"
    assert refused(lambda: come(made, "dana")) == wanted
    made.refresh_from_db()
    assert (team_of(user("dana"), contest), made.uses) == (danas, 0)


# --- What ends one ----------------------------------------------------------------------------


def merged(alices: Team, danas: Team) -> None:
    question = ask_to_merge(team=alices, user=user("alice"), name=danas.name, at=NOON)
    accept_merge(merge=question, user=user("dana"), at=NOON)


def put(alices: Team, danas: Team) -> None:
    contest = alices.competition
    put_in_team(competition=contest, user=user("olivia"), username="dana", team=alices, at=NOON)


def listed(alices: Team, danas: Team) -> None:
    text = f"username,team\ndana,{alices.name}\n"
    assign_teams(competition=alices.competition, user=user("olivia"), text=text, at=NOON)


def by_another(alices: Team, danas: Team) -> None:
    come(invited(alices), "dana")


@pytest.mark.parametrize("road", [merged, put, listed, by_another])
@pytest.mark.parametrize("answered", [False, True])
def test_who_is_a_member_now_by_whichever_road_is_invited_no_longer(
    contest: Competition, alices: Team, road: Callable[[Team, Team], None], answered: bool
) -> None:
    danas = team(contest, "dana")
    made, erins = asked(alices, "dana"), asked(alices, "erin")
    if answered:
        decline(invitation=made, user=user("dana"), at=NOON)
    road(alices, danas)
    assert team_of(user("dana"), contest) == alices
    named = [one for one in of_team(alices, NOON) if one.invitee_id]
    assert named == [erins]


def test_it_ends_at_the_exact_instant(alices: Team) -> None:
    made, end = invited(alices), NOON + GOOD_FOR
    assert refused(lambda: come(made, "dana", at=end)) == "invitation_unusable"
    assert come(made, "dana", at=end - TICK) == alices


@pytest.mark.parametrize("date", ["team_merge_until", "freezes_at", "closes_at"])
def test_teams_grow_until_the_first_of_three_dates_to_the_microsecond(date: str) -> None:
    dates = {"team_merge_until": CLOSES - 3 * DAY, "freezes_at": CLOSES - 2 * DAY}
    first = {"team_merge_until": ["team_merge_until", "freezes_at"], "freezes_at": ["freezes_at"]}
    set_dates: dict[str, Any] = {name: dates[name] for name in first.get(date, [])}
    contest = competition(**set_dates)
    until = dates.get(date, CLOSES)
    assert teams_grow_until(contest) == until
    assert (lets_teams_grow(contest, until - TICK), lets_teams_grow(contest, until)) == (
        True,
        False,
    )
    alices = team(contest, "alice")
    made, _ = invite_by_code(team=alices, user=user("alice"), at=until - DAY)
    assert refused(lambda: come(made, "dana", at=until)) == "invitation_unusable"
    code = "closed" if until == CLOSES else "teams_fixed"
    assert refused(lambda: invite_by_code(team=alices, user=user("alice"), at=until)) == code
    assert come(made, "dana", at=until - TICK) == alices


def test_a_full_team_invites_nobody_and_organizers_come_into_none(alices: Team) -> None:
    assert refused(lambda: come(invited(alices), "olivia")) == "organizer"
    Competition.objects.update(max_team_size=2)
    alices.refresh_from_db()
    assert refused(lambda: invited(alices)) == "team_full"


# --- By name --------------------------------------------------------------------------------------


def test_a_team_has_so_many_open_and_lists_no_more(alices: Team) -> None:
    sent = {"team": alices, "created_by": user("alice"), "created_at": NOON}
    sent["expires_at"] = NOON + DAY
    rows = [Invitation(code_sha256=f"code {n}", **sent) for n in range(MOST_OPEN)]
    *_, last = Invitation.objects.bulk_create(rows)
    with pytest.raises(Refused, match="too_many_invitations"):
        invited(alices)
    revoke(team=alices, user=user("alice"), invitation=last.pk, at=NOON)
    assert len(of_team(alices, NOON)) == MOST_OPEN - 1
    invited(alices)
    Invitation.objects.update(declined_at=NOON)
    sent["declined_at"] = NOON
    people = [user(f"person{n}") for n in range(LISTED)]
    Invitation.objects.bulk_create([Invitation(invitee=person, **sent) for person in people])
    assert len(of_team(alices, NOON)) == LISTED


def test_a_person_is_asked_once_and_may_decline_for_good(alices: Team) -> None:
    made = asked(alices, "dana")
    assert told("dana") == ["invited"]
    assert refused(lambda: asked(alices, "dana")) == "invited_already"
    assert refused(lambda: come(made, "erin")) == "invitation_unusable"
    assert refused(lambda: decline(invitation=made, user=user("erin"), at=NOON)) == (
        "unknown_invitation"
    )
    decline(invitation=made, user=user("dana"), at=NOON)
    assert told("alice") == ["declined_invitation"]
    assert refused(lambda: come(made, "dana")) == "invitation_unusable"
    assert refused(lambda: asked(alices, "dana")) == "invited_already"
    # Nor can the captain take the refusal back to ask anew; a link is open to everybody.
    assert refused(
        lambda: revoke(team=alices, user=user("alice"), invitation=made.pk, at=NOON)
    ) == ("unknown_invitation")
    assert come(invited(alices), "dana") == alices


def test_who_left_or_did_not_answer_in_time_may_be_asked_again(alices: Team) -> None:
    come(asked(alices, "dana"), "dana")
    leave(team=alices, user=user("dana"), at=NOON)
    again = asked(alices, "dana")
    Invitation.objects.filter(pk=again.pk).update(expires_at=NOON)
    assert come(asked(alices, "dana"), "dana") == alices


@pytest.mark.parametrize("name", ["nobody", "olivia", "closed"])
def test_only_people_who_could_take_part_are_asked(alices: Team, name: str) -> None:
    if name == "closed":
        User.objects.filter(pk=user("closed").pk).update(is_active=False)
    code = refused(lambda: invite_person(team=alices, user=user("alice"), username=name, at=NOON))
    assert code == "unknown_person"


# --- Who may --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bob", "charlie", "olivia"])
def test_only_the_captain_invites_and_revokes(
    contest: Competition, alices: Team, name: str
) -> None:
    team(contest, "charlie")
    made = invited(alices)
    verbs: list[Callable[[User], Any]] = [
        lambda who: invite_by_code(team=alices, user=who, at=NOON),
        lambda who: invite_person(team=alices, user=who, username="dana", at=NOON),
        lambda who: revoke(team=alices, user=who, invitation=made.pk, at=NOON),
    ]
    code = "not_captain" if name == "bob" else "not_a_member"
    for verb in verbs:
        assert refused(lambda verb=verb: verb(user(name))) == code
    theirs = invited(team(contest, "frank"))
    assert refused(
        lambda: revoke(team=alices, user=user("alice"), invitation=theirs.pk, at=NOON)
    ) == ("unknown_invitation")


def test_inviting_is_limited_by_person(alices: Team) -> None:
    for _ in range(INVITING.most):
        invited(alices)
    assert refused(lambda: invited(alices)) == "too_many_tries"
    assert refused(lambda: asked(alices, "dana")) == "too_many_tries"


# --- The contest's own rules of joining -----------------------------------------------------------


def test_an_invitation_stands_for_the_contests_code(contest: Competition, alices: Team) -> None:
    kind = Competition.Registration.CODE
    Competition.objects.filter(pk=contest.pk).update(registration=kind, registration_code="SECRET")
    assert come(invited(alices), "dana") == alices
