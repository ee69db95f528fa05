"""Leaving for good: name and texts go, scores stay, contests keep an owner."""

import pytest
from django.contrib.auth import authenticate

from leaderboard.accounts.models import User
from leaderboard.actions.closing import close_account
from leaderboard.actions.submissions import edit_note
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.queries import page
from leaderboard.competitions.models import Organizer
from leaderboard.inbox.models import MailAddress, Notification
from leaderboard.refusals import Refused
from leaderboard.teams.models import Membership, Team
from tests.leaderboard.builders import (
    hand_in,
    mail_address,
    open_competition,
    score_all,
    team,
    user,
    viewer_of,
)
from tests.leaderboard.cells import text
from tests.leaderboard.material import NOON

pytestmark = pytest.mark.django_db


def leave(name: str) -> User:
    person = user(name)
    close_account(user=person, password=f"{name}-secret", at=NOON)
    return User.objects.get(pk=person.pk)


def test_name_texts_and_ways_in_are_gone() -> None:
    contest = open_competition()
    alices = team(contest, "alice", called="앨리스의 팀")
    User.objects.filter(username="alice").update(email="alice@school.example", first_name="앨리스")
    made = hand_in(alices)
    edit_note(submission=made, user=user("alice"), note="내 비밀", method_name="앨리스식")
    score_all()
    mail_address("alice", confirmed_at=None)
    gone = leave("alice")
    assert gone.username.startswith("탈퇴-")
    assert len(gone.username) == len("탈퇴-") + 12
    assert (gone.is_active, gone.closed_at) == (False, NOON)
    assert authenticate(username="alice", password="alice-secret") is None
    assert authenticate(username=gone.username, password="alice-secret") is None
    made.refresh_from_db()
    assert (made.note, made.method_name) == ("", "")
    for table in (Notification, MailAddress):
        assert not table._default_manager.filter(user=gone).exists()


def test_scores_of_a_person_alone_stay_under_another_name() -> None:
    contest = open_competition()
    for name in ("alice", "charlie"):
        hand_in(team(contest, name))
    score_all()
    before = page(viewer_of(contest, user("olivia"), NOON), "public")
    leave("alice")
    leave("charlie")
    after = page(viewer_of(contest, user("olivia"), NOON), "public")
    names = sorted(row.team_name for row in after.rows)  # a tie of one instant
    assert names == ["탈퇴한 팀", "탈퇴한 팀 2"]
    assert [text(row) for row in after.rows] == [text(row) for row in before.rows]
    assert not any(row.members for row in after.rows)


def test_a_team_that_handed_in_nothing_goes_with_its_person() -> None:
    contest = open_competition()
    team(contest, "alice")
    leave("alice")
    assert not Team.objects.filter(competition=contest).exists()
    assert AuditEvent.objects.filter(kind="team.member_closed", competition=contest.pk).exists()


def test_the_member_who_came_next_leads_and_the_team_keeps_its_name() -> None:
    contest = open_competition()
    ours = team(contest, "alice", "bob", "carol", called="두괄식")
    hand_in(ours)
    leave("alice")
    ours.refresh_from_db()
    assert (ours.name, ours.captain.username) == ("두괄식", "bob")
    assert [row.user.username for row in Membership.objects.filter(team=ours)] == ["bob", "carol"]
    leave("carol")
    ours.refresh_from_db()
    assert ours.captain.username == "bob"


def test_the_last_owner_hands_over_first() -> None:
    contest = open_competition()
    Organizer.objects.create(competition=contest, user=user("eddie"), role="editor")
    with pytest.raises(Refused, match="last_owner") as refused:
        leave("olivia")
    assert contest.title in refused.value.message("ko")
    assert user("olivia").is_active
    Organizer.objects.filter(user=user("eddie")).update(role="owner")
    leave("olivia")
    assert [row.user.username for row in Organizer.objects.filter(competition=contest)] == ["eddie"]
    # A co-owner who is suspended is nobody to hand over to.
    Organizer.objects.create(competition=contest, user=user("frank"), role="owner")
    User.objects.filter(username="frank").update(is_active=False)
    with pytest.raises(Refused, match="last_owner"):
        leave("eddie")


def test_the_last_administrator_stays() -> None:
    for name in ("sue", "sam"):
        user(name)
    User.objects.filter(username__in=("sue", "sam")).update(is_superuser=True)
    gone = leave("sue")
    assert not gone.is_superuser
    with pytest.raises(Refused, match="last_administrator"):
        leave("sam")
