"""Golds prepared once, files scored against them."""

import math
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring import tokenizers
from scoring.metrics import by_class, kernel
from scoring.metrics.metric import RowPredictions, RowReferences
from scoring.predictions import Predictions
from scoring.profile import Profile
from scoring.references import SPLITS, References
from scoring.signature import for_split, version_signature
from scoring.tokenizers import Tokenizer

# Blob: these eight bytes of header, then zlib of little-endian float64, row by row.
_HEADER = struct.Struct("<II")


@dataclass(frozen=True)
class SplitReport:
    """The numbers of one split. Metrics are fractions 0..1; the total carries the profile's scale.

    A metric is the plain mean over the rows of the split.
    """

    rows: int
    metrics: Mapping[str, float]
    total: float
    signature: str


@dataclass(frozen=True)
class Report:
    """All that scoring one file gives.

    signature: of the scoring version (no split). splits: `all`, and `public` and `private` where
    the golds are split. examples: rows x metrics, fractions 0..1, in the order of example_ids (the
    order of the reference set). blank_ids: rows whose prediction has no token and so scores 0.
    """

    signature: str
    rows: int
    splits: Mapping[str, SplitReport]
    examples: NDArray[np.float64]
    example_ids: tuple[str, ...]
    blank_ids: tuple[str, ...]

    def example_blob(self) -> bytes:
        """`examples` as bytes to keep: rows and metrics as two uint32, then zlib of float64.

        All little-endian, row by row. `read_example_blob` gives the array back.
        """
        values = np.ascontiguousarray(self.examples, dtype="<f8")
        return _HEADER.pack(*values.shape) + zlib.compress(values.tobytes())


def read_example_blob(blob: bytes) -> NDArray[np.float64]:
    """The rows x metrics array of `Report.example_blob`; ValueError if it is not one."""
    try:
        rows, metrics = _HEADER.unpack_from(blob)
        values = np.frombuffer(zlib.decompress(blob[_HEADER.size :]), dtype="<f8")
        return values.reshape(rows, metrics).astype(np.float64)
    except (struct.error, zlib.error) as error:
        raise ValueError(f"not a blob of example scores: {error}") from None


# (stage, done, total); stages are "prepare", "cut" and "score".
Progress = Callable[[str, int, int], None]

# Rows that are indexed and scored together, in about two milliseconds: enough for numpy to pay,
# few enough that a large file needs little memory at a time.
BLOCK_ROWS = 256

# Progress is told for each row that is cut, since a slow analyzer may need a second for one and a
# worker renews its lease from it; rows are scored in no time, and told every few dozen.
PROGRESS_EVERY = 32


@dataclass(frozen=True)
class PreparedReferences:
    """Golds cut and indexed for one profile; reused for every file, read-only.

    blocks: what each class of metrics prepared, for each block of rows.
    """

    references: References
    profile: Profile
    signature: str
    tokenizer: Tokenizer
    vocabulary: kernel.Vocabulary
    blocks: tuple[tuple[Any, ...], ...]


def prepare(
    references: References, profile: Profile, progress: Progress | None = None
) -> PreparedReferences:
    """Cut and index the golds of a set under a profile.

    Slow analyzers take a minute for 1,500 golds; `progress("prepare", rows, total)` tells.
    """
    tokenizer = tokenizers.get(profile.tokenizer)
    vocabulary = kernel.Vocabulary()
    rows = references.examples
    kinds = list(by_class(profile.parsed_metrics))
    blocks = []
    for start, stop in block_bounds(len(rows)):
        golds = []
        for place in range(start, stop):
            golds.append(tokenizer.cut_many(rows[place].references))
            if progress is not None:
                progress("prepare", place + 1, len(rows))
        texts = [row.references for row in rows[start:stop]]
        given = RowReferences(texts, golds, vocabulary)
        blocks.append(tuple(kind.prepare(chosen, given) for kind, chosen, _ in kinds))
    return PreparedReferences(
        references=references,
        profile=profile,
        signature=version_signature(
            profile, references_sha256=references.sha256, ngolds=references.ngolds
        ),
        tokenizer=tokenizer,
        vocabulary=vocabulary,
        blocks=tuple(blocks),
    )


