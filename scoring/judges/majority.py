"""`shared:3`: each verdict is asked for three times, and item by item the majority counts.

Claims are asked for once: others would be other items. A vote is the verdict after the check of
its evidence; the first record that voted so stands for the item.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.judges import native
from scoring.judges.call_graph import Call, Pipeline
from scoring.judges.derived import NATIVE_LISTS, VERDICTS, Values, changed
from scoring.judges.flips import majority
from scoring.judges.records import Item

SAMPLES = 3


def sampled(pipeline: Pipeline, number: int = SAMPLES) -> Pipeline:
    """`<name>:<number>`: the calls that give verdicts so often, under the ids `P2`, `P2/2` …."""
    voted = {name.partition(".")[0] for name in VERDICTS}
    calls: list[Call] = []
    for call in pipeline.calls:
        if call.id in voted:
            again = (replace(call, id=f"{call.id}/{n}") for n in range(2, number + 1))
            calls += [call, *again]
        elif call.numbered:
            calls.append(call)
    return Pipeline(f"{pipeline.name}:{number}", tuple(calls), pipeline.systems)


def merged(pipeline: Pipeline, values: Values) -> dict[str, Any]:
    """The values with the winning records as the first sample; a lost sample has no vote."""
    samples = sorted({call.sample for call in pipeline.calls})
    if len(samples) == 1:
        return dict(values)
    votes = [_votes(values, sample) for sample in samples]
    found = dict(values)
    for name, (_, metric) in VERDICTS.items():
        there = [sample for sample in samples if _name(name, sample) in values]
        if there:
            lists = [values[_name(name, sample)] for sample in there]
            found[name] = _winning(lists, [votes[sample].get(metric, {}) for sample in there])
    return found


def _winning(lists: Sequence[Sequence[Item]], votes: Sequence[Mapping[str, bool]]) -> list[Item]:
    """Of each item, what the first sample said that voted as most did."""
    said = [_by_id(each) for each in lists]

    def won(item: str, _: Item) -> Item:
        cast = [each.get(item, False) for each in votes]
        return said[cast.index(majority(cast))][item]

    return changed(lists[0], won)


def _by_id(listed: Sequence[Item]) -> dict[str, Item]:
    items: dict[str, Item] = {}
    changed(listed, items.setdefault)
    return items


def _name(name: str, sample: int) -> str:
    """Where a sample's list stands; what is asked for once is every sample's."""
    call, _, field = name.partition(".")
    return f"{call}/{sample + 1}.{field}" if sample and name in VERDICTS else name


def _votes(values: Values, sample: int) -> dict[str, Mapping[str, bool]]:
    """Verdicts of one sample by metric and item, after the check of evidence."""
    returned = native.returned(
        {field: values.get(_name(name, sample)) for field, name in NATIVE_LISTS.items()}
    )
    scores = native.score(values["summary"], values["dialogue"], values["asked"], returned)
    return {name: result.items for name, result in scores.metrics.items()}
