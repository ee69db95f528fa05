"""Making a competition and giving it an owner."""

from datetime import datetime
from typing import Any

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition, Organizer


def create_competition(*, owner: User, at: datetime, **fields: Any) -> Competition:
    """A competition with these fields. Raises ValidationError for what the model refuses."""
    with transaction.atomic():
        competition = Competition(**fields)
        competition.full_clean()
        competition.save()
        Organizer.objects.create(competition=competition, user=owner, role=Organizer.Role.OWNER)
        record(
            kind="competition.created",
            actor=owner,
            at=at,
            competition=competition.pk,
            subject=competition.pk,
            after={"slug": competition.slug},
        )
    return competition
