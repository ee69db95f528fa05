"""Taking a whole contest out, golds and all: only its owner may, and the log keeps it."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import refuse_all_but_owners
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition


def export_competition(
    *, competition: Competition, user: User | None, full: bool, clone: str = "", at: datetime
) -> None:
    """Note who takes the contest's file; `operations` reads and packs it. Raises Refused.

    `user` is None for the administrator at the server's console; `clone` is the address of a new
    contest that is made of the file at once.
    """
    with transaction.atomic():
        if user is not None:
            locked = lock_one(Competition.objects.filter(pk=competition.pk))
            refuse_all_but_owners(locked, user)
        record(
            kind="competition.cloned" if clone else "competition.exported",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=competition.pk,
            after={"slug": clone} if clone else {"full": full},
        )
