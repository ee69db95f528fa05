"""Writes of what participants may read: a practice set, and dialogues."""

from datetime import datetime
from uuid import UUID, uuid4

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.references.intake import claim_golds
from leaderboard.references.models import (
    Dialogue,
    DialogueSet,
    ReferenceSet,
    Release,
    SetUse,
)
from scoring.dialogues import Dialogues


def release(*, reference_set: ReferenceSet, user: User, at: datetime) -> Release:
    """Hand a set out from now on. Raises IntegrityError for golds that any version scores with."""
    claim_golds(reference_set=reference_set, use=SetUse.Use.RELEASED)
    return Release.objects.create(
        competition_id=reference_set.competition_id,
        reference_set=reference_set,
        released_by=user,
        released_at=at,
    )


def keep_dialogues(
    *,
    competition: Competition,
    dialogues: Dialogues,
    file_name: str,
    user: User,
    at: datetime,
    set_id: UUID | None = None,
) -> DialogueSet:
    """Store one row per dialogue. The set never changes afterwards.

    `set_id` is that of a set that comes from elsewhere.
    """
    dialogue_set = DialogueSet.objects.create(
        id=set_id or uuid4(),
        competition=competition,
        sha256=dialogues.sha256,
        rows=len(dialogues.texts),
        file_name=file_name,
        notices=[
            {"code": n.code, "line": n.line, "message_ko": n.message_ko, "message_en": n.message_en}
            for n in dialogues.notices
        ],
        uploaded_by=user,
        uploaded_at=at,
    )
    Dialogue.objects.bulk_create(
        (
            Dialogue(dialogue_set=dialogue_set, position=position, example_id=example_id, text=text)
            for position, (example_id, text) in enumerate(dialogues.texts.items())
        ),
        batch_size=500,
    )
    return dialogue_set


def release_dialogues(*, dialogue_set: DialogueSet, at: datetime) -> bool:
    """Let participants read these dialogues; False if they already may."""
    kept = DialogueSet.objects.filter(pk=dialogue_set.pk, released_at=None)
    return kept.update(released_at=at) == 1
