"""Taking a file for participants away."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.models import DataFile, Organizer, data_storage
from leaderboard.competitions.roles import role_of


def remove_data_file(*, data_file: DataFile, user: User, at: datetime) -> None:
    """Delete the file; the log keeps its name, size and hash. For owners. Raises Refused.

    Removing what somebody else has just removed is removing it.
    """
    with transaction.atomic():
        competition = locked_for_editing(data_file.competition, user)
        if role_of(user, competition) != Organizer.Role.OWNER:
            raise Refused(
                "not_an_owner",
                ko="파일은 소유자만 지울 수 있습니다.",
                en="Only owners remove files.",
                status=403,
            )
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
