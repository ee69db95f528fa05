"""Where a tokenizer cut the texts of a submission: kept once, so that new golds cut nothing again.

Cutting is most of the work of a scoring, and the same for every version with that tokenizer: a
rehearsal of corrected golds is several times faster without it, with a Java analyzer a hundred
times. Kept under the tokenizer's signature, so another engine or dictionary never reads it.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any
from uuid import UUID

from leaderboard.evaluation.models import SubmissionCuts
from scoring.tokenizers import Tokenizer

Tokens = tuple[str, ...]
QUICK = ("chars", "whitespace")  # cut sooner than read

# Of each row the lengths of its tokens, from which its text gives them back; the tokens themselves
# where an analyzer changed letters; None for a row that was not cut.
Row = list[Any] | None


def remembering(tokenizer: Tokenizer, known: dict[str, Tokens]) -> Tokenizer:
    """The tokenizer, which looks into `known` before it cuts, and adds to it what it has cut."""

    def cut(text: str) -> Tokens:
        found = known.get(text)
        if found is None:
            found = known[text] = tuple(tokenizer.cut(text))
        return found

    return replace(tokenizer, cut=cut)


def load(submission_id: UUID, tokenizer: Tokenizer, texts: Mapping[str, str]) -> dict[str, Tokens]:
    """The tokens of each text that this tokenizer has cut before; empty if none was kept."""
    kept = SubmissionCuts.objects.filter(submission=submission_id, tokenizer=tokenizer.signature)
    blob = kept.values_list("blob", flat=True).first()
    if blob is None:
        return {}
    rows: list[Row] = json.loads(zlib.decompress(bytes(blob)))
    known = {}
    for text, row in zip(texts.values(), rows, strict=True):
        tokens = _tokens(text, row)
        if tokens is not None:
            known[text] = tokens
    return known


def keep(
    submission_id: UUID, tokenizer: Tokenizer, texts: Mapping[str, str], known: Mapping[str, Tokens]
) -> None:
    """Store where the texts were cut. Safe to run twice, and for somebody who lost the lease."""
    if tokenizer.name in QUICK:
        return
    rows = [_row(text, known.get(text)) for text in texts.values()]
    blob = zlib.compress(json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode())
    SubmissionCuts.objects.bulk_create(
        [SubmissionCuts(submission_id=submission_id, tokenizer=tokenizer.signature, blob=blob)],
        ignore_conflicts=True,
        batch_size=500,
    )


def _row(text: str, tokens: Tokens | None) -> Row:
    if tokens is None:
        return None
    lengths = [len(token) for token in tokens]
    return lengths if _slices(text, lengths) == tokens else list(tokens)


def _tokens(text: str, row: Row) -> Tokens | None:
    if row is None:
        return None
    return tuple(row) if row and isinstance(row[0], str) else _slices(text, row)


def _slices(text: str, lengths: Sequence[int]) -> Tokens:
    """The text without its blanks, in pieces of these lengths.

    >>> _slices("물이 샌다", [1, 1, 2])
    ('물', '이', '샌다')
    """
    solid = "".join(text.split())
    return tuple(solid[start:end] for start, end in pairwise(accumulate(lengths, initial=0)))
