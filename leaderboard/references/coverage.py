"""Which uploads of dialogues hold every id that a board is scored with."""

from django.db.models import Count

from leaderboard.competitions.models import Competition
from leaderboard.references.models import Dialogue, DialogueSet, Example, ScoringVersion


def missing_dialogues(dialogue_set: DialogueSet, version: ScoringVersion) -> int:
    """How many ids of this version's golds have no dialogue in the set."""
    there = Dialogue.objects.filter(dialogue_set=dialogue_set).values("example_id")
    examples = Example.objects.filter(reference_set=version.reference_set_id)
    return examples.exclude(example_id__in=there).count()


def covering_sets(competition: Competition, version: ScoringVersion | None) -> list[DialogueSet]:
    """The contest's dialogue sets with a dialogue for every id of this version, newest first."""
    if version is None:
        return []
    examples = Example.objects.filter(reference_set=version.reference_set_id)
    wanted = examples.count()
    counted = (
        Dialogue.objects.filter(
            dialogue_set__competition=competition, example_id__in=examples.values("example_id")
        )
        .values("dialogue_set")
        .annotate(found=Count("pk"))
        .order_by()
    )
    whole = [row["dialogue_set"] for row in counted if row["found"] == wanted]
    return list(DialogueSet.objects.filter(competition=competition, pk__in=whole))
