"""Adding a file that participants may download."""

import hashlib
import uuid
from datetime import datetime

from django.core.files.base import ContentFile
from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import not_an_editor
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition, DataFile, data_storage
from leaderboard.competitions.roles import may_edit
from leaderboard.submissions.intake import Upload, clean_name


def add_data_file(
    *,
    competition: Competition,
    user: User,
    upload: Upload,
    description: str = "",
    description_en: str = "",
    at: datetime,
) -> DataFile:
    """Keep the bytes under a random name with their hash and size. Raises Refused."""
    if not may_edit(user, competition):
        raise not_an_editor()
    stored = data_storage().save(str(uuid.uuid4()), ContentFile(upload.data))
    with transaction.atomic():
        data_file = DataFile.objects.create(
            competition=competition,
            name=clean_name(upload.name),
            description=description,
            description_en=description_en,
            file=stored,
            size=len(upload.data),
            sha256=hashlib.sha256(upload.data).hexdigest(),
            position=competition.data_files.count(),
        )
        record(
            kind="data_file.added",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=data_file.pk,
            after={"name": data_file.name, "sha256": data_file.sha256},
        )
    return data_file
