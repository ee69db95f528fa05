"""Boards as files: exactly what a viewer may see, with the signature that made the numbers.

Every CSV of the project is written by `csv_file`, so that no cell that a participant wrote is
taken for a formula by a spreadsheet.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from leaderboard.boards.columns import Exported, facts, in_json, metric_columns, number
from leaderboard.boards.queries import BoardPage, LeaderboardEntry
from leaderboard.boards.results import submission_scores
from leaderboard.boards.shake_up import ShakeUp
from leaderboard.boards.visibility import Viewer, visible_boards
from leaderboard.competitions.models import Competition
from leaderboard.evaluation import queries as evaluation
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.submissions.queries import of_team
from leaderboard.teams.models import Team
from scoring.table import safe, written


def csv_file(
    heading: Mapping[str, Exported], columns: Sequence[str], rows: Iterable[Sequence[Exported]]
) -> bytes:
    """UTF-8 with a BOM, as spreadsheets expect it.

    First one line `# name,value` for each fact of `heading`, then the columns, then the rows.
    """
    facts = ((f"# {name}", _written(value)) for name, value in heading.items())
    table = ([_written(cell) for cell in row] for row in chain([columns], rows))
    return written(chain(facts, table), csv.QUOTE_MINIMAL).encode("utf-8-sig")


def _written(cell: Exported) -> str:
    """A cell as text. Numbers and instants stay as they are; only words can be formulas."""
    if isinstance(cell, datetime):
        return cell.isoformat(timespec="seconds")
    if isinstance(cell, str):
        return safe(cell)
    return "" if cell is None else str(cell)


def board_csv(page: BoardPage) -> bytes:
    """The columns of a board."""
    return csv_file(
        _heading_of(page) | facts(page.columns),
        ["rank", "team", *chain.from_iterable(column.names for column in page.columns)],
        (
            [
                entry.rank,
                entry.team_name,
                *chain.from_iterable(cell.column.exported(cell.value) for cell in entry.cells),
            ]
            for entry in page.rows
        ),
    )


def board_json(page: BoardPage) -> dict[str, Any]:
    """The same as `board_csv`, with names untouched and numbers as numbers."""
    heading = {
        name: fact.isoformat(timespec="seconds") if isinstance(fact, datetime) else fact
        for name, fact in _heading_of(page).items()
    }
    rows = {"rows": [row_json(entry) for entry in page.rows]}
    return heading | rows | {name: in_json(said) for name, said in facts(page.columns).items()}


def row_json(entry: LeaderboardEntry) -> dict[str, Any]:
    """One line of it."""
    row: dict[str, Any] = {"rank": entry.rank, "team": entry.team_name}
    for cell in entry.cells:
        cell.column.put(row, cell.value)
    return row


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
                number(move.printed),
                *map(number, move.values),
                None if move.public_printed is None else number(move.public_printed),
                None if move.gap_printed is None else number(move.gap_printed),
                move.public_rank,
                move.climbed,
            ]
            for move in found.rows
        ),
    )


def submissions_csv(team: Team, viewer: Viewer) -> bytes:
    """A team's submissions, newest first, with their numbers on the boards the viewer may see."""
    competition, version = viewer.competition, viewer.version
    boards = visible_boards(viewer)
    metrics = [column.key for column in metric_columns(version)]
    own = list(of_team(team))
    states = evaluation.states(submission.pk for submission in own)
    scores = submission_scores(own, viewer)
    rows: list[list[Exported]] = []
    for submission in own:
        row: list[Exported] = [
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
            row += map(number, split.printed) if split else [None] * (1 + len(metrics))
        rows.append(row)
    signature, version_number = (version.signature, version.number) if version else (None, None)
    described = (
        *("id", "received_at", "submitted_by", "file", "sha256", "method", "note", "state"),
        "late",
    )
    numbered = [f"{board}_{name}" for board in boards for name in ("total", *metrics)]
    return csv_file(
        _heading(competition, signature, version_number, viewer.at), [*described, *numbered], rows
    )


def _heading(
    competition: Competition, signature: str | None, version: int | None, at: datetime
) -> dict[str, Exported]:
    return {
        "competition": competition.slug,
        "signature": signature,
        "version": version,
        "as_of": at.astimezone(competition.zoneinfo),
    }


def _heading_of(page: BoardPage) -> dict[str, Exported]:
    """`standings_of`: the instant whose board it is; None: now."""
    instant = page.instant.astimezone(page.competition.zoneinfo) if page.instant else None
    heading = _heading(page.competition, page.signature, page.version_number, page.as_of)
    return heading | {"board": page.board, "state": page.state, "standings_of": instant}


CHUNK = 1000


def score_lines(viewer: Viewer) -> Iterator[tuple[Evaluation, SplitScore | None]]:
    """Each evaluation with its score on one board, None if it has none that may be seen.

    By time received, then version, then board; nothing at all for who may not edit.
    """
    if not viewer.edits:
        return
    boards = visible_boards(viewer)
    rows = (
        Evaluation.objects.filter(scoring_version__competition=viewer.competition)
        .select_related("scoring_version", "submission__team")
        .defer("submission__notices")
        .prefetch_related("scores")
        .order_by("received_at", "submission", "scoring_version__draft_number")
    )
    for row in rows.iterator(chunk_size=CHUNK):
        by_board = {score.split: score for score in row.scores.all()}
        seen = [by_board[board] for board in boards if board in by_board]
        yield from ((row, score) for score in seen or (None,))
