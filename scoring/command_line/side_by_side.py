"""What the command line prints of files against each other: text for people, JSON for programs."""

from collections.abc import Sequence
from typing import Any

from scoring.command_line.output import line
from scoring.comparison import ComparedNumber, Comparison
from scoring.messages import Language, _, say
from scoring.pipeline import Report
from scoring.ranking import as_printed

# By the sign of the second minus the first.
VERDICTS = {
    -1: _("The first file is better."),
    0: _("The two files cannot be told apart."),
    1: _("The second file is better."),
}
_OF_TOTAL = ("difference", "low", "high", "p", "differing", "distinguishable")


def comparison_text(
    names: Sequence[str], found: Comparison, signature: str, language: Language
) -> str:
    """Both files' numbers, the second minus the first, and the interval of that difference."""
    first, second = names
    lines = [f"A = {first}", f"B = {second}", line(["A", "B", "B - A"], "")]
    for one in found.numbers:
        label = f"{one.split} {one.name} ({one.difference.rows:,})"
        cells = [as_printed(one.first), as_printed(one.second), f"{one.second - one.first:+.4f}"]
        lines.append(line(cells, f"{_interval(one)}  {label}"))
    said = say(language, VERDICTS[found.numbers[0].difference.sign])
    return "\n".join([*lines, said, found.signature, signature])


def comparison_object(
    names: Sequence[str], found: Comparison, first: Report, gold_sha256: str
) -> dict[str, Any]:
    """The object of `compare --json`, unrounded; low, high and p are null with too few rows.

    So are low and high where too few of them differ.

    The first lines are of the totals over all rows, which stand in `splits` again.
    """
    splits: dict[str, Any] = {
        name: {"rows": split.rows, "signature": split.signature}
        for name, split in first.splits.items()
    }
    for one in found.numbers:
        splits[one.split][one.name] = {
            "first": one.first,
            "second": one.second,
            "difference": one.second - one.first,
            "low": one.difference.low,
            "high": one.difference.high,
            "p": one.difference.p,
            "differing": one.difference.differing,
            "distinguishable": one.difference.distinguishable,
        }
    total = splits["all"]["total"]
    return {
        **{name: total[name] for name in _OF_TOTAL},
        "rows": first.rows,
        "signature": first.signature,
        "test": found.signature,
        "gold_sha256": gold_sha256,
        "files": names,
        "splits": splits,
    }


def _interval(one: ComparedNumber) -> str:
    low, high = one.difference.low, one.difference.high
    return "–" if low is None or high is None else f"[{low:+.4f}, {high:+.4f}]"
