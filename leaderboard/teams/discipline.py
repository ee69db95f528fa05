"""Writes of a team's disqualification. The row and all that hangs on it stay."""

from datetime import datetime

from leaderboard.teams.models import Team


def mark_disqualified(*, team: Team, reason: str, at: datetime) -> bool:
    """Disqualify the team; False if it is already. The given object follows."""
    team.disqualified_at, team.disqualify_reason = at, reason
    rows = Team.objects.filter(pk=team.pk, disqualified_at=None)
    return rows.update(disqualified_at=at, disqualify_reason=reason) == 1


def mark_reinstated(*, team: Team) -> bool:
    """Let the team take part again; False if it does."""
    team.disqualified_at, team.disqualify_reason = None, ""
    rows = Team.objects.filter(pk=team.pk, disqualified_at__isnull=False)
    return rows.update(disqualified_at=None, disqualify_reason="") == 1
