"""What the command line prints: text for people, JSON for programs."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from scoring.explain import TokenMark, WorkedExample
from scoring.findings import Finding, InvalidFile, Notice
from scoring.formula import FormulaText
from scoring.messages import Language, _, say
from scoring.pipeline import Report
from scoring.predictions import Predictions
from scoring.ranking import as_printed
from scoring.verify import Verification
from scoring.verify.notebook import Notebook

_PROGRESS_EVERY = 64


def progress(stage: str, done: int, total: int) -> None:
    """One line on the terminal that is written over and over."""
    if done == total or done % _PROGRESS_EVERY == 0:
        end = "\n" if done == total else ""
        print(f"\r{stage} {done:,} / {total:,}", end=end, file=sys.stderr)


def report_object(report: Report, notices: Sequence[Notice]) -> dict[str, Any]:
    """Rows, notices and every split's numbers. Metrics are fractions, totals carry the scale."""
    return {
        "rows": report.rows,
        "notices": [notice.to_dict() for notice in notices],
        "splits": {
            name: {
                "rows": split.rows,
                **split.metrics,
                "total": split.total,
                "signature": split.signature,
            }
            for name, split in report.splits.items()
        },
    }


def checked_object(found: Predictions | InvalidFile) -> dict[str, Any]:
    """The object of `check --json`; `total` counts what is not listed too."""
    refused = found if isinstance(found, InvalidFile) else None
    return {
        "valid": refused is None,
        "rows": found.rows,
        "notices": [notice.to_dict() for notice in found.notices],
        "problems": [problem.to_dict() for problem in refused.problems] if refused else [],
        "total": refused.total if refused else 0,
    }


def report(report: Report, notices: Sequence[Notice], language: Language) -> str:
    """A table of splits, rounded as the board prints, and the signature."""
    lines = [finding(notice, language) for notice in notices]
    splits = report.splits.values()
    cells = [("", list(report.splits)), ("rows", [f"{split.rows:,}" for split in splits])]
    for metric in report.splits["all"].metrics:
        cells.append((metric, [as_printed(split.metrics[metric]) for split in splits]))
    cells.append(("total", [as_printed(split.total) for split in splits]))
    lines += table(cells)
    if report.blank_ids:
        lines.append(_rows(_("Blank, so 0"), report.blank_ids, language))
    lines.append(report.signature)
    return "\n".join(lines)


def accepted(read: Predictions, language: Language) -> str:
    """One line of approval and the notices."""
    english = _("Can be submitted. {rows:,} rows, {encoding}.")
    said = say(language, english, rows=read.rows, encoding=read.encoding)
    return "\n".join([said, *(finding(notice, language) for notice in read.notices)])


def refusal(refused: InvalidFile, language: Language) -> str:
    """Every listed problem with its line, then the count of all."""
    lines = []
    for problem in refused.problems:
        lines.append(finding(problem, language))
        if problem.excerpt:
            lines.append(f"    | {problem.excerpt}")
    lines += [finding(notice, language) for notice in refused.notices]
    listed = len(refused.problems)
    english = _("To fix: {total:,}, causes: {listed}.")
    lines.append(say(language, english, total=refused.total, listed=listed))
    return "\n".join(lines)


def explanation(row: WorkedExample, language: Language) -> str:
    """Tokens of the prediction and of each gold; matched ones stand in brackets."""
    lines = [say(language, _("[shared]  missing or extra"))]
    prediction, reference = say(language, _("prediction")), say(language, _("reference"))
    for gold in row.golds:
        won = f"  ← {', '.join(gold.won)}" if gold.won else ""
        lines += [
            "",
            f"{prediction}: {_marked(gold.ours)}",
            f"{reference} {gold.number}{won}: {_marked(gold.marks)}",
            *(
                f"    {one.label}  P {one.overlap}/{one.candidate_count}"
                f"  R {one.overlap}/{one.reference_count}  F1 {as_printed(one.f1)}"
                for one in gold.scores
            ),
        ]
    lines += ["", row.arithmetic]
    lines += [f"{label}: {as_printed(value)}" for label, value in row.beside]
    return "\n".join(lines)


def explanation_object(row: WorkedExample, example_id: str, signature: str) -> dict[str, Any]:
    """The object of `explain --json`: tokens with what matched, counts, measures, unrounded.

    Each gold has its own marks and those of the prediction against it.
    """
    return {
        "signature": signature,
        "id": example_id,
        "prediction": {"text": row.prediction, "tokens": row.prediction_tokens},
        "golds": [
            {
                "number": gold.number,
                "text": gold.text,
                "tokens": [asdict(mark) for mark in gold.marks],
                "prediction": [asdict(mark) for mark in gold.ours],
                "scores": [asdict(one) for one in gold.scores],
                "won": gold.won,
            }
            for gold in row.golds
        ],
        "chosen": [asdict(one) for one in row.chosen],
        "total": row.row_value,
        "arithmetic": row.arithmetic,
        **({"beside": dict(row.beside)} if row.beside else {}),
    }


