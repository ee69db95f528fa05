"""Which texts of two submissions differ, and in which words.

Only texts go in: nothing here knows a score or a reference, so nothing here can tell of one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Not difflib: a team may send texts that take it a second a row, and a page has fifty.
from rapidfuzz.distance import LCSseq

from scoring.references import natural_key


@dataclass(frozen=True)
class Piece:
    """Some words in a row, all of them in both texts or all of them in this one alone."""

    text: str
    changed: bool


@dataclass(frozen=True)
class DifferingRow:
    """One dialogue with both texts; None where a file has no such row.

    `only_spaces`: the words are the same.
    """

    example_id: str
    before: tuple[Piece, ...] | None
    after: tuple[Piece, ...] | None
    only_spaces: bool


def differing_ids(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The ids whose texts are not the same, `talk_9` before `talk_10`."""
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return sorted(changed, key=natural_key)


def differing_row(
    example_id: str, before: Mapping[str, str], after: Mapping[str, str]
) -> DifferingRow:
    """Both texts of a row with the words that only one of them has."""
    texts = before.get(example_id), after.get(example_id)
    left, right = ([] if text is None else text.split() for text in texts)
    gone, come = [True] * len(left), [True] * len(right)
    for step in LCSseq.opcodes(left, right):
        if step.tag == "equal":
            gone[step.src_start : step.src_end] = [False] * (step.src_end - step.src_start)
            come[step.dest_start : step.dest_end] = [False] * (step.dest_end - step.dest_start)
    return DifferingRow(
        example_id=example_id,
        before=None if texts[0] is None else _pieces(left, gone),
        after=None if texts[1] is None else _pieces(right, come),
        only_spaces=None not in texts and left == right,
    )


def _pieces(words: Sequence[str], changed: Sequence[bool]) -> tuple[Piece, ...]:
    """Neighbouring words that are alike as one piece."""
    found: list[tuple[list[str], bool]] = []
    for word, other in zip(words, changed, strict=True):
        if found and found[-1][1] == other:
            found[-1][0].append(word)
        else:
            found.append(([word], other))
    return tuple(Piece(" ".join(group), other) for group, other in found)
