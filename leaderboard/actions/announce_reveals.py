"""Telling the members of a contest, once, that its results are open."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell


def announce_reveals(*, at: datetime) -> int:
    """Tell of every reveal that has come and was not told; answers how many contests.

    Safe to run twice, and from two sweepers. A reveal that was held is told of once it is let go.
    """
    due = Competition.objects.filter(
        reveal_told_at=None, reveals_at__lte=at, reveal_held=False
    ).order_by("reveals_at")
    return sum(_announce(competition, at) for competition in due.values_list("pk", flat=True))


def _announce(competition_id: UUID, at: datetime) -> bool:
    with transaction.atomic():
        locked = lock_one(Competition.objects.filter(pk=competition_id))
        # Another sweeper may have told, or an organizer have held the reveal, a moment ago.
        if locked.reveal_told_at is not None or phase(locked, at) is not Phase.REVEALED:
            return False
        tell(
            users=User.objects.filter(memberships__competition=locked)
            .only("pk")
            .iterator(chunk_size=500),
            kind=Notification.Kind.REVEALED,
            subject=locked.pk,
            competition=locked.pk,
            competition_slug=locked.slug,
            data={},
            at=at,
        )
        locked.reveal_told_at = at
        locked.save(update_fields=["reveal_told_at"])
    return True
