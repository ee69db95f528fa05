"""`shared:3`: each verdict is asked for three times, and item by item the majority counts.

For judges whose verdicts turn too often when asked again (Mastra, DeepEval and Google ask once).
Claims are asked for once, since other claims would be other items. A vote is the verdict after the
check of its evidence; the record that stands for the item is the first of those that won.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.judges import native
from scoring.judges.call_graph import Call, Pipeline
from scoring.judges.derived import NATIVE_LISTS, Values
from scoring.judges.flips import majority

SAMPLES = 3
# The lists whose items are voted on, and the metric that holds the votes.
_METRIC_OF = {
    "P2.decomposition": "alignment",
    "P3.answers": "coverage",
    "P3.completeness": "completeness",
    "P4.rubrics": "adherence",
}


def sampled(pipeline: Pipeline, number: int = SAMPLES) -> Pipeline:
    """`<name>:<number>`: the calls that give verdicts so often, under the ids `P2`, `P2/2` ….

    A call that makes items or puts an outcome into words is made once, or not at all.
    """
    voted = {name.partition(".")[0] for name in _METRIC_OF}
    calls: list[Call] = []
    for call in pipeline.calls:
        if call.id in voted:
            again = (replace(call, id=f"{call.id}/{n}") for n in range(2, number + 1))
            calls += [call, *again]
        elif call.numbered:
            calls.append(call)
    return Pipeline(f"{pipeline.name}:{number}", tuple(calls), pipeline.systems)


def merged(pipeline: Pipeline, values: Values) -> dict[str, Any]:
    """The values with the winning records in the place of the first sample.

    Of a sample that was lost there is no vote. Doing it twice changes nothing.
    """
    samples = sorted({call.sample for call in pipeline.calls})
    if len(samples) == 1:
        return dict(values)
    votes = [_votes(values, sample) for sample in samples]
    found = dict(values)
    for name, metric in _METRIC_OF.items():
        there = [sample for sample in samples if _name(name, sample) in values]
        lists = [values[_name(name, sample)] for sample in there]
        won = _won([votes[sample].get(metric, {}) for sample in there])
        if lists:
            found[name] = _records(name, lists, won)
    return found


def _name(name: str, sample: int) -> str:
    """Where a sample's list stands; what is asked for once is every sample's."""
    call, _, field = name.partition(".")
    return f"{call}/{sample + 1}.{field}" if sample and name in _METRIC_OF else name


def _votes(values: Values, sample: int) -> dict[str, Mapping[str, bool]]:
    """Verdicts of one sample by metric and item, after the check of evidence."""
    returned = native.returned(
        {field: values.get(_name(name, sample)) for field, name in NATIVE_LISTS.items()}
    )
    scores = native.score(values["summary"], values["dialogue"], values["asked"], returned)
    return {name: result.items for name, result in scores.metrics.items()}


def _won(votes: Sequence[Mapping[str, bool]]) -> dict[str, int]:
    """Which sample stands for each item: the first that voted as most did."""
    items = dict.fromkeys(item for each in votes for item in each)
    found = {}
    for item in items:
        cast = [each.get(item, False) for each in votes]
        found[item] = cast.index(majority(cast))
    return found


def _records(
    name: str, lists: Sequence[Sequence[Mapping[str, Any]]], won: Mapping[str, int]
) -> list[dict[str, Any]]:
    if name != "P3.completeness":
        return [_record(lists, record, won.get(record["id"], 0)) for record in lists[0]]
    return [
        {
            **rubric,
            "content_list": [
                _record(
                    [_contents(each, rubric["id"]) for each in lists],
                    record,
                    won.get(f"{rubric['id']}/{record['id']}", 0),
                )
                for record in rubric["content_list"]
            ],
        }
        for rubric in lists[0]
    ]


def _contents(rubrics: Sequence[Mapping[str, Any]], rubric_id: str) -> Sequence[Mapping[str, Any]]:
    return next(each["content_list"] for each in rubrics if each["id"] == rubric_id)


def _record(
    lists: Sequence[Sequence[Mapping[str, Any]]], first: Mapping[str, Any], sample: int
) -> dict[str, Any]:
    """What that sample said of the item that the first one said this of."""
    return dict(next(each for each in lists[sample] if each["id"] == first["id"]))
