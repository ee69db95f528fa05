"""Taking a whole contest out, golds and all: only its owner may, and the log keeps it."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import role_of


def export_competition(
    *, competition: Competition, user: User | None, full: bool, at: datetime
) -> None:
    """Note who takes the contest's file; `operations` reads and packs it. Raises Refused.

    `user` is None for the administrator at the server's console.
    """
    if user is not None and role_of(user, competition) != Organizer.Role.OWNER:
        raise Refused(
            "not_an_owner",
            ko="이 대회의 소유자만 할 수 있습니다.",
            en="Only owners of this competition may do this.",
            status=403,
        )
    with transaction.atomic():
        record(
            kind="competition.exported",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=competition.pk,
            after={"full": full},
        )
