"""`compare`, `floors`, `lift`, `bands` and `verify-bundle`: how far a number can be believed."""

import argparse
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

import numpy as np

from scoring import dialogues, pipeline
from scoring.command_line.commands import (
    FINE,
    OURS,
    Command,
    Unusable,
    answer,
    answer_several,
    check_once,
    each,
    file_arguments,
    prepare_golds,
    profile_options,
    progress,
    read_golds,
    read_input,
    read_predictions,
    score_file,
    shown,
)
from scoring.command_line.output import line, table
from scoring.findings import Limits, escaped
from scoring.insight import comparison
from scoring.insight.closing.verify import verify_bundle
from scoring.insight.specificity import METHOD, lifts
from scoring.insight.trivial_baselines import LINES
from scoring.insight.trivial_baselines import floors as lines_of
from scoring.messages import Language, _, say
from scoring.pipeline import row_totals
from scoring.ranking import as_printed, printed_text
from scoring.references import SPLITS
from scoring.signature import with_part
from scoring.statistics import FEWEST_ROWS, seed_of
from scoring.statistics.bands import Bands
from scoring.statistics.bands import bands as bands_of

_LIFT = ("total", "lift", "ratio", "light")
_SHOWN = 5  # differences of one check that are printed
_WIDE = 200  # characters of one: cells of a bundle may hold anything


def _arguments(files: str | int | None) -> Callable[[argparse.ArgumentParser], None]:
    """Those of a command about golds and so many predictions files."""

    def add(parser: argparse.ArgumentParser) -> None:
        file_arguments(parser, files)
        parser.add_argument("--json", action="store_true", help="one JSON object, unrounded")
        profile_options(parser)

    return add


def _floors_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments(0)(parser)
    parser.add_argument("--dialogues", metavar="FILE", help="CSV: fname, dialogue")


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
                _("{file}: no dialogue for {count:,} rows of the references ({ids})."),
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


def compare(asked: argparse.Namespace) -> int:
    """The difference of two files, with its interval."""
    golds = read_golds(asked)
    prepared = prepare_golds(asked, golds)
    first, second = (score_file(asked, prepared, path).report for path in asked.predictions)
    found = comparison.compare(first, second, prepared)
    names = [shown(path) for path in asked.predictions]
    described = comparison.described(names, found, first, golds.sha256)
    text = comparison.text(names, found, prepared.signature, asked.language)
    return answer(asked, described, text)


def lift(asked: argparse.Namespace) -> int:
    """What a file's total owes to its texts standing where they stand, by split."""
    golds = read_golds(asked)
    prepared = prepare_golds(asked, golds)
    texts = read_predictions(asked, golds, asked.predictions).texts
    known: dict[str, tuple[str, ...]] = {}
    report = pipeline.score(texts, prepared, progress(), known)
    found = lifts(texts, report, prepared, progress(), known)
    splits = {split: {name: getattr(one, name) for name in _LIFT} for split, one in found.items()}
    signature = with_part(report.signature, "lift", METHOD)
    described = {"splits": splits, "signature": signature, "gold_sha256": golds.sha256}
    rows = [(name, [one[name] for one in splits.values()]) for name in _LIFT]
    return answer(asked, described, _table(list(splits), rows, signature))


def _bands_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments("+")(parser)
    parser.add_argument("--split", choices=("all", *SPLITS), default="all", help="whose rows")


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
    signature, rows = prepared.splits[asked.split]
    values = [row_totals(report.examples, prepared.profile)[rows] for report in reports]
    found = bands_of(np.stack(values), seed=seed_of(golds.sha256))
    head |= {"threshold": found.threshold, "rows": len(rows)}
    head |= {"signature": found.signature, "totals_signature": signature}
    totals = [report.splits[asked.split].total for report in reports]
    files = [
        {"file": name, "total": total, "best_rank": best, "worst_rank": worst}
        for name, total, best, worst in zip(
            names, totals, found.best_ranks, found.worst_ranks, strict=True
        )
    ]
    text = _bands_text(names, found, signature, asked.language)
    return answer_several(asked, head, files, [text], refused)


def _bands_text(names: Sequence[str], found: Bands, signature: str, language: Language) -> str:
    """One line a file, the best first: its total and the ranks it may have."""
    lines = [line(["total", "rank"], "")]
    for place in sorted(range(len(names)), key=lambda place: -found.totals[place]):
        best, worst = found.best_ranks[place], found.worst_ranks[place]
        ranks = str(best) if best == worst else f"{best}–{worst}"
        lines.append(line([printed_text(found.totals[place]), ranks], names[place]))
    if found.threshold is None:
        few = _("Fewer than {rows} rows: no order can be told from chance.")
        said = say(language, few, rows=FEWEST_ROWS)
    else:
        noise = _("Totals that differ by {threshold} or less cannot be told apart.")
        said = say(language, noise, threshold=f"{found.threshold:.3f}")
    return "\n".join([*lines, said, found.signature, signature])


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

    cells = [("", list(splits)), *((label, list(map(cell, values))) for label, values in rows)]
    return "\n".join([*table(cells), signature])


def _bundle_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", metavar="FILE", help="bundle.zip; - reads it from standard input")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def verify(asked: argparse.Namespace) -> int:
    """Say what was compared and what differs; 1 if anything does. Raises NoBundle."""
    found = verify_bundle(BytesIO(read_input(asked.bundle)))
    lines = []
    for check in found.checks:
        mark = "≠" if check.different else "="
        lines.append(f"{mark} {check.name:<16}{check.compared:>10,}")
        lines += [f"    {escaped(place, _WIDE)}" for place in check.different[:_SHOWN]]
    lines.append(say(asked.language, _("Not checked:")))
    lines += [f"  – {say(asked.language, one)}" for one in found.unchecked]
    described = {
        "edition": found.edition,
        "failed": list(found.failed),
        "checks": [
            {"name": one.name, "compared": one.compared, "different": list(one.different)}
            for one in found.checks
        ],
        "unchecked": [say(asked.language, one) for one in found.unchecked],
    }
    answer(asked, described, "\n".join(lines))
    return OURS if found.failed else FINE


COMMANDS = (
    Command(
        "compare",
        "print the difference of two files and its interval",
        _arguments(2),
        compare,
    ),
    Command("bands", "say which ranks would hold over other rows", _bands_arguments, bands),
    Command(
        "floors", "print what anybody reaches, and what people reach", _floors_arguments, floors
    ),
    Command("lift", "print what a file's total loses on other rows", _arguments(None), lift),
    Command(
        "verify-bundle",
        "check the bundle of a closed contest: recompute all that it holds",
        _bundle_arguments,
        verify,
    ),
)
