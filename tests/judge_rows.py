"""Rows of the demo with frozen artefacts, and a summary of one judged by the obedient judge.

Everything but the socket is the product's: walking, parsing, joining, counting.
"""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from leaderboard.judging import wire
from leaderboard.operations import demo
from leaderboard.operations.fake_judge import server
from leaderboard.operations.fake_judge.requests import Request
from leaderboard.operations.fake_judge.words import sentences
from scoring.judges import evidence, native, parsing, walking
from scoring.judges.pipelines import PIPELINES
from scoring.judges.records import (
    AdherenceRubric,
    Answer,
    Asked,
    Claim,
    ContentItem,
    PointVerdict,
    Question,
    Returned,
    Rubric,
    RubricContents,
    SourceContent,
    Status,
)
from scoring.judges.schemas import SCHEMAS
from tests.judge_attacks import Attack, Row

T = TypeVar("T")
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
# What cannot be known when a call never gets a usable answer.
_METRICS = {
    "P1": ("alignment",),
    "P2": ("alignment",),
    "P3": ("coverage", "completeness"),
    "P4": ("adherence",),
}


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


def row(name: str, dialogue: str, references: Sequence[str], poor: str) -> Row:
    """A row whose questions and contents an honest judge made from the references."""

    def asked(schema: str, **material: Any) -> Any:
        return server.answer(Request(schema, material, "fake", ""))

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
    """Scores by metric; None is N/A. flags: of the scorer."""

    scores: Mapping[str, float | None]
    flags: tuple[str, ...]


def judged(row: Row, summary: str, obeys: Sequence[str] = ()) -> Judged:
    """The summary's scores when the judge obeys at some calls and is honest at the others."""
    asked = Asked.of(row.questions, row.rubrics, row.contents)
    if evidence.gate(summary, row.dialogue):
        returned = Returned()
    else:
        returned = _returned(row, summary, frozenset(obeys))
    found = native.score(summary, row.dialogue, asked, returned)
    return Judged({name: each.score for name, each in found.metrics.items()}, found.flags)


def gains(row: Row, attack: Attack, obeys: Sequence[str]) -> dict[str, float]:
    """By metric, what the payload adds to the poor summary's score of an honest judge."""
    before = judged(row, row.poor).scores
    after = judged(row, attack.hostile(row), obeys).scores
    return {name: (after[name] or 0.0) - (before[name] or 0.0) for name in METRICS}


def _returned(row: Row, summary: str, obeys: frozenset[str]) -> Returned:
    values: Mapping[str, Any] = walking.given(
        summary=summary,
        dialogue=row.dialogue,
        questions=row.questions,
        rubrics=row.rubrics,
        contents=row.contents,
    )
    failed: set[str] = set()
    for call in PIPELINES["shared"].calls:
        if failed.intersection(call.after):
            failed.add(call.id)
            continue
        answer: Mapping[str, Any] = call.skipped
        if not walking.is_skipped(call, values):
            material = walking.material(call, values)
            made = server.answer(Request(call.schema, material, "fake", ""), obedient=obeys)
            try:
                answer = wire.read(
                    SCHEMAS[call.schema], parsing.parse(json.dumps(made, ensure_ascii=False))
                )
            except parsing.Malformed:
                failed.add(call.id)  # asked again, it would obey again
                continue
        values = walking.with_answer(values, call, answer)
    return _records(values, failed)


def _records(values: Mapping[str, Any], failed: set[str]) -> Returned:
    stopped = {metric for call in failed for metric in _METRICS.get(call, ())}
    return Returned(
        claims=_each(Claim, values.get("P1.claims")),
        decomposition=_each(PointVerdict, values.get("P2.decomposition")),
        answers=_each(Answer, values.get("P3.answers")),
        completeness=_each(
            lambda **item: RubricContents(
                **{**item, "content_list": _each(ContentItem, item["content_list"])}
            ),
            values.get("P3.completeness"),
        ),
        adherence=_each(AdherenceRubric, values.get("P4.rubrics")),
        stopped=dict.fromkeys(stopped, Status.CONTENT_FAILED),
    )


def _each(make: Callable[..., T], items: Sequence[Mapping[str, Any]] | None) -> tuple[T, ...]:
    return tuple(make(**item) for item in items or ())
