"""Files that were sent and wait for the word that they are handed in: one for a person and team.

No row points at one, so nobody misses it: the sweeper removes those that were forgotten
(`orphans`), and those of a deleted contest go with it.
"""

import re
from collections.abc import Iterator
from itertools import islice
from uuid import UUID

from leaderboard.submissions.models import submission_storage
from leaderboard.teams.models import Team

CHUNK = 500  # names asked of the database at a time
_PLACE = re.compile(r"\.([0-9a-f]{32})-[0-9]+\.part")


def place(team: UUID, user: int) -> str:
    """The name of the file that waits for this person and team."""
    return f".{team.hex}-{user}.part"


def discard_without_team() -> Iterator[int]:
    """Remove what waits for teams that are no more; of each part of the store, how many files."""
    store = submission_storage()
    names = (name for name in store.names() if _PLACE.fullmatch(name))
    while part := list(islice(names, CHUNK)):
        teams = {name: UUID(name[1:33]) for name in part}
        there = set(Team.objects.filter(pk__in=set(teams.values())).values_list("pk", flat=True))
        without = [name for name, team in teams.items() if team not in there]
        for name in without:
            store.delete(name)
        yield len(without)
