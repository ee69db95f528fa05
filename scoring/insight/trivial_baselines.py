"""What a total is worth: lines that anybody reaches, and the line that people reach.

Floors: one text for every row, the same without the words that do not pay, another row's reference,
the first turns of the dialogue. Ceiling: each reference as a file against the others. All of it by
the kernel, under the version's profile.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from scoring.dialogues import Dialogues
from scoring.insight.specificity import next_rows, only_total, seeded
from scoring.metrics import by_class, kernel
from scoring.metrics.metric import RowPredictions, RowReferences
from scoring.pipeline import (
    PreparedReferences,
    Progress,
    SplitReport,
    row_totals,
    score,
    split_reports,
)
from scoring.profile import Profile
from scoring.references import ReferenceRow
from scoring.signature import REFERENCE_HEX_DIGITS, with_part

FLOORS = ("constant", "phrase", "other_row", "lead1", "lead3")
CEILING = "human"
LINES = (*FLOORS, CEILING)
TURNS = {"lead1": 1, "lead3": 3}

# Of a full mark of 3: where ceiling and floor are closer, a share of the way says nothing.
LEAST_GAP = 0.02

# So many references are tried as the one text for every row, on so many rows.
MOST_CANDIDATES, MOST_ROWS = 200, 1_000

Known = dict[str, tuple[str, ...]]
Total = Callable[[str], float]


@dataclass(frozen=True)
class Line:
    """One line of a board.

    splits: as a report's, of the metrics of the total; a split in which no row counts is left out.
    examples: rows x metrics of the total, fractions 0..1, in the order of the set; NaN where a row
    does not count.
    """

    name: str
    splits: Mapping[str, SplitReport]
    examples: NDArray[np.float64]


@dataclass(frozen=True)
class Floors:
    """The lines that a set of references has, by name in the order of LINES.

    Without dialogues there are no leads. The human line is of the rows that have two references or
    more; there is none where no row has. against: with how many references a human is compared
    there, smallest and largest; of no row (0, 0). gap_errors: by split, the standard error of the
    human line less the highest floor, in points, from rows that both have; None from fewer than
    two. constant, phrase: the texts of those lines. They are references or parts of one: for
    organizers alone.
    """

    signature: str
    lines: Mapping[str, Line]
    against: tuple[int, int]
    gap_errors: Mapping[str, float | None]
    constant: str
    phrase: str

    def totals(self, split: str) -> dict[str, float | None]:
        """The total of each of LINES in one split; None where there is none."""
        found = {name: line.splits.get(split) for name, line in self.lines.items()}
        return {name: report.total if (report := found.get(name)) else None for name in LINES}


def way(
    total: float, lines: Mapping[str, float | None], profile: Profile, gap_error: float | None
) -> float | None:
    """How far a total is on the way from the highest floor (0) to the human line (1).

    lines, gap_error: `Floors.totals` and one of `Floors.gap_errors`, of the same split. Below 0 and
    above 1 it stays as it is; None without a human line, and where that is hardly above a floor, or
    by less than two standard errors: such a share is a ratio of chance.

    Under `max` a total has the best of all references, a human of all but one: a text as good as
    theirs is above 1. Under `mean` it is at 1.

    >>> way(1.5, {"constant": 1.0, "other_row": 0.9, "human": 2.0}, Profile(), 0.04)
    0.5
    """
    floors = [value for name in FLOORS if (value := lines.get(name)) is not None]
    ceiling = lines.get(CEILING)
    if ceiling is None or not floors or gap_error is None:
        return None
    floor = max(floors)
    if ceiling - floor < max(LEAST_GAP * profile.full_mark / 3, 2 * gap_error):
        return None
    return (total - floor) / (ceiling - floor)


def floors(
    prepared: PreparedReferences,
    dialogues: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    known: Known | None = None,
) -> Floors:
    """All lines of a set of references. known: as for `pipeline.score`; no text is cut twice.

    Raises ValueError if a row has no dialogue.
    """
    known = {} if known is None else known
    counted = only_total(prepared)
    rows = prepared.references.examples
    constant, phrase = best_constant(counted, known)
    holders = [at for at, row in enumerate(rows) if constant in row.references]
    others = next_rows(prepared, 0).tolist()
    alone = [row for row, other in enumerate(others) if row == other]
    files = {
        "constant": ([constant] * len(rows), holders),
        "phrase": ([phrase] * len(rows), holders),
        "other_row": ([rows[other].references[0] for other in others], alone),
    }
    if dialogues is not None:
        for name, turns in TURNS.items():
            files[name] = ([first_turns(dialogues, row.example_id, turns) for row in rows], [])
    lines = {}
    for name, (texts, left_out) in files.items():
        values = _values(counted, texts, progress, known)
        values[left_out] = np.nan
        reports = split_reports(counted, values, left_out)
        lines[name] = Line(name, MappingProxyType(reports), values)
    others_of = [len(row.references) - 1 for row in rows if len(row.references) > 1]
    if others_of:
        lines[CEILING] = _human(counted, progress, known)
    return Floors(
        signature=_signature(prepared.signature, dialogues),
        lines=MappingProxyType(lines),
        against=(min(others_of, default=0), max(others_of, default=0)),
        gap_errors={split: _gap_error(split, counted, lines) for split in counted.splits},
        constant=constant,
        phrase=phrase,
    )


def first_turns(dialogues: Mapping[str, str], example_id: str, turns: int) -> str:
    """The first lines that are not blank, with their speakers. ValueError without a dialogue.

    >>> first_turns({"a": "가: 안녕?\\n\\n나: 응.\\n가: 가자."}, "a", 2)
    '가: 안녕? 나: 응.'
    """
    if example_id not in dialogues:
        raise ValueError(f"no dialogue for {example_id}")
    said = [line.strip() for line in dialogues[example_id].split("\n") if line.strip()]
    return " ".join(said[:turns])


def _signature(version: str, dialogues: Mapping[str, str] | None) -> str:
    """The version's, with how the constant is found and which dialogues lead."""
    signed = with_part(version, "floors", f"c{MOST_CANDIDATES}.r{MOST_ROWS}")
    if dialogues is None:
        return signed
    sha256 = Dialogues(dict(dialogues)).sha256
    return with_part(signed, "dialogues", sha256[:REFERENCE_HEX_DIGITS])


