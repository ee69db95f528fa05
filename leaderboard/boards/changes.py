"""When a version's boards changed: a stamp under which a process may keep what it read of them.

Whoever writes standings or kept instants adds a line in the same transaction. Lines are never
changed, so that scorings of different teams wait for nothing of one another's. A stamp is read
before the rows: what was read under it may be newer than the stamp says, but never older.

Lines are told apart by random numbers, and a stamp holds their sum: it stands for the set of lines,
whatever the order of commits, and neither a rolled-back change nor a restored database brings one
back. Where lines are put together, a new one stands for them, so no earlier set comes again.
"""

from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Sum

from leaderboard.boards.models import BoardChange

# How many lines of a version there are, and the sum of their marks.
Stamp = tuple[int, int | Decimal]

# Reading a stamp takes as long as a version has lines; each time they are put together, every
# process reads the totals again. On this many, reading takes a hundredth of reading 10,000 totals.
MOST_LINES = 100


def note(version_id: UUID) -> None:
    """Say that boards of this version change, inside the transaction that changes them."""
    BoardChange.objects.create(scoring_version_id=version_id)


def stamp(version_id: UUID) -> Stamp | None:
    """Equal as long as no board of the version changed; None when none ever said that it did."""
    lines = BoardChange.objects.filter(scoring_version=version_id)
    found = lines.aggregate(number=Count("pk"), marks=Sum("mark"))
    return (found["number"], found["marks"]) if found["number"] else None


def put_together(version_id: UUID) -> int:
    """One new line for all of the version's, once there are many; how many were taken away."""
    lines = BoardChange.objects.filter(scoring_version=version_id)
    if lines.count() <= MOST_LINES:
        return 0
    with transaction.atomic():
        gone, _ = lines.delete()
        note(version_id)
    return gone
