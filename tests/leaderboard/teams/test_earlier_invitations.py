"""What was left open before each road into a team ended it is ended by a migration."""

from datetime import timedelta
from importlib import import_module
from uuid import uuid4

import pytest
from django.apps import apps

from leaderboard.inbox.models import Notification
from leaderboard.teams.invitations import of_team
from leaderboard.teams.models import Invitation, Team
from tests.leaderboard.builders import competition, team, user
from tests.leaderboard.material import NOON

pytestmark = pytest.mark.django_db
end = import_module("leaderboard.teams.migrations.0005_end_unusable_invitations").end


def left_open(by: Team, name: str = "", **more: object) -> Invitation:
    """As an earlier version left it: nobody looked whether the person was in the team by now."""
    whom = {"invitee": user(name)} if name else {"code_sha256": uuid4().hex}
    made = Invitation.objects.create(
        team=by,
        created_by=user("alice"),
        created_at=NOON,
        expires_at=NOON + timedelta(days=7),
        **{"max_uses": 1, **whom, **more},
    )
    if name:
        Notification.objects.create(
            user=user(name),
            kind=Notification.Kind.INVITED,
            subject=made.pk,
            competition=by.competition_id,
            competition_slug=by.competition.slug,
            data={},
            created_at=NOON,
        )
    return made


def test_invitations_that_lead_nowhere_end_and_leave_the_inboxes() -> None:
    contest = competition()
    ours = team(contest, "alice", "bob")
    part = team(contest, "carol")
    part.merged_into = ours
    part.save(update_fields=["merged_into"])
    useless = [
        left_open(ours, "bob"),
        left_open(part, "dana"),
        left_open(part),
        left_open(ours, "erin", revoked_at=NOON),
    ]
    useful = [left_open(ours, "fred"), left_open(ours), left_open(ours, "alice", uses=1)]
    for _ in range(2):
        end(apps, None)
    rows = Invitation.objects.filter(revoked_at=None)
    assert {row.pk for row in rows} == {row.pk for row in useful}
    assert {row.pk for row in of_team(ours, NOON)} == {row.pk for row in useful[:2]}
    told = set(Notification.objects.values_list("subject", flat=True))
    assert told == {useful[0].pk, useful[2].pk}
    assert Invitation.objects.get(pk=useless[3].pk).revoked_at == NOON
