"""The one text for every row that earns most: what a board's numbers begin at.

Each reference would have to be scored on each row; a few hundred of them, drawn from all lengths,
are enough. References say much that fits their own row alone: without such words a text earns more
elsewhere, so the best of them is also shortened, word by word, as long as that pays.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from scoring.insight.lift import seeded
from scoring.metrics import by_class, kernel
from scoring.metrics.metric import RowPredictions, RowReferences
from scoring.pipeline import PreparedReferences
from scoring.references import ReferenceRow
from scoring.tokenizers import Tokenizer

# Looked for among so many references, on so many rows.
MOST_CANDIDATES, MOST_ROWS = 200, 1_000

Known = dict[str, tuple[str, ...]]
Total = Callable[[str], float]


class Constant(NamedTuple):
    """A reference, and what is left of it without the words that do not pay."""

    text: str
    phrase: str


def best_constant(prepared: PreparedReferences, known: Known) -> Constant:
    """The reference of the public rows that is best on all the others, and its phrase.

    Without splits all rows are public. Equally good: the first of the set. known: tokens by text;
    what is cut here is added.
    """
    name = "public" if "public" in prepared.splits else "all"
    places = prepared.splits[name][1].tolist()
    public = [prepared.references.examples[place] for place in places]
    for row in public:
        for text in row.references:
            _cut(text, prepared.tokenizer, known)
    sha256 = prepared.references.sha256
    total_on = _totals(prepared, _drawn(public, sha256), known)
    best = max(_candidates(public, sha256, known), key=lambda text: total_on(text, text))
    return Constant(best, _shortened(best, lambda text: total_on(text, best)))


def _cut(text: str, tokenizer: Tokenizer, known: Known) -> tuple[str, ...]:
    if text not in known:
        known[text] = tokenizer(text)
    return known[text]


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


def _drawn(rows: Sequence[ReferenceRow], sha256: str) -> Sequence[ReferenceRow]:
    if len(rows) <= MOST_ROWS:
        return rows
    return sorted(rows, key=lambda row: seeded(sha256, "row", row.example_id))[:MOST_ROWS]


def _totals(
    prepared: PreparedReferences, rows: Sequence[ReferenceRow], known: Known
) -> Callable[[str, str], float]:
    """The total of one text on all of these rows but those that hold another."""
    profile, vocabulary = prepared.profile, kernel.Vocabulary()
    texts = [row.references for row in rows]
    tokens = [[_cut(text, prepared.tokenizer, known) for text in row] for row in texts]
    given = RowReferences(texts, tokens, vocabulary)
    kinds = [
        (kind, chosen, columns, kind.prepare(chosen, given))
        for kind, chosen, columns in by_class(profile.counting)
    ]

    def total(text: str, held: str) -> float:
        one = vocabulary.look_up([_cut(text, prepared.tokenizer, known)])
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
