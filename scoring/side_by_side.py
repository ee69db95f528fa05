"""What the command line prints of several files: a table, a comparison, a notebook's numbers."""

from collections.abc import Sequence
from typing import Any

from scoring import comparison
from scoring.comparison import ComparedNumber
from scoring.messages import Language, _, say
from scoring.notebook import Notebook
from scoring.output import number
from scoring.pipeline import Report
from scoring.predictions import Predictions

_WIDTH = 12


def scores(files: Sequence[tuple[str, Predictions, Report]]) -> str:
    """One line a file: the total of each split, then the metrics over all rows; names come last.

    The signature of the version stands below.
    """
    first = files[0][2]
    metrics = first.splits["all"].metrics
    lines = [_line(["total", *list(first.splits)[1:], *metrics], "")]
    for name, _read, report in files:
        totals = [split.total for split in report.splits.values()]
        lines.append(_line(map(number, [*totals, *report.splits["all"].metrics.values()]), name))
    return "\n".join([*lines, first.signature])


def comparison_text(
    names: Sequence[str], found: Sequence[ComparedNumber], signature: str, language: Language
) -> str:
    """Both files' numbers, the second minus the first, and the interval of that difference."""
    first, second = names
    lines = [f"A = {first}", f"B = {second}", _line(["A", "B", "B - A"], "")]
    for one in found:
        label = f"{one.split} {one.name} ({one.difference.rows:,})"
        cells = [number(one.first), number(one.second), _signed(one.second - one.first)]
        lines.append(_line(cells, f"{_interval(one)}  {label}"))
    verdict = found[0].difference
    differ, alike = _("The two files differ."), _("The two files cannot be told apart.")
    said = say(language, differ if verdict.distinguishable else alike)
    return "\n".join([*lines, said, f"{comparison.PERCENT} %: {comparison.METHOD}", signature])


def comparison_object(
    names: Sequence[str], found: Sequence[ComparedNumber], first: Report, gold_sha256: str
) -> dict[str, Any]:
    """The object of `compare --json`, unrounded; low and high are null with too few rows."""
    splits: dict[str, Any] = {
        name: {"rows": split.rows, "signature": split.signature}
        for name, split in first.splits.items()
    }
    for one in found:
        splits[one.split][one.name] = {
            "first": one.first,
            "second": one.second,
            "difference": one.second - one.first,
            "low": one.difference.low,
            "high": one.difference.high,
            "distinguishable": one.difference.distinguishable,
        }
    return {
        "signature": first.signature,
        "gold_sha256": gold_sha256,
        "files": names,
        "interval": f"{comparison.PERCENT} %, {comparison.METHOD}",
        "splits": splits,
    }


def notebook(pairs: Sequence[tuple[str, Report, Notebook]], language: Language) -> str:
    """For each file our total and metrics over all rows, and the package's below."""
    metrics = pairs[0][2].metrics
    lines = [_line(["total", *metrics], "")]
    for name, ours, theirs in pairs:
        split = ours.splits["all"]
        lines.append(_line(map(number, [split.total, *split.metrics.values()]), name))
        others = [theirs.total, *theirs.metrics.values()]
        lines.append(_line(map(number, others), f"{name} · rouge {theirs.version}"))
        if theirs.failed:
            lines.append(_failed(theirs.failed, language))
    return "\n".join([*lines, pairs[0][1].signature])


def notebook_object(
    pairs: Sequence[tuple[str, Report, Notebook]], gold_sha256: str
) -> dict[str, Any]:
    """The object of `notebook --json`: both over all rows, unrounded."""
    first = pairs[0][1]
    return {
        "signature": first.splits["all"].signature,
        "gold_sha256": gold_sha256,
        "package": f"rouge {pairs[0][2].version}",
        "files": [
            {
                "file": name,
                "ours": {**ours.splits["all"].metrics, "total": ours.splits["all"].total},
                "theirs": {**theirs.metrics, "total": theirs.total},
                "failed": theirs.failed,
            }
            for name, ours, theirs in pairs
        ],
    }


def _line(cells: Any, name: str) -> str:
    return ("".join(f"{cell:>{_WIDTH}}" for cell in cells) + f"  {name}").rstrip()


def _signed(value: float) -> str:
    return f"{value:+.4f}"


def _interval(one: ComparedNumber) -> str:
    low, high = one.difference.low, one.difference.high
    return "–" if low is None or high is None else f"[{_signed(low)}, {_signed(high)}]"


def _failed(rows: Sequence[str], language: Language) -> str:
    shown = ", ".join(rows[:20])
    said = say(language, _("The package fails, so 0"))
    return f"    {said}: {len(rows):,} ({shown})"
