"""Which boards of a version changed: marks under which a process may keep what it read of them.

Whoever writes standings or kept instants adds a line in the same transaction. Lines are never
changed, so that scorings of different teams wait for nothing of one another's. Marks are read
before the rows: what was read under them may be newer than they say, but never older.

A line's mark is a random number, and a board's marks are the sum over the lines that may concern
it. The sum stands for the set of lines, whatever the order of commits, and neither a rolled-back
change nor a restored database brings one back. Where lines are put together, a new one stands for
them, so no earlier set comes again.
"""

from collections.abc import Collection
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import Aggregate, Count, Q, Sum

from leaderboard.boards.models import BoardChange
from leaderboard.competitions.locking import lock

# How many lines, and the sum of their marks; None without a line.
Marks = tuple[int, int | Decimal] | None

# Reading marks takes as long as a version has lines; each time they are put together, every
# process reads the totals again. On this many, reading takes a hundredth of reading 10,000 totals.
MOST_LINES = 100

EVERY_INSTANT = datetime.fromtimestamp(0, UTC)


def note(version_id: UUID, *, since: datetime | None) -> None:
    """Say that boards of this version change, inside the transaction that changes them.

    `since`: the earliest instant whose board changes; None: only that of now, as when a file comes
    in after the last midnight. Of a change of the past, the later boards may be concerned as well.
    """
    BoardChange.objects.create(scoring_version_id=version_id, since=since)


def marks(version_id: UUID, instants: Collection[datetime | None]) -> dict[datetime | None, Marks]:
    """Of the board of now (None) and of these instants: each equal as long as its board is."""
    asked: dict[str, Aggregate] = {}
    for number, instant in enumerate(instants):
        concerns = Q() if instant is None else Q(since__lte=instant)
        asked[f"lines_{number}"] = Count("pk", filter=concerns)
        asked[f"sum_{number}"] = Sum("mark", filter=concerns)
    found = BoardChange.objects.filter(scoring_version=version_id).aggregate(**asked)
    return {
        instant: (lines, found[f"sum_{number}"]) if (lines := found[f"lines_{number}"]) else None
        for number, instant in enumerate(instants)
    }


def put_together(version_id: UUID) -> int:
    """One new line for all of the version's, once there are many; how many were taken away."""
    lines = BoardChange.objects.filter(scoring_version=version_id)
    if lines.count() <= MOST_LINES:
        return 0
    with transaction.atomic():
        lock(lines)
        gone, _ = lines.delete()
        note(version_id, since=EVERY_INSTANT)
    return gone
