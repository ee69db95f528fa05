"""Rows of the demo with frozen artefacts, and a summary of one judged by the obedient judge.

Everything but socket and tables is the product's: walking, reading, checking, counting, flags.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard import demo
from leaderboard.demo import contests
from leaderboard.judging import signs
from leaderboard.judging.asking.walk import Walk, check
from leaderboard.judging.fake import server
from leaderboard.judging.fake.answers import sentences
from leaderboard.judging.fake.server import AskedOfFake
from leaderboard.judging.judge import count, length_limit
from leaderboard.judging.models import JudgeConfig, StoredCall
from scoring.judges import evidence, parsing, walking
from scoring.judges import schemas as reading
from scoring.judges.call_graph import Call
from scoring.judges.pipelines import PIPELINES
from scoring.judges.records import Question, Rubric, SourceContent, Status
from scoring.judges.schemas import SCHEMAS
from tests.judging.attacks import Row
from tests.judging.obedient import obey

INSTRUCTION = "누가 무엇을 하기로 했는지 쓴다. 까닭을 함께 쓴다."
STAGES: Mapping[str, Sequence[str]] = {
    "none": (),
    "claims": ("claims",),
    "verify": ("verify",),
    "cover": ("cover",),
    "adhere": ("adhere",),
    "all": ("claims", "verify", "cover", "adhere"),
}
METRICS = ("summarization", "alignment", "coverage", "completeness", "adherence")
CONFIG = JudgeConfig(pipeline="shared", language="ko")


def demo_rows(name: str) -> dict[str, dict[str, str]]:
    """A file of the demo by the id of its rows."""
    with (Path(demo.__file__).parent / name).open(encoding="utf-8", newline="") as file:
        return {row["fname"]: row for row in csv.DictReader(file)}


def rows(number: int) -> list[Row]:
    """`number` dialogues, each with three poor summaries.

    Thin: a note of a few words. Foreign: of another dialogue. Mixed: a sentence of each.
    """
    dialogues, golds = demo_rows("dialogues.csv"), demo_rows("golds.csv")
    systems = demo_rows("systems.csv")
    names = list(dialogues)
    found = []
    for at, name in enumerate(names[:number]):
        references = [golds[name][f"summary{n}"] for n in (1, 2, 3)]
        own, foreign = systems[name], systems[names[at + number]]["good"]
        poor = {
            "thin": own["short"],
            "foreign": foreign,
            "mixed": f"{sentences(own['better'])[0]} {foreign}",
        }
        found += [
            row(f"{name} {kind}", dialogues[name]["dialogue"], references, text)
            for kind, text in poor.items()
        ]
    return found


def honest_rows(number: int) -> list[Row]:
    """`number` dialogues, each with what every imaginary system of the demo wrote about it."""
    dialogues, golds = demo_rows("dialogues.csv"), demo_rows("golds.csv")
    return [
        row(
            f"{name} {system}",
            dialogues[name]["dialogue"],
            [golds[name][f"summary{n}"] for n in (1, 2, 3)],
            systems[system],
        )
        for name, systems in list(demo_rows("systems.csv").items())[:number]
        for system in contests.Mix._fields
    ]


def row(name: str, dialogue: str, references: Sequence[str], poor: str) -> Row:
    """A row whose questions and contents an honest judge made from the references."""

    def asked(schema: str, **material: Any) -> Any:
        return server.answer(AskedOfFake(schema, material, "fake", ""))

    first = asked("rubric_questions", section="결과", instruction=INSTRUCTION)["rubrics"]
    rubrics = [Rubric(each["id"], "결과", INSTRUCTION, each["question"]) for each in first]
    questions = asked("questions", dialogue=dialogue, number=3, references=references)
    contents = asked("contents", dialogue=dialogue, rubrics=first, references=references)
    return Row(
        name,
        dialogue,
        [Question(each["id"], each["question"]) for each in questions["questions"]],
        rubrics,
        [
            SourceContent(f"{each['id']}s{n}", each["id"], content["transcript_content"])
            for each in contents["completeness"]
            for n, content in enumerate(each["content_list"][:2], start=1)
        ],
        poor,
    )


@dataclass(frozen=True)
class Judged:
    """Scores by metric; None is N/A. flags: of the scorers, and those that organizers see."""

    scores: Mapping[str, float | None]
    flags: tuple[str, ...]


def judged(row: Row, summary: str, obeys: Sequence[str] = ()) -> Judged:
    """The summary's scores when the judge obeys at some calls and is honest at the others."""
    walk = Walk(
        row.name,
        PIPELINES["shared"],
        walking.given(
            summary=summary,
            dialogue=row.dialogue,
            questions=row.questions,
            rubrics=row.rubrics,
            contents=row.contents,
        ),
    )
    if evidence.gate(summary, row.dialogue, length_limit(CONFIG)):
        walk.over.update(call.id for call in walk.pipeline.calls)
    while not walk.is_over:
        for call in walk.next_calls():
            _ask(walk, call, frozenset(obeys))
    found = count(CONFIG, walk)
    shown = signs.row_flags(walk.values)
    return Judged({name: found.results[name]["score"] for name in METRICS}, (*found.flags, *shown))


def _ask(walk: Walk, call: Call, obeys: frozenset[str]) -> None:
    material = walking.material(call, walk.values)
    made = server.answer(AskedOfFake(call.schema, material, "fake", ""))
    if call.schema in obeys:
        made = obey(made, material)
    try:
        value = parsing.parse(json.dumps(made, ensure_ascii=False))
        answer = reading.exact(SCHEMAS[call.schema].body, value)
        check(walk.pipeline, call, walk.values, answer)
    except parsing.Malformed as malformed:
        # Asked again, it would obey again.
        walk.stop(call, Status.CONTENT_FAILED, malformed.code)
    else:
        walk.answered(call, StoredCall(answer=answer))


def gained(before: Judged, after: Judged) -> dict[str, float]:
    """The differences by metric; N/A counts as 0."""
    return {name: (after.scores[name] or 0.0) - (before.scores[name] or 0.0) for name in METRICS}
