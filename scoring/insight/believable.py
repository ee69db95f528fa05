"""Commands that say how far a number can be believed."""

import argparse
from collections.abc import Sequence
from typing import Any

from scoring import comparison, dialogues, pipeline, side_by_side
from scoring.commands import (
    Unusable,
    answer,
    answer_several,
    check_once,
    each,
    prepare_golds,
    progress,
    read_golds,
    read_input,
    read_predictions,
    score_file,
)
from scoring.findings import Limits
from scoring.insight.floors import LINES
from scoring.insight.floors import floors as lines_of
from scoring.insight.lift import METHOD, lifts
from scoring.messages import _
from scoring.ranking import as_printed
from scoring.signature import with_part


def floors(asked: argparse.Namespace) -> int:
    """The lines of a set of golds, by split; null for those that it has not."""
    check_once([asked.gold, *asked.more_golds, *([asked.dialogues] if asked.dialogues else [])])
    golds = read_golds(asked)
    talks = None
    if asked.dialogues:
        read = dialogues.read(read_input(asked.dialogues), Limits.unlimited())
        talks = read.texts
        if missing := [row for row in golds.ids if row not in talks]:
            raise Unusable(
                _("{file}: no dialogue for {count:,} rows of the golds ({ids})."),
                file=asked.dialogues,
                count=len(missing),
                ids=", ".join(missing[:5]),
            )
    prepared = prepare_golds(asked, golds)
    found = lines_of(prepared, talks, progress())
    splits = {split: found.totals(split) for split in prepared.splits}
    described = {"splits": splits, "signature": found.signature, "gold_sha256": golds.sha256}
    rows = [(line, [totals[line] for totals in splits.values()]) for line in LINES]
    return answer(asked, described, _table(list(splits), rows, found.signature))


def lift(asked: argparse.Namespace) -> int:
    """What a file's total owes to its texts standing where they stand, by split."""
    golds = read_golds(asked)
    prepared = prepare_golds(asked, golds)
    texts = read_predictions(asked, golds, asked.predictions).texts
    known: dict[str, tuple[str, ...]] = {}
    report = pipeline.score(texts, prepared, progress(), known)
    found = lifts(texts, report, prepared, progress(), known)
    splits = {
        split: {"total": one.total, "lift": one.lift, "ratio": one.ratio, "light": one.light}
        for split, one in found.items()
    }
    signature = with_part(report.signature, "lift", METHOD)
    described = {"splits": splits, "signature": signature, "gold_sha256": golds.sha256}
    rows: list[tuple[str, list[float | str | None]]] = [
        ("total", [one.total for one in found.values()]),
        ("lift", [one.lift for one in found.values()]),
        ("ratio", [one.ratio for one in found.values()]),
        ("light", [one.light for one in found.values()]),
    ]
    return answer(asked, described, _table(list(splits), rows, signature))


def bands(asked: argparse.Namespace) -> int:
    """Between which ranks each file lies."""
    golds = read_golds(asked)
    prepared = prepare_golds(asked, golds)
    if asked.split not in prepared.splits:
        raise Unusable(_("{file}: no row is {split}."), file=asked.gold, split=asked.split)
    scored, refused = each(asked, lambda path: score_file(asked, prepared, path))
    head: dict[str, Any] = {"split": asked.split, "gold_sha256": golds.sha256}
    if not scored:
        return answer_several(asked, head, [], [], refused)
    names, reports = [one.name for one in scored], [one.report for one in scored]
    found = comparison.rank_bands(reports, prepared, asked.split)
    signature, rows = prepared.splits[asked.split]
    head |= {"threshold": found.threshold, "rows": len(rows)}
    head |= {"signature": found.signature, "totals_signature": signature}
    files = side_by_side.bands_files(names, found, reports, asked.split)
    text = side_by_side.bands_text(names, found, signature, asked.language)
    return answer_several(asked, head, files, [text], refused)


def _table(
    splits: Sequence[str],
    rows: Sequence[tuple[str, Sequence[float | str | None]]],
    signature: str,
) -> str:
    """A line for each row, a column for each split, and the signature below."""

    def cell(value: float | str | None) -> str:
        if value is None:
            return "–"
        return value if isinstance(value, str) else as_printed(value)

    table = [
        ("", list(splits)),
        *((label, [cell(one) for one in values]) for label, values in rows),
    ]
    lines = [f"{label:<16}" + "".join(f"{one:>12}" for one in cells) for label, cells in table]
    return "\n".join([*lines, signature])
