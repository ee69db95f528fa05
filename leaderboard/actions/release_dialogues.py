"""Letting participants read dialogues beside the dev golds they belong to."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.references import releasing
from leaderboard.references.models import DialogueSet


def release_dialogues(*, dialogue_set: DialogueSet, user: User, at: datetime) -> None:
    """Show them in the dev lab and hand them out with the dev golds. Raises Refused."""
    with transaction.atomic():
        locked_for_editing(dialogue_set.competition, user)
        if not releasing.release_dialogues(dialogue_set=dialogue_set, at=at):
            raise Refused(
                "already_released",
                ko="이미 공개한 대화입니다.",
                en="These dialogues are already released.",
            )
        record(
            kind="dialogues.released",
            actor=user,
            at=at,
            competition=dialogue_set.competition_id,
            subject=dialogue_set.pk,
            after={"sha256": dialogue_set.sha256, "rows": dialogue_set.rows},
        )
