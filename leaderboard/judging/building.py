"""Making what every submission will be asked, or taking it over from the config that was copied.

Nothing here sees a submission. Only what a quotation from the dialogue proves becomes an item.
Items are taken over where a worker would make them from the same texts.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef

from leaderboard.judging.asking.budget import Payer
from leaderboard.judging.asking.claim import Claimed
from leaderboard.judging.asking.walk import Walk
from leaderboard.judging.models import Artefact, BuiltDialogue, JudgeConfig, Section
from leaderboard.judging.plan import SECTIONS, dialogues, ids_to_build, items, makes_items
from leaderboard.references.models import Dialogue
from scoring.judges import evidence, walking
from scoring.judges.call_graph import Pipeline
from scoring.judges.pipelines import PIPELINES
from scoring.judges.records import Status, is_about_absence

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
    """What comes from `source`, for these dialogues; of nothing, `barrier` says why."""

    source: JudgeConfig
    barrier: str
    example_ids: frozenset[str]
    items: int = 0

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
    return Carried(source, "", ids, source.artefacts.filter(example_id__in=ids).count())


def carry(*, config: JudgeConfig) -> int:
    """Copy it when the config leaves its draft, marks of the review included; how many items."""
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
    if not (config.is_shared and source.is_shared):
        return PIPELINE
    if SECTIONS not in built:  # contents belong to the questions of sections
        return NOTHING
    if config.questions_per_dialogue != source.questions_per_dialogue:
        return QUESTIONS
    return "" if _asked_of(config) == _asked_of(source) else CHANGED_SECTIONS


def _asked_of(config: JudgeConfig) -> set[tuple[Any, ...]]:
    """The sections of which items may have been made; none are of fixed values."""
    fixed = Section.Kind.CATEGORICAL
    rows = config.sections.exclude(kind=fixed)
    return set(rows.values_list("position", "name", "kind", "instruction"))


def _same_texts(config: JudgeConfig, source: JudgeConfig) -> set[str]:
    """Ids whose dialogues are the same text in both configs' sets. One query."""
    theirs = Dialogue.objects.filter(
        dialogue_set=source.dialogue_set_id,
        example_id=OuterRef("example_id"),
        text=OuterRef("text"),
    )
    ours = Dialogue.objects.filter(Exists(theirs), dialogue_set=config.dialogue_set_id)
    return set(ours.values_list("example_id", flat=True))


Kind = Artefact.Kind
LONGEST_ITEM = 500
MOST_CONTENTS = 20  # of one dialogue
_ALL = PIPELINES["artefacts"]
_OF_SECTION = Pipeline(_ALL.name, tuple(call for call in _ALL.calls if call.id == "S0"))
_OF_DIALOGUE = Pipeline(_ALL.name, tuple(call for call in _ALL.calls if call.id != "S0"))


