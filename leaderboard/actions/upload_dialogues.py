"""An organizer uploads dialogues, for judges and the dev lab."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.references.models import DialogueSet, Example, ReferenceSet
from leaderboard.references.queries import live_version
from leaderboard.references.released import practice_sets
from leaderboard.references.releasing import keep_dialogues
from leaderboard.submissions.intake import Upload, clean_name
from scoring.dialogues import Dialogues, read


def upload_dialogues(
    *, competition: Competition, user: User, upload: Upload, at: datetime
) -> DialogueSet:
    """Keep the dialogues of the dev set or of the live golds, every id of one of them at least.

    Participants see nothing of it before `release_dialogues`. Raises InvalidDialogues with all
    problems and line numbers, or Refused.
    """
    if not may_edit(user, competition):
        raise not_an_editor()
    dialogues = read(upload.data)
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        _refuse_uncovered(locked, dialogues)
        if DialogueSet.objects.filter(competition=locked, sha256=dialogues.sha256).exists():
            raise Refused(
                "same_dialogues",
                ko="똑같은 대화 묶음이 이미 있습니다.",
                en="The same dialogues are already here.",
            )
        kept = keep_dialogues(
            competition=locked,
            dialogues=dialogues,
            file_name=clean_name(upload.name),
            user=user,
            at=at,
        )
        record(
            kind="dialogues.uploaded",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=kept.pk,
            after={"sha256": kept.sha256, "rows": kept.rows},
        )
    return kept


def _refuse_uncovered(competition: Competition, dialogues: Dialogues) -> None:
    missing = [
        [example_id for example_id in ids if example_id not in dialogues.texts]
        for ids in _sets_of_ids(competition)
    ]
    if not missing:
        raise Refused(
            "no_golds_yet",
            ko="아직 정답이나 dev 묶음이 없어 어느 대화인지 알 수 없습니다.",
            en="There are no golds and no dev set yet that these dialogues could belong to.",
            next_ko="정답이나 dev 묶음을 먼저 올려 주세요.",
            next_en="Upload golds or a dev set first.",
            status=422,
        )
    nearest = min(missing, key=len)
    if nearest:
        named = ", ".join(nearest[:5]) + (" …" if len(nearest) > 5 else "")
        raise Refused(
            "dialogues_missing",
            ko=f"대화가 없는 id가 {len(nearest):,}개 있습니다: {named}.",
            en=f"{len(nearest):,} ids have no dialogue: {named}.",
            next_ko="묶음의 모든 id에 대화가 하나씩 있어야 합니다.",
            next_en="Every id of the set needs its dialogue.",
            status=422,
        )


def _sets_of_ids(competition: Competition) -> list[list[str]]:
    """The ids of the live golds, and of the newest dev set."""
    live = live_version(competition)
    sets: list[ReferenceSet] = [live.reference_set] if live else []
    sets += practice_sets(competition)[:1]
    return [
        list(Example.objects.filter(reference_set=one).values_list("example_id", flat=True))
        for one in sets
    ]
