"""Reads of references. What participants may know of a set is its ids and sizes, nothing else."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Subquery

from leaderboard.competitions.models import Competition
from leaderboard.references.models import (
    Dialogue,
    DialogueSet,
    Example,
    ReferenceSet,
    Release,
    ScoringVersion,
)
from scoring.profile import preset_of
from scoring.references import ReferenceRow, References


def live_version(competition: Competition) -> ScoringVersion | None:
    """The version that the board shows, or None before the first one is made live."""
    return (
        ScoringVersion.objects.filter(competition=competition, state=ScoringVersion.State.LIVE)
        .select_related("reference_set")
        .first()
    )


def splits_of(reference_set: ReferenceSet) -> dict[str, str]:
    """Each id's split."""
    return dict(reference_set.examples.values_list("example_id", "split"))


def proposed(competition: Competition) -> dict[str, Any]:
    """What new golds are scored with unless somebody says otherwise: as the board is; before the
    first version is live, as the contest was made."""
    live = live_version(competition)
    profile = competition.profile() if live is None else live.profile()
    beside = [metric.name for metric in profile.beside]
    if (preset := preset_of(profile)) is None:
        profile, preset = competition.profile(), competition.preset
    return {
        "preset": preset,
        "tokenizer": profile.tokenizer,
        "beside": beside,
        "tags": profile.tags,
        "tag_forms": " ".join(profile.tag_forms),
    }


def next_number(competition: Competition) -> int:
    """The number that the next version gets which is made live for the first time."""
    newest = competition.scoring_versions.aggregate(newest=Max("number"))["newest"]
    return (newest or 0) + 1


def versions(competition: Competition) -> list[ScoringVersion]:
    """All versions of a competition, newest first."""
    return list(
        ScoringVersion.objects.filter(competition=competition).select_related(
            "reference_set", "created_by"
        )
    )


def scored_versions(competition: Competition | None = None) -> list[ScoringVersion]:
    """The versions that submissions are scored under: live, rehearsing; of one contest or all."""
    states = (ScoringVersion.State.LIVE, ScoringVersion.State.REHEARSING)
    versions = ScoringVersion.objects.filter(state__in=states)
    return list(versions.filter(competition=competition) if competition else versions)


def expected_ids(version: ScoringVersion) -> tuple[str, ...]:
    """The ids that a prediction file must name, in the order of the upload."""
    return _ids_of(version.reference_set_id)


@lru_cache(maxsize=4)  # of each file that comes in; a set never changes
def _ids_of(reference_set_id: UUID) -> tuple[str, ...]:
    rows = Example.objects.filter(reference_set=reference_set_id)
    return tuple(rows.values_list("example_id", flat=True))


def stored_references(reference_set_id: UUID) -> References:
    """The set as `scoring` reads it, rebuilt from its rows."""
    rows = Example.objects.filter(reference_set=reference_set_id).values_list(
        "example_id", "references", "split", "topic"
    )
    return References.from_examples(
        ReferenceRow(
            example_id=example_id,
            references=tuple(references),
            split=split or None,
            topic=topic or None,
        )
        for example_id, references, split, topic in rows
    )


def covering_sets(competition: Competition, version: ScoringVersion | None) -> list[DialogueSet]:
    """The contest's dialogue sets with a dialogue for every id of this version, newest first."""
    if version is None:
        return []
    examples = Example.objects.filter(reference_set=version.reference_set_id)
    wanted = examples.order_by().values("reference_set").annotate(n=Count("pk")).values("n")
    whole = (
        Dialogue.objects.filter(
            dialogue_set__competition=competition, example_id__in=examples.values("example_id")
        )
        .order_by()
        .values("dialogue_set")
        .annotate(found=Count("pk"))
        .filter(found=Subquery(wanted))
    )
    return list(
        DialogueSet.objects.filter(competition=competition, pk__in=whole.values("dialogue_set"))
    )


def dialogues_of(version: ScoringVersion) -> dict[str, str] | None:
    """Of every row of the version, from the newest set that has them; None without one."""
    newest = next(iter(covering_sets(version.competition, version)), None)
    if newest is None:
        return None
    rows = Dialogue.objects.filter(dialogue_set=newest)
    return dict(rows.values_list("example_id", "text"))


# --- What was released ---------------------------------------------------------------------------
# The dev lab and the downloads ask here and nowhere else, so no address of theirs can name a set
# that scores anybody.


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
