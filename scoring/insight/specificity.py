"""Lift: how much of a file's total comes from its texts standing where they stand.

The same file with its texts put on other rows still earns what any summary in that style earns. A
constant text, or a template with a word exchanged, loses almost nothing: it has almost no lift,
whatever its length and spelling.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.metric import Counting
from scoring.pipeline import PreparedReferences, Progress, Report, score
from scoring.signature import with_part

Light = Literal["green", "amber", "red"]

SHUFFLES = 5
METHOD = f"shuffles{SHUFFLES}"  # in the signature
AMBER, RED = 0.20, 0.12


class Lift(NamedTuple):
    """One split: the file's total, and what it loses on other rows, at the profile's scale.

    ratio: lift / total, None where the total is 0. signature: of the split's lift.
    """

    total: float
    lift: float
    ratio: float | None
    signature: str

    @property
    def light(self) -> Light:
        """Red and amber below the limits; a file without a total is red."""
        return light(self.ratio)


def light(ratio: float | None) -> Light:
    """What a ratio of lift to total says.

    >>> light(0.3), light(0.15), light(0.05)
    ('green', 'amber', 'red')
    """
    if ratio is None or ratio < RED:
        return "red"
    return "amber" if ratio < AMBER else "green"


def only_total(prepared: PreparedReferences) -> PreparedReferences:
    """The same references for the metrics of the total alone, without cutting anything again."""
    kept = [place for place, kind in enumerate(prepared.kinds) if issubclass(kind[0], Counting)]
    return replace(
        prepared,
        profile=prepared.profile.with_beside(()),
        kinds=tuple(prepared.kinds[place] for place in kept),
        blocks=tuple(tuple(block[place] for place in kept) for block in prepared.blocks),
    )


def lifts(
    texts: Mapping[str, str],
    report: Report,
    prepared: PreparedReferences,
    progress: Progress | None = None,
    known: dict[str, tuple[str, ...]] | None = None,
) -> Mapping[str, Lift]:
    """Lift by split; a split of one row has none.

    texts: the file that gave `report`. known: as for `pipeline.score`; no text is cut twice.
    """
    known = {} if known is None else known
    counted = only_total(prepared)
    ids = prepared.references.ids
    shuffled = []
    for number in range(1, SHUFFLES + 1):
        others = next_rows(prepared, number).tolist()
        given = {row: texts[ids[other]] for row, other in zip(ids, others, strict=True)}
        shuffled.append(score(given, counted, progress, known).splits)
    found = {}
    for name, split in report.splits.items():
        if split.rows > 1:
            lift = split.total - math.fsum(one[name].total for one in shuffled) / SHUFFLES
            ratio = lift / split.total if split.total else None
            signed = with_part(split.signature, "lift", METHOD)
            found[name] = Lift(split.total, lift, ratio, signed)
    return MappingProxyType(found)


def next_rows(prepared: PreparedReferences, number: int) -> NDArray[np.intp]:
    """For each row the row whose text it is given: in no case its own, and of its own split.

    The rows of a split are ordered by SHA-256 of the set's whole hash, which no participant knows,
    the number and their id; each takes from the next one. The only row of a split keeps its own.
    """
    references = prepared.references
    others = np.arange(len(references.ids))
    halves = {name: rows for name, (_, rows) in prepared.splits.items() if name != "all"}
    for rows in halves.values() if halves else (others.copy(),):
        ordered = sorted(
            rows.tolist(), key=lambda row: seeded(references.sha256, number, references.ids[row])
        )
        others[ordered] = np.roll(ordered, -1)
    return others


def seeded(*parts: object) -> str:
    """A place in an order that depends on these alone."""
    return hashlib.sha256(":".join(map(str, parts)).encode()).hexdigest()
