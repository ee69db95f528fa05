"""One report of a judge against itself: per kind of item, reordered, per row. No database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scoring.judges import flips
from scoring.judges.flips import Flips
from scoring.judges.labels import METRICS

ALL = "all"  # kinds together
STORED = "0"  # the pass of the answers that counted
SHUFFLED = "shuffled"  # the pass whose items stand in another order

Said = Mapping[str, Mapping[str, Mapping[str, Any]]]  # as `Repeat.said` has it
Item = tuple[str, list[bool], bool | None]  # kind, samples, in another order


def report(said: Said, example_ids: Sequence[str]) -> dict[str, Any]:
    """Flips by kind and over all, and the largest spread of each metric in one row.

    `lost`: answers about an item that could not be read; they are in no sample.
    """
    passes = [STORED, *sorted(said.keys() - {STORED, SHUFFLED})]
    items = [item for each in example_ids for item in _items(said, passes, each)]
    kinds = list(dict.fromkeys(kind for kind, *_ in items))
    whole = flips.among(samples for _, samples, _ in items)
    moved = [(samples, again) for _, samples, again in items if again is not None]
    return {
        "rows": len(example_ids),
        "samples": len(passes),
        "kinds": [_line(name, items, len(passes)) for name in (ALL, *kinds)],
        "shuffled": {**_kept(flips.against(moved)), "lost": len(items) - len(moved)},
        "spreads": [line for metric in METRICS if (line := _spread(metric, said, passes))],
        "is_steady": whole.is_steady,
    }


def _items(said: Said, passes: Sequence[str], example_id: str) -> Iterator[Item]:
    def verdict(name: str, kind: str, item_id: str) -> bool | None:
        row = said.get(name, {}).get(example_id, {})
        found: bool | None = row.get("items", {}).get(kind, {}).get(item_id)
        return found

    for kind, those in said[STORED][example_id]["items"].items():
        for item_id in those:
            samples = [verdict(name, kind, item_id) for name in passes]
            read = [sample for sample in samples if sample is not None]
            yield kind, read, verdict(SHUFFLED, kind, item_id)


def _line(name: str, items: Sequence[Item], samples: int) -> dict[str, Any]:
    those = [each for kind, each, _ in items if name in (ALL, kind)]
    lost = sum(samples - len(each) for each in those)
    return {"kind": name, **_kept(flips.among(those)), "lost": lost}


def _kept(found: Flips) -> dict[str, Any]:
    return {**asdict(found), "rate": found.rate}


def _spread(metric: str, said: Said, passes: Sequence[str]) -> dict[str, Any] | None:
    scores: dict[str, list[float]] = {}
    for name in passes:
        for example_id, row in said.get(name, {}).items():
            if metric in row["scores"]:
                scores.setdefault(example_id, []).append(row["scores"][metric])
    spreads = [max(each) - min(each) for each in scores.values() if len(each) > 1]
    if not spreads:
        return None
    return {"metric": metric, "rows": len(spreads), "largest": max(spreads)}
