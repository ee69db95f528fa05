"""A participant agrees to the newest wording of the terms."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.joining import accept_terms_due
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition


def accept_terms(*, user: User, competition: Competition, number: int, at: datetime) -> None:
    """Keep who agreed to which number, and when. Raises Refused if a newer wording is there.

    The kept row is the record; it is no decision about anybody else, so nothing is logged.
    """
    with transaction.atomic():
        locked = lock_one(Competition.objects.filter(pk=competition.pk))
        accept_terms_due(locked, user, number=number, at=at)
