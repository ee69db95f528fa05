"""Boards as files: exactly what a viewer may see, with the signature that made the numbers.

Every CSV of the project is written by `csv_file`, so that no cell that a participant wrote is
taken for a formula by a spreadsheet.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from itertools import chain
from typing import Any

from leaderboard.boards.queries import BoardPage, columns_of
from leaderboard.boards.scores import submission_scores
from leaderboard.boards.shake_up import ShakeUp
from leaderboard.boards.text import MINUS
from leaderboard.boards.visibility import visible_boards
from leaderboard.boards.visit import Visit
from leaderboard.competitions.models import Competition
from leaderboard.evaluation import queries as evaluation
from leaderboard.submissions.queries import of_team
from leaderboard.teams.models import Team

Cell = str | int | Decimal | datetime | None

# What spreadsheets take for the beginning of a formula; East Asian ones also the wide forms.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def csv_file(
    heading: Mapping[str, Cell], columns: Sequence[str], rows: Iterable[Sequence[Cell]]
) -> bytes:
    """UTF-8 with a BOM, as spreadsheets expect it.

    First one line `# name,value` for each fact of `heading`, then the columns, then the rows.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([f"# {name}", _written(value)] for name, value in heading.items())
    writer.writerow([_written(name) for name in columns])
    writer.writerows([_written(cell) for cell in row] for row in rows)
    return out.getvalue().encode("utf-8-sig")


def _written(cell: Cell) -> str:
    """A cell as text. Numbers and instants stay as they are; only words can be formulas."""
    if isinstance(cell, datetime):
        return cell.isoformat(timespec="seconds")
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell
    return "" if cell is None else str(cell)


def board_csv(page: BoardPage) -> bytes:
    """The public columns of a board."""
    zone = page.competition.zoneinfo
    keys = [column.key for column in page.columns]
    return csv_file(
        _heading(page.competition, page.signature, page.version_number, page.as_of)
        | {"board": page.board, "state": page.state, "standings_of": _instant(page)}
        | _judge_heading(page),
        ["rank", "team", "total", *keys, "entries", "last_submission_at", *_judge_names(page)],
        (
            [
                entry.rank,
                entry.team_name,
                _number(entry.total),
                *map(_number, entry.metrics),
                entry.entries,
                entry.last_submission_at.astimezone(zone),
                *chain.from_iterable(
                    (_number(cell.mean) if cell.mean else None, f"{cell.scored}/{cell.rows}")
                    for cell in entry.judge
                ),
            ]
            for entry in page.rows
        ),
    )


def _judge_heading(page: BoardPage) -> dict[str, Cell]:
    """Which config made the judge columns; a board without them has no such line."""
    if page.judge is None:
        return {}
    made_by = f"{page.judge.label} j{page.judge.number} {page.judge.config_hash}"
    return {"judge": made_by, "judge_use": "reference only, never in the rank"}


def _judge_names(page: BoardPage) -> list[str]:
    metrics = page.judge.metrics if page.judge else ()
    return [name for metric in metrics for name in (f"judge_{metric}", f"judge_{metric}_rows")]


def board_json(page: BoardPage) -> dict[str, Any]:
    """The same as `board_csv`, with names untouched and numbers as numbers."""
    zone = page.competition.zoneinfo
    standings_of = _instant(page)
    keys = [column.key for column in page.columns]
    return {
        "competition": page.competition.slug,
        "board": page.board,
        "version": page.version_number,
        "signature": page.signature,
        "as_of": page.as_of.astimezone(zone).isoformat(timespec="seconds"),
        "state": page.state,
        "standings_of": standings_of.isoformat(timespec="seconds") if standings_of else None,
        "rows": [
            {
                "rank": entry.rank,
                "team": entry.team_name,
                "total": float(_number(entry.total)),
                "metrics": {
                    key: float(_number(value))
                    for key, value in zip(keys, entry.metrics, strict=True)
                },
                "entries": entry.entries,
                "last_submission_at": entry.last_submission_at.astimezone(zone).isoformat(
                    timespec="seconds"
                ),
            }
            | ({"judge": [asdict(cell) for cell in entry.judge]} if page.judge else {})
            for entry in page.rows
        ],
    } | _judge_heading(page)


def shake_up_csv(found: ShakeUp, at: datetime) -> bytes:
    """The whole table of a shake-up."""
    keys = [column.key for column in found.columns]
    names = ["rank", "team", "private_total", *keys, "public_total", "gap", "public_rank"]
    return csv_file(
        _heading(found.competition, found.signature, found.version_number, at),
        [*names, "climbed"],
        (
            [
                move.rank,
                move.team_name,
                _number(move.total),
                *map(_number, move.metrics),
                None if move.public_total is None else _number(move.public_total),
                None if move.gap is None else _number(move.gap),
                move.public_rank,
                move.climbed,
            ]
            for move in found.rows
        ),
    )


def submissions_csv(team: Team, visit: Visit) -> bytes:
    """A team's submissions, newest first, with their numbers on the boards the viewer may see."""
    competition, version = visit.competition, visit.version
    boards = visible_boards(visit)
    metrics = [column.key for column in columns_of(version)]
    own = list(of_team(team))
    states = evaluation.states(submission.pk for submission in own)
    scores = submission_scores(own, visit)
    rows: list[list[Cell]] = []
    for submission in own:
        row: list[Cell] = [
            str(submission.pk),
            submission.received_at.astimezone(competition.zoneinfo),
            submission.submitted_by.username,
            submission.file_name,
            submission.sha256,
            submission.method_name,
            submission.note,
            states.get(submission.pk, "waiting"),
            "yes" if submission.is_late else "no",
        ]
        found = {split.board: split for split in scores.get(submission.pk, ())}
        for board in boards:
            split = found.get(board)
            numbers = [split.total, *(value for _, value in split.metrics)] if split else []
            row += [_number(value) for value in numbers] or [None] * (1 + len(metrics))
        rows.append(row)
    signature, number = (version.signature, version.number) if version else (None, None)
    described = (
        *("id", "received_at", "submitted_by", "file", "sha256", "method", "note", "state"),
        "late",
    )
    numbered = [f"{board}_{name}" for board in boards for name in ("total", *metrics)]
    return csv_file(
        _heading(competition, signature, number, visit.at), [*described, *numbered], rows
    )


def _heading(
    competition: Competition, signature: str | None, number: int | None, at: datetime
) -> dict[str, Cell]:
    return {
        "competition": competition.slug,
        "signature": signature,
        "version": number,
        "as_of": at.astimezone(competition.zoneinfo),
    }


def _instant(page: BoardPage) -> datetime | None:
    """The instant whose board it is, in the contest's zone; None: now."""
    return page.instant.astimezone(page.competition.zoneinfo) if page.instant else None


def _number(printed: str) -> Decimal:
    """A printed number for machines: the minus of typography becomes the one of programs."""
    return Decimal(printed.replace(MINUS, "-"))
