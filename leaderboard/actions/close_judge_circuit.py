"""An organizer says that a judge's server may be asked again."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.judge_editing import locked_config_for_editing
from leaderboard.audit.log import record
from leaderboard.judging import switching
from leaderboard.judging.models import Circuit


def close_judge_circuit(*, config_id: UUID, user: User, at: datetime) -> bool:
    """True if it had been shut out. Raises Refused."""
    with transaction.atomic():
        config = locked_config_for_editing(config_id, user)
        row = Circuit.objects.filter(config=config).first()
        if row is None or not (row.reason or row.open_until or row.failures):
            return False
        switching.ask_again(config=config)
        record(
            kind="judge.circuit_closed",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=config.pk,
            before={"failure": row.reason},
        )
    return True
