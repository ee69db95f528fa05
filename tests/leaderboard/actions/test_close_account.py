"""Leaving for good: name and texts go, scores stay, contests keep an owner."""

from datetime import timedelta

import pytest
from django.contrib.auth import authenticate
from structlog.testing import capture_logs

from leaderboard.accounts.models import User
from leaderboard.actions.assigning import assign_teams
from leaderboard.actions.closing import close_account
from leaderboard.actions.invitations import accept, invite_person
from leaderboard.actions.membership import leave
from leaderboard.actions.registration import join
from leaderboard.actions.submissions import edit_note
from leaderboard.actions.teams import rename_team
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.queries import page
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.inbox.models import MailAddress, Notification
from leaderboard.refusals import Refused
from leaderboard.teams.models import Invitation, Membership, Team
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
LATER = NOON + timedelta(hours=1)


def close(name: str) -> User:
    person = user(name)
    close_account(user=person, password=f"{name}-secret", at=LATER)
    return User.objects.get(pk=person.pk)


def test_name_texts_and_ways_in_are_gone() -> None:
    contest = open_competition()
    alices = team(contest, "alice", called="앨리스의 팀")
    User.objects.filter(username="alice").update(email="alice@school.example", first_name="앨리스")
    made = hand_in(alices)
    edit_note(submission=made, user=user("alice"), note="내 비밀", method_name="앨리스식")
    score_all()
    mail_address("alice", confirmed_at=None)
    gone = close("alice")
    assert gone.username.startswith("탈퇴-")
    assert len(gone.username) == len("탈퇴-") + 12
    assert (gone.is_active, gone.closed_at) == (False, LATER)
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
    close("alice")
    close("charlie")
    after = page(viewer_of(contest, user("olivia"), NOON), "public")
    names = sorted(row.team_name for row in after.rows)  # a tie of one instant
    assert names == ["탈퇴한 팀", "탈퇴한 팀 2"]
    assert [text(row) for row in after.rows] == [text(row) for row in before.rows]
    assert not any(row.members for row in after.rows)


def test_a_team_that_handed_in_nothing_goes_with_its_person() -> None:
    contest = open_competition()
    team(contest, "alice")
    close("alice")
    assert not Team.objects.filter(competition=contest).exists()
    assert AuditEvent.objects.filter(kind="team.member_closed", competition=contest.pk).exists()


def test_the_member_who_came_next_leads_and_the_team_keeps_its_name() -> None:
    contest = open_competition()
    ours = team(contest, "alice", "bob", "carol", called="두괄식")
    hand_in(ours)
    close("alice")
    ours.refresh_from_db()
    assert (ours.name, ours.captain.username) == ("두괄식", "bob")
    assert [row.user.username for row in Membership.objects.filter(team=ours)] == ["bob", "carol"]
    close("carol")
    ours.refresh_from_db()
    assert ours.captain.username == "bob"


def test_the_last_owner_hands_over_first() -> None:
    contest = open_competition()
    Organizer.objects.create(competition=contest, user=user("eddie"), role="editor")
    with pytest.raises(Refused, match="last_owner") as refused:
        close("olivia")
    assert contest.title in refused.value.message("ko")
    assert user("olivia").is_active
    Organizer.objects.filter(user=user("eddie")).update(role="owner")
    close("olivia")
    assert [row.user.username for row in Organizer.objects.filter(competition=contest)] == ["eddie"]
    # A co-owner who is suspended is nobody to hand over to.
    Organizer.objects.create(competition=contest, user=user("frank"), role="owner")
    User.objects.filter(username="frank").update(is_active=False)
    with pytest.raises(Refused, match="last_owner"):
        close("eddie")


def test_the_last_administrator_stays() -> None:
    for name in ("sue", "sam"):
        user(name)
    User.objects.filter(username__in=("sue", "sam")).update(is_superuser=True)
    gone = close("sue")
    assert not gone.is_superuser
    with pytest.raises(Refused, match="last_administrator"):
        close("sam")


# --- Names in the log and in notices --------------------------------------------------------------


def put(contest: Competition, username: str, into: str) -> None:
    text = f"username,team\n{username},{into}\n"
    assign_teams(competition=contest, user=user("olivia"), text=text, at=NOON)


def notice_of_leaving(name: str) -> Notification:
    """Alice is told that Carol left, in a contest with a team of one called `name`."""
    contest = open_competition(max_team_size=5)
    team(contest, name)
    others = team(contest, "alice", "bob", "carol", called="햇살")
    leave(team=others, user=user("carol"), at=NOON)
    return Notification.objects.get(user=user("alice"), kind="team")


