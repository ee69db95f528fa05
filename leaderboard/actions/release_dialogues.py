"""Letting participants read dialogues beside the dev golds they belong to."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing, refuse_all_but_editors
from leaderboard.actions.refusals import Refused
from leaderboard.actions.second_step import Preview, digest_of, refuse_unseen
from leaderboard.audit.log import record
from leaderboard.community.announcements import people_of
from leaderboard.references import releasing
from leaderboard.references.models import DialogueSet


def preview_dialogues(*, dialogue_set: DialogueSet, user: User) -> Preview:
    """Who could read these dialogues. Raises Refused as `release_dialogues` would."""
    refuse_all_but_editors(dialogue_set.competition, user)
    if dialogue_set.released_at is not None:
        raise _already()
    return Preview(
        digest=digest_of("dialogues.released", dialogue_set.pk),
        people=people_of(dialogue_set.competition).count(),
    )


def release_dialogues(
    *, dialogue_set: DialogueSet, user: User, seen: str | None = None, at: datetime
) -> None:
    """Show them in the dev lab and hand them out with the dev golds. Raises Refused."""
    with transaction.atomic():
        locked_for_editing(dialogue_set.competition, user)
        found = preview_dialogues(dialogue_set=dialogue_set, user=user)
        refuse_unseen(found.digest, seen)
        if not releasing.release_dialogues(dialogue_set=dialogue_set, at=at):
            raise _already()
        record(
            kind="dialogues.released",
            actor=user,
            at=at,
            competition=dialogue_set.competition_id,
            subject=dialogue_set.pk,
            after={"sha256": dialogue_set.sha256, "rows": dialogue_set.rows},
        )


def _already() -> Refused:
    return Refused(
        "already_released",
        ko="이미 공개한 대화입니다.",
        en="These dialogues are already released.",
    )