class BuildWork:
    """See `chunk.Work`. The sections first; the dialogues need their rubrics."""

    def __init__(self, claim: Claimed) -> None:
        rows = JudgeConfig.objects.select_related("competition", "dialogue_set")
        self.config = rows.get(pk=claim.pk)
        self.claim = claim
        self.payer = Payer(self.config, claim.owner)
        built = BuiltDialogue.objects.filter(config=self.config)
        over = set(built.values_list("example_id", flat=True))
        self._open = [each for each in ids_to_build(self.config) if each not in over]
        self._sections = list(filter(makes_items, self.config.sections.all()))
        self._waits_for = {section.pk for section in self._sections}
        if SECTIONS in self._open and not self._sections:
            self._built(SECTIONS, "")
            self._open.remove(SECTIONS)

    def walks(self) -> Iterator[Walk]:
        """What is not built; while the sections are not, only they."""
        if SECTIONS in self._open:
            for section in self._sections:
                values = walking.given(
                    section=section.name, instruction=section.instruction, kind=section.kind
                )
                yield Walk(SECTIONS, _OF_SECTION, values, section_id=section.pk)
            return
        rubrics = [
            rubric
            for rubric in items(self.config)[SECTIONS].rubrics
            if rubric.kind == "free" and not rubric.instruction
        ]
        texts = dialogues(self.config, self._open)
        for example_id in self._open:
            values = walking.given(
                dialogue=texts[example_id],
                rubrics=rubrics,
                number=self.config.questions_per_dialogue,
            )
            yield Walk(example_id, _OF_DIALOGUE, values)

    def prepare(self, walks: Sequence[Walk]) -> Sequence[Walk]:
        return walks

    def save(self, prepared: Sequence[Walk]) -> None:
        """Keep the items of dialogues that are over; those that nobody answered stay open."""
        for walk in prepared:
            statuses = {status for status, _ in walk.stopped.values()}
            if Status.INFRA_ERROR in statuses:
                continue
            failure = next((code for _, code in walk.stopped.values()), "")
            self._forget_half(walk)
            if not failure:
                Artefact.objects.bulk_create(self._items(walk), batch_size=500)
            self._waits_for.discard(walk.section_id or 0)
            if walk.example_id != SECTIONS or failure or not self._waits_for:
                self._built(walk.example_id, failure)

    def _built(self, example_id: str, failure: str) -> None:
        BuiltDialogue.objects.get_or_create(
            config=self.config, example_id=example_id, defaults={"failure": failure[:40]}
        )

    def _forget_half(self, walk: Walk) -> None:
        """A worker that was lost between two sections left items behind."""
        Artefact.objects.filter(
            config=self.config,
            example_id=walk.example_id,
            section=walk.section_id,
            origin=Artefact.Origin.GENERATED,
            reviewed_by=None,
        ).delete()

    def _items(self, walk: Walk) -> list[Artefact]:
        if walk.section_id is not None:
            return self._of_section(walk)
        return [*self._questions(walk), *self._contents(walk)]

    def _artefact(self, walk: Walk, kind: str, item_id: str, text: str, **more: Any) -> Artefact:
        return Artefact(
            config=self.config,
            kind=kind,
            item_id=item_id,
            example_id=walk.example_id,
            section_id=walk.section_id,
            text=text,
            **more,
        )

    def _of_section(self, walk: Walk) -> list[Artefact]:
        """Each question for completeness and for adherence; one about absence has no contents."""
        position = next(each.position for each in self._sections if each.pk == walk.section_id)
        texts = [clean(item["question"]) for item in walk.values["S0.rubrics"]]
        return [
            self._artefact(walk, kind, f"{letter}{position}-{number}", text)
            for number, text in enumerate(filter(None, texts), start=1)
            for kind, letter in ((Kind.RUBRIC, "r"), (Kind.ADHERENCE, "a"))
            if kind == Kind.ADHERENCE or not is_about_absence(text)
        ]

    def _questions(self, walk: Walk) -> list[Artefact]:
        """A question counts as answered by the source only with a quotation from it."""
        dialogue = walk.values["dialogue"]
        answered = {
            item["id"]: item["answered"] and evidence.stands_in(item["evidence"], dialogue)
            for item in walk.values["S2.answers"]
        }
        return [
            self._artefact(
                walk, Kind.QUESTION, item["id"], text, source_answer=answered.get(item["id"], False)
            )
            for item in walk.values["S1.questions"][: self.config.questions_per_dialogue]
            if (text := clean(item["question"]))
        ]

    def _contents(self, walk: Walk) -> list[Artefact]:
        dialogue = walk.values["dialogue"]
        found = [
            (rubric["id"], clean(item["transcript_content"]))
            for rubric in walk.values["S3.completeness"]
            for item in rubric["content_list"]
            if evidence.stands_in(item["evidence"], dialogue)
        ]
        return [
            self._artefact(walk, Kind.CONTENT, f"k{number}", text, rubric_id=rubric_id)
            for number, (rubric_id, text) in enumerate(found[:MOST_CONTENTS], start=1)
            if text
        ]


def clean(text: str) -> str:
    """One line of printable text, short enough to be asked.

    >>> clean(" 만나는가?\\n\\u202e")
    '만나는가?'
    """
    line = " ".join(text.split())
    return "".join(char for char in line if char.isprintable())[:LONGEST_ITEM].strip()