_CHECKS = {
    "tokenizer": _("tokens"),
    "metrics": _("metrics of rows"),
    "splits": _("means of splits"),
    "totals": _("totals"),
    "signature": _("signatures"),
    "against": _("the server's scores"),
}
_PLACES_SHOWN = 20


def verification(found: Verification, language: Language) -> str:
    """Each check with how much it compared, what differs, and the largest difference."""
    lines = []
    for check in found.checks:
        label = say(language, _CHECKS[check.name])
        count = say(language, _("{count:,} compared"), count=check.compared)
        lines.append(f"{'✗' if check.different else '✓'} {check.name} ({label}): {count}")
        lines += [f"    {place}" for place in check.different[:_PLACES_SHOWN]]
        if (more := len(check.different) - _PLACES_SHOWN) > 0:
            lines.append(f"    … +{more:,}")
    if found.failed:
        lines.append(say(language, _("Differs: {failed}."), failed=", ".join(found.failed)))
    end = _("{rows:,} rows, {compared:,} compared. Largest difference {largest}")
    values = {"rows": found.rows, "compared": found.compared, "largest": found.largest}
    return "\n".join([*lines, say(language, end, **values)])


def verification_object(found: Verification, signature: str, gold_sha256: str) -> dict[str, Any]:
    """The object of `verify --json`; `failed` names the checks that found a difference."""
    return {
        "equal": not found.failed,
        "failed": found.failed,
        "signature": signature,
        "gold_sha256": gold_sha256,
        "rows": found.rows,
        "checks": {
            check.name: {
                "compared": check.compared,
                "different": len(check.different),
                "largest": check.largest,
                "places": check.different[:_PLACES_SHOWN],
            }
            for check in found.checks
        },
    }


def formula(text: FormulaText) -> str:
    """The formula, its words and its settings."""
    settings = [f"{label}: {value}" for label, value in text.settings]
    return "\n".join([text.formula, "", text.explanation, text.legend, "", *settings])


def finding(finding: Finding, language: Language) -> str:
    """One line: what is wrong or remarked, and in which lines of the file."""
    mark = "·" if isinstance(finding, Notice) else "✗"
    place = ""
    if finding.lines:
        english = _("lines {places}") if len(finding.lines) > 1 else _("line {places}")
        place = say(language, english, places=finding.places) + " "
    if finding.id is not None:
        place += f"{finding.id} "
    return f"{mark} {place.strip()}{': ' if place else ''}{finding.message(language)}"


def _marked(marks: Sequence[TokenMark]) -> str:
    return " ".join(f"[{mark.token}]" if mark.unigram else mark.token for mark in marks)


def scores(files: Sequence[tuple[str, Predictions, Report]]) -> str:
    """One line a file: the total of each split, then the metrics over all rows; names come last.

    The signature of the version stands below.
    """
    first = files[0][2]
    metrics = first.splits["all"].metrics
    lines = [line(["total", *list(first.splits)[1:], *metrics], "")]
    for name, _read, report in files:
        totals = [split.total for split in report.splits.values()]
        lines.append(line(map(as_printed, [*totals, *report.splits["all"].metrics.values()]), name))
    return "\n".join([*lines, first.signature])


def notebook(pairs: Sequence[tuple[str, Report, Notebook]], language: Language) -> str:
    """For each file our total and metrics over all rows, and the package's below."""
    metrics = pairs[0][2].metrics
    lines = [line(["total", *metrics], "")]
    for name, ours, theirs in pairs:
        split = ours.splits["all"]
        lines.append(line(map(as_printed, [split.total, *split.metrics.values()]), name))
        others = [theirs.total, *theirs.metrics.values()]
        lines.append(line(map(as_printed, others), f"{name} · rouge {theirs.version}"))
        if theirs.failed:
            lines.append("    " + _rows(_("The package fails, so 0"), theirs.failed, language))
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


def table(rows: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """Lines with a label and a cell for each split."""
    return [f"{label:<16}" + "".join(f"{cell:>12}" for cell in cells) for label, cells in rows]


def line(cells: Iterable[str], name: str) -> str:
    """Cells in columns, then what they belong to."""
    return ("".join(f"{cell:>12}" for cell in cells) + f"  {name}").rstrip()


def _rows(english: str, ids: Sequence[str], language: Language) -> str:
    """How many rows something is said of, and the first of them."""
    return f"{say(language, english)}: {len(ids):,} ({', '.join(ids[:20])})"