@pytest.mark.parametrize("name", ["left", "news", "username"])
def test_a_notice_keeps_its_code(name: str) -> None:
    notice = notice_of_leaving(name)
    before = notice.message("ko")
    assert "carol" in before
    close(name)
    notice.refresh_from_db()
    assert notice.message("ko") == before


def test_a_notice_of_an_unknown_code_is_read_all_the_same() -> None:
    notice = notice_of_leaving("mallory")
    notice.data["news"] = "탈퇴한 팀"
    with capture_logs() as logged:
        assert notice.message("en") == "This notice can no longer be shown."
    assert [(line["event"], line["notice"]) for line in logged] == [
        ("unknown_news", str(notice.pk))
    ]


def test_a_long_name_goes_from_a_team_that_it_was_cut_for() -> None:
    name = "wren" + "가나다라" * 9
    assert len(name) == 40
    contest = open_competition(max_team_size=5)
    first = team(contest, name, "bob")
    new = leave(team=first, user=user(name), at=NOON)
    assert new.name == name[:38] + " 2"
    invite_person(team=new, user=user(name), username=user("zoe").username, at=NOON)
    accept(invitation=Invitation.objects.get(invitee=user("zoe")), user=user("zoe"), at=NOON)
    close(name)
    names = Team.objects.filter(competition=contest).values_list("name", flat=True)
    assert sorted(names) == ["bob", "zoe"]


def test_a_team_of_others_keeps_its_history() -> None:
    contest = open_competition(max_team_size=5)
    ours = team(contest, "alice", "bob", "mallory", called="햇살")
    team(contest, "carol", called="달빛")
    put(contest, "mallory", "달빛")
    rename_team(team=ours, user=user("alice"), name="새벽", at=NOON)
    close("mallory")
    assert AuditEvent.objects.get(kind="team.renamed").before == {"name": "햇살"}
    put_into = AuditEvent.objects.get(kind="team.people_put")
    assert str(put_into.before).endswith(": 햇살']}")


def test_a_name_that_says_nothing_of_a_person_stays() -> None:
    contest = open_competition(max_team_size=5)
    theirs = team(contest, "20261111")
    assert theirs.name == "참가자"
    rename_team(team=theirs, user=user("20261111"), name="새벽", at=NOON)
    team(contest, "20262222", called="달빛")
    close("20262222")
    assert AuditEvent.objects.get(kind="team.renamed").before == {"name": "참가자"}


def test_former_names_go_with_the_founder_and_the_decisions_stay() -> None:
    contest = open_competition(max_team_size=5)
    ours = join(user=user("mallory"), competition=contest, team_name="굴뚝새", at=NOON)
    rename_team(team=ours, user=user("mallory"), name="노래", at=NOON + timedelta(minutes=1))
    invite_person(team=ours, user=user("mallory"), username=user("bob").username, at=NOON)
    asked = Invitation.objects.get(invitee=user("bob"))
    accept(invitation=asked, user=user("bob"), at=NOON + timedelta(minutes=2))
    rename_team(team=ours, user=user("bob"), name="함께", at=NOON + timedelta(minutes=3))
    rename_team(team=ours, user=user("bob"), name="둘이", at=NOON + timedelta(minutes=4))
    close("mallory")
    renamed = AuditEvent.objects.filter(kind="team.renamed").order_by("at")
    said = [(event.actor.username, event.before, event.after) for event in renamed]
    assert said[1:] == [("bob", None, None)] * 2
    assert (said[0][0][:3], *said[0][1:]) == ("탈퇴-", None, None)
    assert AuditEvent.objects.get(kind="team.joined", subject=ours.pk).after is None


def test_a_name_that_another_team_had_stays_that_ones() -> None:
    contest = open_competition()
    first = join(user=user("alice"), competition=contest, team_name="햇살", at=NOON)
    rename_team(team=first, user=user("alice"), name="새벽", at=NOON + timedelta(minutes=1))
    second = join(user=user("mallory"), competition=contest, team_name="햇살", at=LATER)
    rename_team(team=second, user=user("mallory"), name="굴뚝새", at=LATER)
    close("mallory")
    of_alice = AuditEvent.objects.get(kind="team.renamed", subject=first.pk)
    assert (of_alice.before, of_alice.after) == ({"name": "햇살"}, {"name": "새벽"})
    of_mallory = AuditEvent.objects.get(kind="team.renamed", subject=second.pk)
    assert of_mallory.after is None
