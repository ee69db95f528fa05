"""Taking a file for participants away."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.owning import locked_for_owning
from leaderboard.audit.log import record
from leaderboard.competitions.models import DataFile, data_storage


def remove_data_file(*, data_file: DataFile, user: User, at: datetime) -> None:
    """Delete the file; the log keeps its name, size and hash. For owners. Raises Refused.

    Removing what somebody else has just removed is removing it.
    """
    with transaction.atomic():
        competition = locked_for_owning(data_file.competition, user)
        gone, _ = DataFile.objects.filter(pk=data_file.pk).delete()
        if not gone:
            return
        record(
            kind="data_file.removed",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=data_file.pk,
            before={
                "name": data_file.name,
                "size": data_file.size,
                "sha256": data_file.sha256,
            },
        )
        # Only when the row is gone for good, so that no row ever points at nothing.
        stored = str(data_file.file.name)
        transaction.on_commit(lambda: data_storage().delete(stored))