def _values(
    prepared: PreparedReferences, texts: Sequence[str], progress: Progress | None, known: Known
) -> NDArray[np.float64]:
    given = dict(zip(prepared.references.ids, texts, strict=True))
    return score(given, prepared, progress, known).examples


def _gap_error(split: str, prepared: PreparedReferences, lines: Mapping[str, Line]) -> float | None:
    """Of the human line less the highest floor; both are of the same rows."""
    there = [line for line in lines.values() if split in line.splits]
    floor = max(
        (line for line in there if line.name != CEILING),
        key=lambda line: line.splits[split].total,
        default=None,
    )
    human = next((line for line in there if line.name == CEILING), None)
    if human is None or floor is None:
        return None
    _, rows = prepared.splits[split]
    gaps = row_totals(human.examples[rows] - floor.examples[rows], prepared.profile)
    gaps = gaps[~np.isnan(gaps)]
    return float(gaps.std(ddof=1)) / math.sqrt(len(gaps)) if len(gaps) > 1 else None


def _human(prepared: PreparedReferences, progress: Progress | None, known: Known) -> Line:
    """Each reference as a file against the others; a row with fewer lends its last.

    A row with one reference does not count. A line's numbers are the means of those of the files.
    """
    rows = prepared.references.examples
    single = [at for at, row in enumerate(rows) if len(row.references) == 1]
    values, reports = [], []
    for slot in range(prepared.references.ngolds[1]):
        slots = [min(slot, len(row.references) - 1) for row in rows]
        texts = [row.references[at] for at, row in zip(slots, rows, strict=True)]
        values.append(_values(_without(prepared, slots), texts, progress, known))
        values[-1][single] = np.nan
        reports.append(split_reports(prepared, values[-1], single))
    splits = {
        name: replace(
            split,
            metrics=MappingProxyType(
                {
                    metric: fmean([one[name].metrics[metric] for one in reports])
                    for metric in split.metrics
                }
            ),
            total=fmean([one[name].total for one in reports]),
        )
        for name, split in reports[0].items()
    }
    return Line(CEILING, MappingProxyType(splits), np.mean(values, axis=0))


