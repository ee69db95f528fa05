"""The team's own page: its members see each other and give their team another name."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.actions.invitations import accept, invite_by_code
from leaderboard.actions.teams import rename_team
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.refusals import Refused
from leaderboard.teams.models import Invitation, Team
from leaderboard.teams.queries import team_of
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, confirmed, hand_in, running

pytestmark = pytest.mark.django_db
PAGE = "/c/talk/team"
INVITATIONS, LEAVE = f"{PAGE}/invitations", f"{PAGE}/leave"


@pytest.fixture
def contest() -> Competition:
    return running()


@pytest.fixture
def alices(contest: Competition) -> Team:
    team = builders.team(contest, "alice", "bob", called="새벽")
    builders.team(contest, "charlie", called="저녁")
    return team


def logged() -> list[tuple[str, object, object]]:
    rows = AuditEvent.objects.filter(kind="team.renamed").order_by("at", "pk")
    return [(row.actor.username if row.actor else "", row.before, row.after) for row in rows]


def test_a_member_who_is_not_the_captain_renames_the_team(alices: Team) -> None:
    bob = browser("bob")
    page = bob.get(PAGE).text
    assert "alice" in page
    assert "charlie" not in page
    answer = bob.post(PAGE, {"name": "  아침  "}, follow=True)
    assert answer.redirect_chain == [(PAGE, 302)]
    assert "팀 이름을 바꿨습니다." in answer.text
    alices.refresh_from_db()
    assert alices.name == "아침"
    assert logged() == [("bob", {"name": "새벽"}, {"name": "아침"})]


def test_a_name_that_is_taken_reserved_or_empty_is_refused_and_stays_typed(alices: Team) -> None:
    for name in ["저녁", "저 녁", "기준선", "", "\u200b"]:
        answer = browser("alice").post(PAGE, {"name": name})
        assert answer.status_code == 409
        assert f'value="{name}"' in answer.text
        alices.refresh_from_db()
        assert alices.name == "새벽"
        assert logged() == []


@pytest.mark.parametrize("key", ["closed", "disqualified"])
def test_a_team_that_stays_as_it_is_keeps_its_name(
    contest: Competition, alices: Team, key: str
) -> None:
    alice = browser("alice")
    assert 'id="team_name"' in alice.get(PAGE).text
    now = timezone.now()
    if key == "closed":
        Competition.objects.update(closes_at=now - timedelta(seconds=1))
    else:
        Team.objects.filter(pk=alices.pk).update(disqualified_at=now, disqualify_reason="복사")
    assert 'id="team_name"' not in alice.get(PAGE).text
    assert alice.post(PAGE, {"name": "아침"}).status_code == 403
    with pytest.raises(Refused) as refused:
        rename_team(team=alices, user=builders.user("alice"), name="아침", at=timezone.now())
    assert refused.value.code == key
    assert logged() == []


def test_the_captain_gets_a_link_once_and_takes_it_back(alices: Team) -> None:
    alice = browser("alice")
    made = alice.post(PAGE, {"verb": "invite_by_code"}).text
    found = re.search(r"<code>(http://testserver/join/([a-z2-9-]{14}))</code>", made)
    assert found
    again = alice.get(PAGE).text + alice.get(INVITATIONS).text
    assert found[2] not in again
    invitation = Invitation.objects.get()
    assert str(invitation.pk) in again
    alice.post(INVITATIONS, {"verb": "revoke", "id": str(invitation.pk)})
    assert str(invitation.pk) not in alice.get(INVITATIONS).text
    assert browser("dana").get(found[1]).status_code == 404


def test_only_the_captain_sees_what_the_captain_decides(alices: Team) -> None:
    assert 'value="invite_by_code"' in browser("alice").get(PAGE).text
    page = browser("bob").get(PAGE).text + browser("bob").get(INVITATIONS).text
    assert not re.findall(r'value="(?:invite_by_code|invite_person|hand_over|remove|revoke)"', page)
    answer = browser("bob").post(PAGE, {"verb": "invite_by_code"})
    assert answer.status_code == 403


def test_a_person_is_invited_by_name_and_refusals_stand_at_the_field(alices: Team) -> None:
    alice = browser("alice")
    answer = alice.post(INVITATIONS, {"verb": "invite_person", "username": "nobody"})
    assert answer.status_code == 404
    assert 'value="nobody"' in answer.text
    assert "주최자로" not in answer.text, "whom an organizer appoints reads the same refusal"
    builders.user("dana")
    alice.post(INVITATIONS, {"verb": "invite_person", "username": "dana"})
    assert "dana" in alice.get(INVITATIONS).text
    assert Invitation.objects.get().invitee == builders.user("dana")


@pytest.mark.parametrize("used", [False, True])
def test_a_captain_reads_who_cannot_come_by_an_invitation_alone(alices: Team, used: bool) -> None:
    if used:
        hand_in(team_of(builders.user("charlie"), alices.competition))
    sent = {"verb": "invite_person", "username": "charlie"}
    page = browser("alice").post(INVITATIONS, sent, follow=True).text
    assert ("초대만으로는 들어올 수 없습니다" in page) == used


def test_buttons_hand_over_remove_and_leave(contest: Competition, alices: Team) -> None:
    alice, bob = browser("alice"), browser("bob")
    confirmed(alice, PAGE, {"verb": "hand_over", "username": "bob"})
    alices.refresh_from_db()
    assert alices.captain == builders.user("bob")
    confirmed(bob, LEAVE, {"verb": "leave", "captain": "alice"})
    assert team_of(builders.user("bob"), contest) != alices
    accept(
        invitation=invite_by_code(team=alices, user=builders.user("alice"), at=timezone.now())[0],
        user=builders.user("bob"),
        at=timezone.now(),
    )
    confirmed(alice, PAGE, {"verb": "remove", "username": "bob"})
    assert team_of(builders.user("bob"), contest) != alices


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("alice", {"verb": "hand_over", "username": "bob"}),
        ("alice", {"verb": "remove", "username": "bob"}),
        ("alice", {"verb": "leave", "captain": "bob"}),
        ("bob", {"verb": "leave"}),
    ],
)
def test_who_is_in_the_team_changes_at_the_second_press_alone(
    contest: Competition, alices: Team, name: str, sent: dict[str, str]
) -> None:
    hand_in(alices)
    hand_in(alices, after=-timedelta(days=1))
    client, path = browser(name), LEAVE if sent["verb"] == "leave" else PAGE
    page = client.post(path, sent)
    assert (page.status_code, "한 번 더 눌러 주세요" in page.text) == (200, True)
    assert [row.user.username for row in alices.memberships.all()] == ["alice", "bob"]
    alices.refresh_from_db()
    assert alices.captain == builders.user("alice")
    goes = sent["verb"] != "hand_over"
    assert ("오늘 1번, 모두 2번" in page.text) == goes
    assert ("bob 님이 이 팀의 팀장이 됩니다" in page.text) == (
        "bob" in sent.values() and sent["verb"] != "remove"
    )
    hand_in(alices)
    again = client.post(path, {**sent, "seen": re.findall(r'name="seen" value="(\w+)"', page.text)})
    assert ("오늘 2번, 모두 3번" in again.text) == goes


def test_the_page_shows_who_handed_in_how_much_in_few_queries(
    contest: Competition, alices: Team
) -> None:
    for hours in (30, 20):
        hand_in(alices, after=-timedelta(hours=hours))
    builders.score_all(at=timezone.now())
    invite_by_code(team=alices, user=builders.user("alice"), at=timezone.now())
    for name in ("alice", "bob"):
        client = browser(name)
        client.get(PAGE)
        with CaptureQueriesContext(connection) as asked:
            page = client.get(PAGE).text
        assert 'scope="row"' in page
        assert len(asked) <= 14, "\n".join(one["sql"] for one in asked)
