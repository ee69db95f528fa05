"""A generous brake on floods, beside the quota: so many checks and refused submits an hour.

Counted per team and not per address, because a classroom shares one. The numbers belong to the
code and not to a contest: nobody who works by hand ever meets them.
"""

from datetime import datetime, timedelta

from django.db import IntegrityError
from django.db.models import F

from leaderboard.submissions.models import BrakeCount
from leaderboard.teams.models import Team

Kind = BrakeCount.Kind

LIMITS = {Kind.CHECK: 60, Kind.REFUSED: 30}


def press(*, team: Team, kind: Kind, at: datetime) -> bool:
    """Count one more in this hour. False, and nothing written, when the hour is full.

    Two requests at once never raise and never count past the limit: the row is made at most once,
    and it grows only while it is below.
    """
    rows = BrakeCount.objects.filter(team=team, kind=kind, hour=_hour(at))
    number = rows.values_list("number", flat=True).first()
    if number is None:
        try:
            _begin_hour(team, kind, at)
        except IntegrityError:
            return True  # the team is gone: its last person was moved a moment ago
    elif number >= LIMITS[kind]:
        return False
    return rows.filter(number__lt=LIMITS[kind]).update(number=F("number") + 1) == 1


def is_full(*, team: Team, kind: Kind, at: datetime) -> bool:
    """Whether this hour takes no more of this kind from the team."""
    return BrakeCount.objects.filter(
        team=team, kind=kind, hour=_hour(at), number__gte=LIMITS[kind]
    ).exists()


def seconds_left(at: datetime) -> int:
    """How long it is until the next hour begins, at least one second."""
    return max(1, round((_hour(at) + timedelta(hours=1) - at).total_seconds()))


def _hour(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)


def _begin_hour(team: Team, kind: Kind, at: datetime) -> None:
    """Whoever begins an hour takes the team's earlier one away, so a team has one row a kind."""
    BrakeCount.objects.filter(team=team, kind=kind, hour__lt=_hour(at)).delete()
    BrakeCount.objects.bulk_create(
        [BrakeCount(team=team, kind=kind, hour=_hour(at))], ignore_conflicts=True, batch_size=500
    )
