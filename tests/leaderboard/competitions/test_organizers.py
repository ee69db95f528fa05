"""Roles: given and taken by owners, never to participants, and never the last owner's."""

import pytest

from leaderboard.actions.people import appoint, dismiss
from leaderboard.actions.registration import join
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import organizers, role_of
from leaderboard.refusals import Refused
from tests.leaderboard.builders import NOON, competition, team, user

pytestmark = pytest.mark.django_db


def give(contest: Competition, name: str, role: str, by: str = "olivia") -> None:
    appoint(competition=contest, user=user(by), username=user(name).username, role=role, at=NOON)


def take(contest: Competition, name: str, by: str = "olivia") -> None:
    dismiss(competition=contest, user=user(by), username=name, at=NOON)


def test_an_owner_appoints_changes_and_dismisses() -> None:
    contest = competition()
    give(contest, "ada", "assistant")
    give(contest, "eddie", "editor")
    give(contest, "ada", "editor")
    give(contest, "ada", "editor")
    assert [(row.user.username, row.role) for row in organizers(contest)] == [
        ("olivia", "owner"),
        ("ada", "editor"),
        ("eddie", "editor"),
    ]
    take(contest, "ada")
    assert role_of(user("ada"), contest) is None
    logged = AuditEvent.objects.filter(kind__startswith="organizer.")
    assert sorted((e.before["role"] or "", e.after["role"] or "") for e in logged) == [
        ("", "assistant"),
        ("", "editor"),
        ("assistant", "editor"),
        ("editor", ""),
    ]


def test_one_owner_always_remains() -> None:
    contest = competition()
    with pytest.raises(Refused, match="last_owner"):
        take(contest, "olivia")
    with pytest.raises(Refused, match="last_owner"):
        give(contest, "olivia", "editor")
    give(contest, "eddie", "owner")
    take(contest, "olivia")
    with pytest.raises(Refused, match="last_owner"):
        take(contest, "eddie", by="eddie")


def test_a_participant_is_no_organizer_and_an_organizer_no_participant() -> None:
    contest = competition()
    team(contest, "alice")
    with pytest.raises(Refused, match="participant"):
        give(contest, "alice", "assistant")
    give(contest, "ada", "assistant")
    with pytest.raises(Refused, match="organizer"):
        join(user=user("ada"), competition=contest, at=NOON)
    # Of another contest, why not.
    give(competition("other"), "alice", "editor")


def test_nobody_and_a_closed_account_get_no_role() -> None:
    contest = competition()
    with pytest.raises(Refused, match="unknown_person"):
        appoint(competition=contest, user=user("olivia"), username="nobody", role="editor", at=NOON)
    user("ada")
    type(user("ada")).objects.filter(username="ada").update(is_active=False)
    with pytest.raises(Refused, match="unknown_person"):
        give(contest, "ada", "editor")


def test_who_is_no_organizer_cannot_be_dismissed() -> None:
    contest = competition()
    user("ada")
    for name in ("ada", "nobody"):
        with pytest.raises(Refused, match="not_an_organizer"):
            take(contest, name)
