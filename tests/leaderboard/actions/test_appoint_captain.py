"""An organizer makes another member the captain of a team."""

import pytest

from leaderboard.actions.discipline import appoint_captain
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from leaderboard.teams.models import Team
from tests.leaderboard.builders import open_competition, team, user
from tests.leaderboard.material import NOON

pytestmark = pytest.mark.django_db
REASON = "팀장이 열흘째 답하지 않습니다"


@pytest.fixture
def contest() -> Competition:
    return open_competition()


@pytest.fixture
def alices(contest: Competition) -> Team:
    return team(contest, "alice", "bob", "carol", called="새벽")


def refused(ours: Team, by: str, whom: str, reason: str = REASON) -> str:
    with pytest.raises(Refused) as caught:
        appoint_captain(team=ours, user=user(by), username=whom, reason=reason, at=NOON)
    return caught.value.code


def test_all_members_read_who_leads_and_why(alices: Team) -> None:
    appoint_captain(team=alices, user=user("olivia"), username="bob", reason=REASON, at=NOON)
    alices.refresh_from_db()
    assert alices.captain == user("bob")
    event = AuditEvent.objects.get(kind="team.captain_replaced")
    assert (event.before, event.actor, event.reason) == (
        {"captain": "alice"},
        user("olivia"),
        REASON,
    )
    told = {one.user.username: one.data for one in Notification.objects.filter(kind="team")}
    assert told.keys() == {"alice", "bob", "carol"}
    assert all((one["news"], one["reason"]) == ("new_captain", REASON) for one in told.values())


def test_refused_for_others_than_editors_and_others_than_members(alices: Team) -> None:
    team(alices.competition, "dana")
    assert refused(alices, "bob", "bob") == "not_an_editor"
    assert refused(alices, "olivia", "dana") == "unknown_person"
    assert refused(alices, "olivia", "alice") == "nothing_changes"
    assert refused(alices, "olivia", "bob", reason=" ") == "reason_length"
    alices.refresh_from_db()
    assert alices.captain == user("alice")