def score(
    predictions: Mapping[str, str] | Predictions,
    prepared: PreparedReferences,
    progress: Progress | None = None,
    known: dict[str, tuple[str, ...]] | None = None,
) -> Report:
    """Score one file. Every id of the set must have a text; a blank one scores 0.

    known: tokens by text that this tokenizer cut before; what is cut now is added.

    Raises ValueError if the ids are not those of the set (the validator has said so before).
    """
    texts = predictions.texts if isinstance(predictions, Predictions) else predictions
    ids = prepared.references.ids
    if texts.keys() != set(ids):
        raise ValueError("the predictions do not have the ids of the reference set")
    ordered = [texts[example_id] for example_id in ids]
    tokens = _cut(prepared, ordered, progress, known)
    profile = prepared.profile
    kinds = list(by_class(profile.parsed_metrics))
    values = np.zeros((len(ids), len(profile.metrics)))
    for number, (start, stop) in enumerate(block_bounds(len(ids))):
        given = RowPredictions(ordered[start:stop], tokens[number])
        for (kind, chosen, places), block in zip(kinds, prepared.blocks[number], strict=True):
            found = kind.score(chosen, block, given, profile.gold_aggregation)
            values[start:stop, places] = found
        if progress is not None:
            for done in (*range(start + PROGRESS_EVERY, stop, PROGRESS_EVERY), stop):
                progress("score", done, len(ids))
    lengths = np.concatenate([block.lengths for block in tokens])
    return Report(
        signature=prepared.signature,
        rows=len(ids),
        splits=MappingProxyType(dict(_splits(prepared, values))),
        examples=values,
        example_ids=ids,
        blank_ids=tuple(
            example_id for example_id, length in zip(ids, lengths, strict=True) if not length
        ),
    )


def _cut(
    prepared: PreparedReferences,
    texts: Sequence[str],
    progress: Progress | None,
    known: dict[str, tuple[str, ...]] | None,
) -> list[kernel.NumberedTokens]:
    """Token numbers per block; the tokens themselves are let go, to keep large files small."""
    numbered = []
    for start, stop in block_bounds(len(texts)):
        cut = []
        for place in range(start, stop):
            found = None if known is None else known.get(texts[place])
            if found is None:
                found = prepared.tokenizer(texts[place])
                if known is not None:
                    known[texts[place]] = found
            cut.append(found)
            if progress is not None:
                progress("cut", place + 1, len(texts))
        numbered.append(prepared.vocabulary.look_up(cut))
    return numbered


def block_bounds(rows: int) -> Iterator[tuple[int, int]]:
    """Start and stop of each block of rows that is scored together."""
    for start in range(0, rows, BLOCK_ROWS):
        yield start, min(start + BLOCK_ROWS, rows)


def _splits(
    prepared: PreparedReferences, values: NDArray[np.float64]
) -> Iterator[tuple[str, SplitReport]]:
    """The whole, and each half that has rows."""
    whole = _means(values)
    yield "all", _split(prepared, len(values), whole, "all")
    if prepared.references.is_split:
        splits = np.array([example.split for example in prepared.references.examples])
        for split in SPLITS:
            if (chosen := splits == split).any():
                half = _means(values[chosen])
                means = [
                    part if metric.by_split else of_file
                    for metric, part, of_file in zip(
                        prepared.profile.parsed_metrics, half, whole, strict=True
                    )
                ]
                yield split, _split(prepared, int(chosen.sum()), means, split)


def _means(values: NDArray[np.float64]) -> list[float]:
    """Plain means of the columns, exactly rounded: the order of rows cannot move a bit of them."""
    return [math.fsum(column) / len(column) for column in values.T.tolist()]


def _split(
    prepared: PreparedReferences, rows: int, means: Sequence[float], split: str
) -> SplitReport:
    return SplitReport(
        rows=rows,
        metrics=MappingProxyType(dict(zip(prepared.profile.metrics, means, strict=True))),
        total=prepared.profile.total(means),
        signature=for_split(prepared.signature, split),
    )


@dataclass(frozen=True)
class GoldCheck:
    """What a contest's golds would score themselves, for the organizer.

    totals: over all rows, with each row's first gold as the prediction, then its second, …; a row
    with fewer golds lends its last. Under `max` each is the full mark (short of it only where a
    gold is too short for an n-gram), under `mean` the distance tells how much golds differ.
    constants: what is printed beside a metric, by its name.
    """

    totals: tuple[float, ...]
    mean: float
    full_mark: float
    constants: Mapping[str, int]


def check_golds(prepared: PreparedReferences, progress: Progress | None = None) -> GoldCheck:
    """Score every gold as a prediction against the whole set."""
    rows = prepared.references.examples
    totals = []
    for slot in range(prepared.references.ngolds[1]):
        texts = {row.example_id: row.references[min(slot, len(row.references) - 1)] for row in rows}
        totals.append(score(texts, prepared, progress).splits["all"].total)
    mean = sum(totals) / len(totals)
    constants = dict(_constants(prepared))
    return GoldCheck(tuple(totals), mean, prepared.profile.full_mark, constants)


def _constants(prepared: PreparedReferences) -> Iterator[tuple[str, int]]:
    for number, (kind, chosen, _) in enumerate(by_class(prepared.profile.parsed_metrics)):
        constant = kind.constant([block[number] for block in prepared.blocks])
        if constant is not None:
            yield from ((metric.name, constant) for metric in chosen)
