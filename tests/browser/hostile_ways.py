"""Ways into hostile teams, and hostile addresses that a contest tells its news to."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from leaderboard.accounts.models import User
from leaderboard.community.webhook_models import Webhook
from leaderboard.competitions.models import Competition
from leaderboard.teams.invitations import hashed, make_code
from leaderboard.teams.models import Invitation, Team
from tests.browser.hostile_texts import groups, host


def invitations(teams: Sequence[Team], guest: User, at: datetime) -> list[str]:
    """Two into each team, by a code and for this guest by name; the addresses of all."""
    codes = [make_code() for _ in teams]
    made = []
    for team, code in zip(teams, codes, strict=True):
        asked: tuple[dict[str, Any], ...] = ({"code_sha256": hashed(code)}, {"invitee": guest})
        made += [
            Invitation(
                **{"team": team, "created_by": team.captain, "created_at": at, **way},
                expires_at=at + timedelta(days=1),
            )
            for way in asked
        ]
    Invitation.objects.bulk_create(made)
    by_name = [f"/invitations/{one.pk}" for one in made if one.invitee_id]
    return [f"/join/{code}" for code in codes] + by_name


def webhooks(contests: Sequence[Competition]) -> None:
    """One of each contest, as many as there are groups of payloads."""
    for group, contest in zip(groups(), contests, strict=True):
        hosts = " ".join(host("Webhook.url", number) for number in group)
        Webhook.objects.create(
            competition=contest, url=f"https://{hosts}/x", format="slack", language="ko"
        )
