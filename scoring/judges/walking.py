"""Walking a pipeline: what goes into the next call. Values are never changed in place."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from scoring.judges import mastra
from scoring.judges.call_graph import Call
from scoring.judges.derived import DERIVED, Values
from scoring.judges.records import Asked, Question, Rubric, SourceContent

# DeepEval's number of generated questions, and ours.
QUESTIONS = 5

_DEFAULTS: Mapping[str, Any] = {
    "reason": False,
    "scale": 1,
    "max_questions": mastra.DEFAULT_MAX_QUESTIONS,
    "n": QUESTIONS,
    "number": QUESTIONS,
    "threshold": 0.5,
    "strict_mode": False,
    "truths_extraction_limit": None,
    "assessment_questions": (),
    "references": (),
    "section": "",
    "instruction": "",
    "kind": "free",
}


def given(
    *,
    summary: str = "",
    dialogue: str = "",
    questions: Sequence[Question] = (),
    rubrics: Sequence[Rubric] = (),
    contents: Sequence[SourceContent] = (),
    **options: Any,
) -> dict[str, Any]:
    """The values a pipeline starts from; `options` differ from the defaults, else TypeError."""
    if unknown := options.keys() - _DEFAULTS.keys():
        raise TypeError(f"no such option: {', '.join(sorted(unknown))}")
    asked = Asked.of(questions, rubrics, contents)
    return {
        **_DEFAULTS,
        **options,
        "summary": summary,
        "dialogue": dialogue,
        "asked": asked,
        "questions": [{"id": each.id, "question": each.question} for each in questions],
        **_of_rubrics(asked, rubrics, contents),
    }


def _of_rubrics(
    asked: Asked, rubrics: Sequence[Rubric], contents: Sequence[SourceContent]
) -> dict[str, Any]:
    """All rubrics; those that have contents, with these; those whose instruction is asked about."""
    texts = {content.id: content.transcript_content for content in contents}
    by_id = {rubric.id: rubric for rubric in rubrics}
    return {
        "rubrics": [{"id": rubric.id, "question": rubric.question} for rubric in rubrics],
        "contents": [
            {
                "id": rubric_id,
                "question": by_id[rubric_id].question,
                "contents": [{"id": each, "transcript_content": texts[each]} for each in ids],
            }
            for rubric_id, ids in asked.completeness.items()
            if ids
        ],
        "instructions": [
            {"id": each, "instruction": by_id[each].instruction, "question": by_id[each].question}
            for each in asked.adherence
        ],
    }


def value(name: str, values: Values) -> Any:
    """A value by name: given, of an answer, or derived. KeyError if it is not there yet."""
    return values[name] if name in values else DERIVED[name](values)


def material(call: Call, values: Values) -> dict[str, Any]:
    """What goes into a call, and nothing else."""
    return {key: value(name, values) for key, name in call.inputs.items()}


def is_skipped(call: Call, values: Values) -> bool:
    """Whether there is nothing to ask."""
    if any(value(name, values) for name in call.skip_if):
        return True
    empty = call.skip_if_empty
    return bool(empty) and not any(value(name, values) for name in empty)


def with_answer(values: Values, call: Call, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The values after a call. Ids that the model made up are replaced by our own."""
    fields = dict(answer)
    if call.numbered:
        name, prefix = call.numbered
        fields[name] = numbered(fields[name], prefix)
    return {**values, **{f"{call.id}.{name}": each for name, each in fields.items()}}


def numbered(items: Sequence[Mapping[str, Any]], prefix: str) -> list[dict[str, Any]]:
    """The items with ids we issue: prefix and position from 1.

    >>> numbered([{"id": "x", "point": "a"}, {"id": "x", "point": "b"}], "c")
    [{'id': 'c1', 'point': 'a'}, {'id': 'c2', 'point': 'b'}]
    """
    return [{**item, "id": f"{prefix}{place}"} for place, item in enumerate(items, start=1)]


# What is asked as a list of items.
_LISTS = ("questions", "contents", "instructions", "P1.claims")


def reordered(values: Values, *, seed: str) -> dict[str, Any]:
    """The same items in another order, drawn by the seed; each keeps its id."""

    def another(items: Sequence[Any]) -> list[Any]:
        drawn = list(items)
        Random(seed).shuffle(drawn)  # noqa: S311
        return drawn if drawn != list(items) else drawn[::-1]

    contents = [{**each, "contents": another(each["contents"])} for each in values["contents"]]
    moved = {**values, "contents": contents}
    return {**moved, **{name: another(moved[name]) for name in _LISTS if name in moved}}
