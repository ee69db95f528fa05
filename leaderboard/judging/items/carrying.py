"""What a config takes over from the one it was copied from: items that were made and reviewed.

They are the dialogue's own, whichever model judges: taken over where a worker would be given the
same texts to make them from, when the review begins. Until then the draft may still change.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q

from leaderboard.judging.models import Artefact, BuiltDialogue, JudgeConfig, Section
from leaderboard.judging.plan import SECTIONS, makes_items
from leaderboard.references.models import Dialogue

# Why nothing can be taken over.
PIPELINE, NOTHING, QUESTIONS, CHANGED_SECTIONS = "pipeline", "nothing", "questions", "sections"
COPIED = (
    "kind",
    "item_id",
    "example_id",
    "rubric_id",
    "text",
    "origin",
    "source_answer",
    "is_kept",
    "reviewed_by_id",
)


@dataclass(frozen=True)
class Carried:
    """What comes from `source`; of nothing, `barrier` says why.

    `example_ids`: dialogues that need no call, the empty id the sections. `questions` are those
    that the source's model found the dialogue to answer.
    """

    source: JudgeConfig
    barrier: str
    example_ids: frozenset[str]
    items: int = 0
    reviewed: int = 0
    questions: int = 0

    @property
    def dialogues(self) -> int:
        return len(self.example_ids - {SECTIONS})


def carried(config: JudgeConfig) -> Carried | None:
    """What would be taken over as the draft stands now; None for one that is no copy."""
    source = config.copied_from
    if source is None:
        return None
    rows = source.built_dialogues.filter(failure="")
    built = set(rows.values_list("example_id", flat=True))
    barrier = _barrier(config, source, built)
    if barrier:
        return Carried(source, barrier, frozenset())
    ids = frozenset(built & {SECTIONS, *_same_texts(config, source)})
    counted = source.artefacts.filter(example_id__in=ids).aggregate(
        items=Count("pk"),
        reviewed=Count("pk", filter=Q(reviewed_by__isnull=False)),
        questions=Count("pk", filter=Q(kind=Artefact.Kind.QUESTION, source_answer=True)),
    )
    return Carried(source, "", ids, **counted)


def carry(*, config: JudgeConfig) -> int:
    """Write it into the row's tables, marks of the review and all; how many items.

    Once, when the config leaves its draft. The row is locked.
    """
    found = carried(config)
    if found is None or not found.example_ids:
        return 0
    sections = dict(config.sections.values_list("position", "pk"))
    BuiltDialogue.objects.bulk_create(
        (BuiltDialogue(config=config, example_id=each) for each in sorted(found.example_ids)),
        batch_size=500,
    )
    # In the order in which they are asked.
    items = found.source.artefacts.filter(example_id__in=found.example_ids).order_by("pk")
    Artefact.objects.bulk_create(
        (
            Artefact(
                config=config,
                section_id=sections[item.section.position] if item.section else None,
                **{name: getattr(item, name) for name in COPIED},
            )
            for item in items.select_related("section")
        ),
        batch_size=500,
    )
    return found.items


def spared(config: JudgeConfig) -> frozenset[str]:
    """Dialogues that need no call to have items: they have them, or will take them over."""
    built = frozenset(config.built_dialogues.values_list("example_id", flat=True))
    if config.state != JudgeConfig.State.DRAFT:
        return built
    found = carried(config)
    return built | found.example_ids if found else built


def _barrier(config: JudgeConfig, source: JudgeConfig, built: Collection[str]) -> str:
    """A code why no item of the source would be made of this config, or an empty string."""
    if not (config.is_shared and source.is_shared):
        return PIPELINE
    if SECTIONS not in built:  # contents belong to the questions of sections
        return NOTHING
    if config.questions_per_dialogue != source.questions_per_dialogue:
        return QUESTIONS
    return CHANGED_SECTIONS if _sections_differ(config, source) else ""


def _sections_differ(config: JudgeConfig, source: JudgeConfig) -> bool:
    """Whether another section has items, or should. Those without any may come and go."""
    with_items = set(source.artefacts.exclude(section=None).values_list("section", flat=True))
    before, now = list(source.sections.all()), list(config.sections.all())
    needed = {_key(one) for one in before if one.pk in with_items or makes_items(one)}
    wanted = {_key(one) for one in now if makes_items(one)}
    return not wanted <= needed <= {_key(one) for one in now}


def _key(section: Section) -> tuple[int, str, str, str]:
    return (section.position, section.name, section.kind, section.instruction)


def _same_texts(config: JudgeConfig, source: JudgeConfig) -> set[str]:
    """Ids whose dialogues are the same text in both configs' sets. One query."""
    theirs = Dialogue.objects.filter(
        dialogue_set=source.dialogue_set_id,
        example_id=OuterRef("example_id"),
        text=OuterRef("text"),
    )
    ours = Dialogue.objects.filter(Exists(theirs), dialogue_set=config.dialogue_set_id)
    return set(ours.values_list("example_id", flat=True))
