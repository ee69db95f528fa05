"""Golds prepared once, files scored against them."""

import math
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.metrics import by_class, kernel, ratios
from scoring.metrics.metric import Metric, RowPredictions, RowReferences
from scoring.predictions import Predictions
from scoring.profile import Profile
from scoring.references import SPLITS, References
from scoring.signature import for_split, version_signature
from scoring.tokenizers import Tokenizer

# Blob: these eight bytes of header, then zlib of little-endian float64, row by row.
_HEADER = struct.Struct("<II")
_FRACTIONS = 1 << 31


@dataclass(frozen=True)
class SplitReport:
    """One split: metrics are means over its rows, 0..1; the total carries the profile's scale."""

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

        All little-endian, row by row. Where the values are fractions, as nearly always: as `ratios`
        packs them, metric by metric, with the highest bit of the metrics set. `read_example_blob`
        gives the array back.
        """
        values = np.ascontiguousarray(self.examples, dtype="<f8")
        rows, metrics = values.shape
        if (fractions := ratios.packed(values.T)) is not None:
            return _HEADER.pack(rows, metrics | _FRACTIONS) + fractions
        return _HEADER.pack(rows, metrics) + zlib.compress(values.tobytes())


def read_example_blob(blob: bytes) -> NDArray[np.float64]:
    """The rows x metrics array of `Report.example_blob`; ValueError if it is not one."""
    try:
        rows, metrics = _HEADER.unpack_from(blob)
        if metrics & _FRACTIONS:
            metrics ^= _FRACTIONS
            columns = ratios.unpacked(blob[_HEADER.size :], rows * metrics)
            return np.ascontiguousarray(columns.reshape(metrics, rows).T)
        values = np.frombuffer(zlib.decompress(blob[_HEADER.size :]), dtype="<f8")
        return values.reshape(rows, metrics).astype(np.float64)
    except (struct.error, zlib.error, ValueError) as error:
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
    """References cut and indexed for one profile; reused for every file, read-only.

    kinds: each class of metrics with those that are chosen and their columns. blocks: what each of
    them prepared, for each block of rows. splits: signature and rows of each.
    """

    references: References
    profile: Profile
    signature: str
    tokenizer: Tokenizer
    vocabulary: kernel.Vocabulary
    kinds: tuple[tuple[type[Metric], list[Metric], list[int]], ...]
    blocks: tuple[tuple[Any, ...], ...]
    splits: Mapping[str, tuple[str, NDArray[np.intp]]]


def prepare(
    references: References,
    profile: Profile,
    progress: Progress | None = None,
    tokenizer: Tokenizer | None = None,
) -> PreparedReferences:
    """Cut and index the golds of a set under a profile.

    Slow analyzers take a minute for 1,500 golds; `progress("prepare", rows, total)` tells.
    tokenizer: the profile's own, where the caller has put something around it.
    """
    tokenizer = tokenizer or profile.analyzer()
    vocabulary = kernel.Vocabulary()
    rows = references.examples
    kinds = tuple(by_class(profile.parsed_metrics))
    blocks = []
    for start in range(0, len(rows), BLOCK_ROWS):
        block = rows[start : start + BLOCK_ROWS]
        tokens = []
        for place, row in enumerate(block, start=start + 1):
            tokens.append(list(map(tokenizer, row.references)))
            if progress is not None:
                progress("prepare", place, len(rows))
        given = RowReferences([row.references for row in block], tokens, vocabulary)
        blocks.append(tuple(kind.prepare(chosen, given) for kind, chosen, _ in kinds))
    signature = version_signature(
        profile, references_sha256=references.sha256, ngolds=references.ngolds
    )
    members = {"all": np.arange(len(rows))}
    if references.is_split:
        halves = np.array([row.split for row in rows])
        members |= {split: np.flatnonzero(halves == split) for split in SPLITS}
    return PreparedReferences(
        references=references,
        profile=profile,
        signature=signature,
        tokenizer=tokenizer,
        vocabulary=vocabulary,
        kinds=kinds,
        blocks=tuple(blocks),
        splits={name: (for_split(signature, name), of) for name, of in members.items() if len(of)},
    )


def score(
    predictions: Mapping[str, str] | Predictions,
    prepared: PreparedReferences,
    progress: Progress | None = None,
    known: dict[str, tuple[str, ...]] | None = None,
) -> Report:
    """Score one file; a blank text scores 0. ValueError if the ids are not those of the set.

    known: tokens by text that this tokenizer cut before; what is cut now is added.
    """
    texts = predictions.texts if isinstance(predictions, Predictions) else predictions
    ids = prepared.references.ids
    if texts.keys() != set(ids):
        raise ValueError("the predictions do not have the ids of the reference set")
    ordered = [texts[example_id] for example_id in ids]
    tokens = _cut(prepared, ordered, progress, known)
    values = np.zeros((len(ids), len(prepared.profile.metrics)))
    for start, numbered, blocks in zip(
        range(0, len(ids), BLOCK_ROWS), tokens, prepared.blocks, strict=True
    ):
        stop = min(start + BLOCK_ROWS, len(ids))
        given = RowPredictions(ordered[start:stop], numbered)
        for (kind, chosen, columns), block in zip(prepared.kinds, blocks, strict=True):
            found = kind.score(chosen, block, given, prepared.profile.gold_aggregation)
            values[start:stop, columns] = found
        if progress is not None:
            for done in (*range(start + PROGRESS_EVERY, stop, PROGRESS_EVERY), stop):
                progress("score", done, len(ids))
    lengths = np.concatenate([block.lengths for block in tokens])
    return Report(
        signature=prepared.signature,
        rows=len(ids),
        splits=MappingProxyType(split_reports(prepared, values)),
        examples=values,
        example_ids=ids,
        blank_ids=tuple(ids[place] for place in np.flatnonzero(lengths == 0)),
    )


def _cut(
    prepared: PreparedReferences,
    texts: Sequence[str],
    progress: Progress | None,
    known: dict[str, tuple[str, ...]] | None,
) -> list[kernel.NumberedTokens]:
    """Token numbers per block; the tokens themselves are let go, to keep large files small."""
    numbered = []
    for start in range(0, len(texts), BLOCK_ROWS):
        cut = []
        for place, text in enumerate(texts[start : start + BLOCK_ROWS], start=start + 1):
            cut.append(prepared.tokenizer.once(text, {} if known is None else known))
            if progress is not None:
                progress("cut", place, len(texts))
        numbered.append(prepared.vocabulary.look_up(cut))
    return numbered


def split_reports(
    prepared: PreparedReferences, values: NDArray[np.float64], left_out: Sequence[int] = ()
) -> dict[str, SplitReport]:
    """The whole, and each half that has rows: means of `values` (rows x metrics, fractions 0..1).

    left_out: places of rows that do not count. Means are exactly rounded: the order of rows cannot
    move a bit of them.
    """
    metrics, found = prepared.profile.parsed_metrics, {}
    for name, (signature, members) in prepared.splits.items():
        rows = np.setdiff1d(members, left_out) if left_out else members
        if not len(rows):
            continue
        means = {}
        for metric, column in zip(metrics, values.T, strict=True):
            counted = column[rows] if metric.by_split else column
            means[metric.name] = math.fsum(counted.tolist()) / len(counted)
        found[name] = SplitReport(
            rows=len(rows),
            metrics=MappingProxyType(means),
            total=prepared.profile.total(tuple(means.values())),
            signature=signature,
        )
    return found


def row_totals(examples: NDArray[np.floating], profile: Profile) -> NDArray[np.float64]:
    """The total of each row, in points, from its metrics (rows x metrics) in the profile's order.

    >>> row_totals(np.array([[0.5, 0.25, 0.5]]), Profile())
    array([1.25])
    """
    counted = len(profile.counting)
    divisor = counted if profile.metric_aggregation == "mean" else 1
    added: NDArray[np.float64] = examples[:, :counted].sum(axis=1, dtype=np.float64)
    return added / divisor * profile.scale


@dataclass(frozen=True)
class ReferenceCheck:
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


def check_references(
    prepared: PreparedReferences, progress: Progress | None = None
) -> ReferenceCheck:
    """Score every gold as a prediction against the whole set."""
    rows = prepared.references.examples
    totals = []
    for slot in range(prepared.references.ngolds[1]):
        texts = {row.example_id: row.references[min(slot, len(row.references) - 1)] for row in rows}
        totals.append(score(texts, prepared, progress).splits["all"].total)
    mean = sum(totals) / len(totals)
    constants: dict[str, int] = {}
    for number, (kind, chosen, _) in enumerate(prepared.kinds):
        constant = kind.constant([block[number] for block in prepared.blocks])
        if constant is not None:
            constants |= {metric.name: constant for metric in chosen}
    return ReferenceCheck(tuple(totals), mean, prepared.profile.full_mark, constants)
