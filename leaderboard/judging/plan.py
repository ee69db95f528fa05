"""Which rows and dialogues a config judges, and the sample that is drawn of them."""

import itertools
import random
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from leaderboard.judging.identity import asked
from leaderboard.judging.models import Artefact, JudgeConfig, Judging, Section
from leaderboard.references.models import Dialogue, Example
from leaderboard.references.queries import live_version
from leaderboard.submissions.queries import texts
from scoring.judges import walking
from scoring.judges.records import Asked, Question, Rubric, SourceContent


def draw(lengths: Mapping[str, int], size: int, *, seed: int) -> frozenset[str]:
    """`size` ids out of these, short and long dialogues alike. lengths: characters by id.

    The ids are sorted by length and cut into as many equal stretches as rows are wanted; one row
    is drawn of each. The seed stays secret: who knows the rows could write for them alone.

    >>> sorted(draw({"a": 1, "b": 2, "c": 30, "d": 40}, 2, seed=1) & {"a", "b"}) in (["a"], ["b"])
    True
    """
    ordered = sorted(lengths, key=lambda each: (lengths[each], each))
    if size >= len(ordered):
        return frozenset(ordered)
    chance = random.Random(seed)  # noqa: S311  (a stored seed, so that it can be drawn again)
    ends = [place * len(ordered) // size for place in range(size + 1)]
    return frozenset(
        ordered[chance.randrange(start, end)] for start, end in itertools.pairwise(ends)
    )


def share(size: int, rows: int, of: int) -> int:
    """How many of a sample of `size` fall on one board with `rows` of all `of` rows; at least one.

    >>> share(100, 250, 500), share(100, 1, 500)
    (50, 1)
    """
    return min(rows, max(1, round(size * rows / max(1, of)))) if rows else 0


Kind = Artefact.Kind
SECTIONS = ""  # the "dialogue" whose items belong to the sections


def planned_ids(config: JudgeConfig, board: str) -> list[str]:
    """The rows of one board that are judged, in their order; of a sample, this board's share."""
    ids = board_ids(config, board)
    if not config.sample_rows:
        return ids
    of = sum(len(board_ids(config, each)) for each in ("public", "private"))
    texts_of = dialogues(config, ids)
    lengths = {each: len(texts_of[each]) for each in ids}
    size = share(config.sample_rows, len(ids), of)
    drawn = draw(lengths, size, seed=config.sample_seed)
    return [each for each in ids if each in drawn]


def board_ids(config: JudgeConfig, board: str) -> list[str]:
    """All rows of one board under the live references that have a dialogue."""
    version = live_version(config.competition)
    if version is None:
        return []
    rows = Example.objects.filter(reference_set=version.reference_set_id, split=board)
    known = Dialogue.objects.filter(dialogue_set=config.dialogue_set_id)
    rows = rows.filter(example_id__in=known.values("example_id"))
    return list(rows.order_by("position").values_list("example_id", flat=True))


def rows_of(judging: Judging) -> dict[str, str]:
    """The summaries to judge by id: planned rows that the submission has a prediction for."""
    given = texts(judging.submission_id)
    planned = planned_ids(judging.config, judging.board)
    return {each: given[each] for each in planned if each in given}


def ids_to_build(config: JudgeConfig) -> list[str]:
    """The sections first, then every dialogue to be judged, of both boards."""
    return [SECTIONS, *planned_ids(config, "public"), *planned_ids(config, "private")]


def dialogues(config: JudgeConfig, ids: Collection[str]) -> dict[str, str]:
    rows = Dialogue.objects.filter(dialogue_set=config.dialogue_set_id, example_id__in=ids)
    return dict(rows.values_list("example_id", "text"))


def makes_items(section: Section) -> bool:
    """Whether questions of completeness and adherence are made of the section's instruction."""
    return section.kind == Section.Kind.FREE and bool(section.instruction.strip())


@dataclass(frozen=True)
class Items:
    questions: tuple[Question, ...] = ()
    rubrics: tuple[Rubric, ...] = ()
    contents: tuple[SourceContent, ...] = ()

    @cached_property
    def asked(self) -> Asked:
        return Asked.of(self.questions, self.rubrics, self.contents)

    def given(self, **texts: str) -> dict[str, Any]:
        return walking.given(
            questions=self.questions, rubrics=self.rubrics, contents=self.contents, **texts
        )

    @property
    def metrics(self) -> frozenset[str]:
        """The native metrics that can have a value for this dialogue, whatever the summary."""
        found = {"alignment"}
        if self.asked.questions:
            found |= {"coverage", "summarization"}
        if any(self.asked.completeness.values()):
            found |= {"completeness", "completeness_micro", "conciseness"}
        if self.asked.adherence or self.asked.categorical:
            found.add("adherence")
        return frozenset(found)


def items(config: JudgeConfig) -> Mapping[str, Items]:
    """The items of every dialogue; of one without any, those of the sections. Two queries."""
    sections = list(config.sections.all())
    by_dialogue: dict[str, list[Artefact]] = defaultdict(list)
    for item in asked(config).order_by("example_id", "pk"):
        by_dialogue[item.example_id].append(item)
    rubrics = (*_rubrics(by_dialogue.pop(SECTIONS, []), sections), *_categorical(sections))
    found: dict[str, Items] = defaultdict(lambda: Items(rubrics=rubrics))
    for example_id, those in by_dialogue.items():
        found[example_id] = Items(
            questions=tuple(
                Question(each.item_id, each.text) for each in those if each.kind == Kind.QUESTION
            ),
            rubrics=rubrics,
            contents=tuple(
                SourceContent(each.item_id, each.rubric_id, each.text)
                for each in those
                if each.kind == Kind.CONTENT
            ),
        )
    return found


def _rubrics(those: list[Artefact], sections: list[Section]) -> list[Rubric]:
    """A question of completeness comes without an instruction, hence is not one of adherence."""
    by_pk = {section.pk: section for section in sections}
    made = []
    for item in those:
        section = by_pk.get(item.section_id or 0)
        instruction = section.instruction if section and item.kind == Kind.ADHERENCE else ""
        name = section.name if section else ""
        made.append(Rubric(item.item_id, name, instruction, item.text))
    return made


def _categorical(sections: list[Section]) -> list[Rubric]:
    """Sections with allowed values are checked here, without asking anybody."""
    return [
        Rubric(
            f"s{section.position}",
            section.name,
            section.instruction,
            "",
            "categorical",
            tuple(section.allowed_values),
        )
        for section in sections
        if section.kind == Section.Kind.CATEGORICAL
    ]
