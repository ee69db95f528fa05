"""What the command line prints: text for people, JSON for programs."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from scoring.explain import ExampleGold, Explanation, TokenMark
from scoring.findings import Finding, InvalidFile, Notice
from scoring.formula import FormulaText
from scoring.pipeline import Report
from scoring.predictions import Predictions
from scoring.ranking import printed, printed_text
from scoring.verify import Verification

Language = Literal["ko", "en"]

_PROGRESS_EVERY = 64


def progress(stage: str, done: int, total: int) -> None:
    """One line on the terminal that is written over and over."""
    if done == total or done % _PROGRESS_EVERY == 0:
        end = "\n" if done == total else ""
        print(f"\r{stage} {done:,} / {total:,}", end=end, file=sys.stderr)


def json_text(value: Mapping[str, Any]) -> str:
    """One JSON object; a number that JSON does not know is an error."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


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


def report_json(report: Report, gold_sha256: str, notices: Sequence[Notice]) -> str:
    """The object of `score --json`, unrounded."""
    head = {"signature": report.signature, "gold_sha256": gold_sha256}
    return json_text(head | report_object(report, notices))


def accepted_object(read: Predictions) -> dict[str, Any]:
    """The object of `check --json` for a file that can be scored."""
    return {
        "valid": True,
        "rows": read.rows,
        "notices": [notice.to_dict() for notice in read.notices],
        "problems": [],
        "total": 0,
    }


def refusal_object(refused: InvalidFile) -> dict[str, Any]:
    """The object of `check --json` for a refused file; `total` counts what is not listed too."""
    return {
        "valid": False,
        "rows": refused.rows,
        "notices": [notice.to_dict() for notice in refused.notices],
        "problems": [problem.to_dict() for problem in refused.problems],
        "total": refused.total,
    }


def report(report: Report, notices: Sequence[Notice], language: Language) -> str:
    """A table of splits, rounded as the board prints, and the signature."""
    lines = [_finding(notice, language) for notice in notices]
    names = list(report.splits)
    lines.append(_table_row("", names))
    lines.append(_table_row("rows", [f"{split.rows:,}" for split in report.splits.values()]))
    for metric in report.splits["all"].metrics:
        values = [number(split.metrics[metric]) for split in report.splits.values()]
        lines.append(_table_row(metric, values))
    totals = [number(split.total) for split in report.splits.values()]
    lines.append(_table_row("total", totals))
    if report.blank_ids:
        blank = ", ".join(report.blank_ids[:20])
        said = {"ko": "빈 예측이라 0점인 행", "en": "Blank, so 0"}[language]
        lines.append(f"{said}: {len(report.blank_ids):,} ({blank})")
    lines.append(report.signature)
    return "\n".join(lines)


def accepted(read: Predictions, language: Language) -> str:
    """One line of approval and the notices."""
    said = {
        "ko": f"제출할 수 있습니다. {read.rows:,}행, {read.encoding}.",
        "en": f"Can be submitted. {read.rows:,} rows, {read.encoding}.",
    }[language]
    return "\n".join([said, *(_finding(notice, language) for notice in read.notices)])


def refusal(refused: InvalidFile, language: Language) -> str:
    """Every listed problem with its line, then the count of all."""
    lines = []
    for problem in refused.problems:
        lines.append(_finding(problem, language))
        if problem.excerpt:
            lines.append(f"    | {problem.excerpt}")
    lines += [_finding(notice, language) for notice in refused.notices]
    listed = len(refused.problems)
    lines.append(
        {
            "ko": f"고칠 곳 {refused.total:,}개, 원인 {listed}가지.",
            "en": f"To mend: {refused.total:,}, causes: {listed}.",
        }[language]
    )
    return "\n".join(lines)


def explanation(row: Explanation, language: Language) -> str:
    """Tokens of the prediction and of each gold; matched ones stand in brackets."""
    korean = language == "ko"
    lines = [
        "[같은 형태소]  빠지거나 남는 형태소" if korean else "[shared]  missing or extra",
    ]
    for marks, gold in zip(row.golds, row.example.golds, strict=True):
        won = f"  ← {', '.join(marks.won)}" if marks.won else ""
        lines += [
            "",
            f"{'예측' if korean else 'prediction'}: {_marked(marks.prediction)}",
            f"{'정답' if korean else 'gold'} {marks.number}{won}: {_marked(marks.gold)}",
            *_scores(gold),
        ]
    lines += ["", row.example.arithmetic]
    return "\n".join(lines)