def _without(prepared: PreparedReferences, slots: Sequence[int]) -> PreparedReferences:
    """The same references, in each row with others without the one at that place."""
    blocks, begin = [], 0
    for kinds in prepared.blocks:
        [block] = kinds  # of the metrics of the total, which are of one class
        end = begin + len(block.present)
        present = block.present.copy()
        present[np.arange(end - begin), slots[begin:end]] = block.present.sum(axis=1) == 1
        blocks.append((replace(block, present=present),))
        begin = end
    return replace(prepared, blocks=tuple(blocks))


def best_constant(prepared: PreparedReferences, known: Known) -> tuple[str, str]:
    """The reference of the public rows that is best on all the others, and its phrase: what is left
    of it without the words that do not pay, which fit its own row alone.

    Without splits all rows are public. Equally good: the first of the set. known: tokens by text;
    what is cut here is added.
    """
    name = "public" if "public" in prepared.splits else "all"
    places = prepared.splits[name][1].tolist()
    public = [prepared.references.examples[place] for place in places]
    for row in public:
        for text in row.references:
            prepared.tokenizer.once(text, known)
    sha256 = prepared.references.sha256
    drawn = public
    if len(public) > MOST_ROWS:
        drawn = sorted(public, key=lambda row: seeded(sha256, "row", row.example_id))[:MOST_ROWS]
    total_on = _totals(prepared, drawn, known)
    best = max(_candidates(public, sha256, known), key=lambda text: total_on(text, text))
    return best, _shortened(best, lambda text: total_on(text, best))


def _candidates(rows: Sequence[ReferenceRow], sha256: str, known: Known) -> list[str]:
    """At most MOST_CANDIDATES texts: ordered by length, one of each of as many equal parts."""
    texts = list(dict.fromkeys(text for row in rows for text in row.references))
    if len(texts) <= MOST_CANDIDATES:
        return texts
    by_length = sorted(texts, key=lambda text: (len(known[text]), text))
    ends = [round(len(texts) * part / MOST_CANDIDATES) for part in range(MOST_CANDIDATES + 1)]
    return [
        min(by_length[begin:end], key=lambda text: seeded(sha256, "text", text))
        for begin, end in pairwise(ends)
    ]


def _totals(
    prepared: PreparedReferences, rows: Sequence[ReferenceRow], known: Known
) -> Callable[[str, str], float]:
    """The total of one text on all of these rows but those that hold another."""
    profile, vocabulary = prepared.profile, kernel.Vocabulary()
    texts = [row.references for row in rows]
    tokens = [[prepared.tokenizer.once(text, known) for text in row] for row in texts]
    given = RowReferences(texts, tokens, vocabulary)
    kinds = [
        (kind, chosen, columns, kind.prepare(chosen, given))
        for kind, chosen, columns in by_class(profile.counting)
    ]

    def total(text: str, held: str) -> float:
        one = vocabulary.look_up([prepared.tokenizer.once(text, known)])
        ids, lengths = np.tile(one.ids, len(rows)), np.repeat(one.lengths, len(rows))
        predictions = RowPredictions([text] * len(rows), kernel.NumberedTokens(ids, lengths))
        values = np.empty((len(rows), len(profile.counting)))
        for kind, chosen, columns, block in kinds:
            found = kind.score(chosen, block, predictions, profile.gold_aggregation)
            values[:, columns] = found
        others = values[[held not in row for row in texts]]
        if not len(others):
            return 0.0
        return profile.total([math.fsum(column) / len(others) for column in others.T.tolist()])

    return total


def _shortened(text: str, total: Total) -> str:
    """Without the word that costs most, again and again while that pays."""
    best, words = total(text), text.split()
    while len(words) > 1:
        shorter = [[*words[:place], *words[place + 1 :]] for place in range(len(words))]
        found = max(shorter, key=lambda kept: total(" ".join(kept)))
        if (value := total(" ".join(found))) <= best:
            break
        best, words = value, found
    return " ".join(words) if best > total(text) else text
