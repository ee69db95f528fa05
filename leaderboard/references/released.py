"""What was released to participants, and what must never be.

The dev lab and the downloads ask here and nowhere else, so no address of theirs can name a set
that scores anybody.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.references.models import (
    Dialogue,
    DialogueSet,
    Example,
    ReferenceSet,
    Release,
)
from scoring.dialogues import Dialogues


def released_set(competition: Competition) -> ReferenceSet | None:
    """The practice set that participants may read now."""
    newest = Release.objects.filter(competition=competition).select_related("reference_set").first()
    return newest.reference_set if newest else None


def practice_sets(competition: Competition) -> list[ReferenceSet]:
    """Every set that was uploaded to be released, newest first; `release` is not there before."""
    return list(
        ReferenceSet.objects.filter(
            competition=competition, public_rows=0, private_rows=0
        ).select_related("release", "uploaded_by")
    )


def practice_examples(reference_set: ReferenceSet) -> list[Example]:
    """The rows of a released set, in its order. Raises PermissionError for any other set."""
    if not Release.objects.filter(reference_set=reference_set).exists():
        raise PermissionError("only a released set is read for participants")
    return list(Example.objects.filter(reference_set=reference_set))


def dev_ids(competition: Competition) -> tuple[str, ...]:
    """The ids that participants may practise on, of every released set."""
    released = Release.objects.filter(competition=competition).values("reference_set")
    rows = Example.objects.filter(reference_set__in=released)
    return tuple(rows.values_list("example_id", flat=True))


def released_dialogues(competition: Competition, ids: Iterable[str]) -> dict[str, str]:
    """Dialogues of these ids that participants may read; the newest upload of an id counts."""
    rows = (
        Dialogue.objects.filter(
            dialogue_set__competition=competition,
            dialogue_set__released_at__isnull=False,
            example_id__in=list(ids),
        )
        .order_by("dialogue_set__uploaded_at", "position")
        .values_list("example_id", "text")
    )
    return dict(rows)


def has_released_dialogues(reference_set: ReferenceSet) -> bool:
    """Whether participants may read any dialogue of this set."""
    return Dialogue.objects.filter(
        dialogue_set__competition=reference_set.competition_id,
        dialogue_set__released_at__isnull=False,
        example_id__in=Example.objects.filter(reference_set=reference_set).values("example_id"),
    ).exists()


def one_line(gold: str) -> str:
    """A text as it is compared: another number of blanks hides nothing."""
    return " ".join(gold.split())


def keep_dialogues(
    *,
    competition: Competition,
    dialogues: Dialogues,
    file_name: str,
    user: User,
    at: datetime,
    **elsewhere: Any,
) -> DialogueSet:
    """Store one row per dialogue. The set never changes afterwards.

    `elsewhere`: further fields of a set that comes from another server.
    """
    dialogue_set = DialogueSet.objects.create(
        competition=competition,
        sha256=dialogues.sha256,
        rows=len(dialogues.texts),
        file_name=file_name,
        notices=[notice.kept() for notice in dialogues.notices],
        uploaded_by=user,
        uploaded_at=at,
        **elsewhere,
    )
    Dialogue.objects.bulk_create(
        (
            Dialogue(dialogue_set=dialogue_set, position=position, example_id=example_id, text=text)
            for position, (example_id, text) in enumerate(dialogues.texts.items())
        ),
        batch_size=500,
    )
    # Baselines that read dialogues are made anew, with those that came in.
    for version in competition.scoring_versions.filter(self_check__has_key="lines"):
        figures = {name: one for name, one in (version.self_check or {}).items() if name != "lines"}
        competition.scoring_versions.filter(pk=version.pk).update(self_check=figures)
    return dialogue_set