def explanation_json(row: Explanation, example_id: str, signature: str) -> str:
    """The object of `explain --json`: tokens with what matched, counts, measures, unrounded.

    Each gold has its own marks and those of the prediction against it.
    """
    example = row.example
    return json_text(
        {
            "signature": signature,
            "id": example_id,
            "prediction": {"text": example.prediction, "tokens": example.prediction_tokens},
            "golds": [
                {
                    "number": gold.number,
                    "text": gold.text,
                    "tokens": [asdict(mark) for mark in marks.gold],
                    "prediction": [asdict(mark) for mark in marks.prediction],
                    "scores": [asdict(one) for one in gold.scores],
                    "won": marks.won,
                }
                for marks, gold in zip(row.golds, example.golds, strict=True)
            ],
            "chosen": [asdict(one) for one in example.chosen],
            "total": example.row_value,
            "arithmetic": example.arithmetic,
        }
    )


_CHECKS = {
    "tokenizer": ("형태소", "tokens"),
    "metrics": ("행의 지표", "metrics of rows"),
    "splits": ("나눔의 평균", "means of splits"),
    "totals": ("총점", "totals"),
    "signature": ("서명", "signatures"),
    "against": ("서버의 점수", "the server's scores"),
}
_PLACES_SHOWN = 20


def verification(found: Verification, language: Language) -> str:
    """Each check with how much it compared, what differs, and the largest difference."""
    korean = language == "ko"
    lines = []
    for check in found.checks:
        label = _CHECKS[check.name][0 if korean else 1]
        count = f"{check.compared:,}개" if korean else f"{check.compared:,} compared"
        lines.append(f"{'✗' if check.different else '✓'} {check.name} ({label}): {count}")
        lines += [f"    {place}" for place in check.different[:_PLACES_SHOWN]]
        if (more := len(check.different) - _PLACES_SHOWN) > 0:
            lines.append(f"    … +{more:,}")
    if found.failed:
        failed = ", ".join(found.failed)
        lines.append(f"다른 것: {failed}." if korean else f"Differs: {failed}.")
    if korean:
        end = f"{found.rows:,}행, {found.compared:,}개를 비교했습니다. 가장 큰 차이 {found.largest}"
    else:
        end = (
            f"{found.rows:,} rows, {found.compared:,} compared. Largest difference {found.largest}"
        )
    return "\n".join([*lines, end])


def verification_json(found: Verification, signature: str, gold_sha256: str) -> str:
    """The object of `verify --json`; `failed` names the checks that found a difference."""
    return json_text(
        {
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
    )


def formula(text: FormulaText) -> str:
    """The formula, its words and its settings."""
    settings = [f"{label}: {value}" for label, value in text.settings]
    return "\n".join([text.formula, "", text.explanation, text.legend, "", *settings])


def number(value: float) -> str:
    """As the board prints it."""
    return printed_text(printed(value))


def _table_row(label: str, cells: Sequence[str]) -> str:
    return f"{label:<16}" + "".join(f"{cell:>12}" for cell in cells)


def _finding(finding: Finding, language: Language) -> str:
    korean = language == "ko"
    message = finding.message_ko if korean else finding.message_en
    mark = "·" if isinstance(finding, Notice) else "✗"
    place = ""
    if finding.lines:
        several = "lines" if len(finding.lines) > 1 else "line"
        place = f"{finding.places}줄 " if korean else f"{several} {finding.places} "
    if finding.id is not None:
        place += f"{finding.id} "
    return f"{mark} {place.strip()}{': ' if place else ''}{message}"


def _marked(marks: Sequence[TokenMark]) -> str:
    return " ".join(f"[{mark.token}]" if mark.unigram else mark.token for mark in marks)


def _scores(gold: ExampleGold) -> list[str]:
    return [
        f"    {score.label}  P {score.overlap}/{score.candidate_count}"
        f"  R {score.overlap}/{score.reference_count}  F1 {number(score.f1)}"
        for score in gold.scores
    ]
