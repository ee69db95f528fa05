"""Making what every submission will be asked: questions, rubrics and contents, for review.

Nothing here sees a submission, so no hostile text can have a say in what is asked. Only what the
dialogue itself proves, by a quotation that stands in it, becomes an item.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from leaderboard.judging.asking.budget import Payer
from leaderboard.judging.asking.claim import Claimed
from leaderboard.judging.asking.walk import Walk
from leaderboard.judging.models import Artefact, BuiltDialogue, JudgeConfig
from leaderboard.judging.plan import SECTIONS, dialogues, ids_to_build, items, makes_items
from scoring.judges import evidence, walking
from scoring.judges.call_graph import Pipeline
from scoring.judges.pipelines import PIPELINES
from scoring.judges.records import Status, is_about_absence

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
        """Nothing to count."""
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
        """Each question twice: what of it a summary contains, and whether it follows it.

        What may not be there has no contents, so that is asked once.
        """
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
