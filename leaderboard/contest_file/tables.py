"""The tables of a contest as CSV files, in an order that does not change from one day to the next.

Every one is written by `boards.exports.csv_file`, its words without control characters.
"""

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from leaderboard.audit.models import AuditEvent
from leaderboard.boards.archive import ScoreLine, score_lines
from leaderboard.boards.columns import Exported
from leaderboard.boards.exports import csv_file
from leaderboard.boards.visit import Visit
from leaderboard.competitions.models import Competition
from leaderboard.references.queries import versions
from leaderboard.submissions.models import Exclusion, FinalChoice, QuotaEntry, Submission
from leaderboard.teams.models import Membership, Team


def plain(text: str) -> str:
    """Without control, format and other invisible characters; lines become spaces.

    >>> plain("a\\r\\nb\\u202e")
    'a b'
    """
    lines = " ".join(text.split())
    return "".join(char for char in lines if not unicodedata.category(char).startswith("C"))


def _table(
    competition: Competition,
    at: datetime,
    columns: Sequence[str],
    rows: Iterable[Sequence[Exported]],
) -> bytes:
    zone = competition.zoneinfo

    def clean(cell: Exported) -> Exported:
        match cell:
            case datetime():
                return cell.astimezone(zone)
            case str():
                return plain(cell)
            case _:
                return cell

    heading: dict[str, Exported] = {"competition": competition.slug, "as_of": at.astimezone(zone)}
    return csv_file(heading, columns, ([clean(cell) for cell in row] for row in rows))


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def submissions(competition: Competition, at: datetime) -> bytes:
    """Who handed in what and when, and what was decided about it."""
    rows = (
        Submission.objects.filter(team__competition=competition)
        .select_related("team", "submitted_by", "exclusion", "cancellation", "final_choice")
        .defer("notices")
        .order_by("received_at", "pk")
    )
    columns = (
        *("id", "received_at", "team", "team_id", "kind", "submitted_by", "file", "size"),
        *("sha256", "method", "note", "late", "cancelled_at", "excluded_at", "final"),
    )

    def cells(row: Submission) -> list[Exported]:
        cancelled = getattr(row, "cancellation", None)
        excluded = getattr(row, "exclusion", None)
        return [
            *(str(row.pk), row.received_at, row.team.name, str(row.team_id), row.team.kind),
            *(row.submitted_by.username, row.file_name, row.size, row.sha256, row.method_name),
            *(row.note, _yes(row.is_late), cancelled.at if cancelled else None),
            *(excluded.at if excluded else None, _yes(hasattr(row, "final_choice"))),
        ]

    return _table(competition, at, columns, map(cells, rows))


def scores(visit: Visit) -> bytes:
    """One line for each submission, version and board that this viewer may see."""
    known = versions(visit.competition)
    metrics = sorted({name for version in known for name in version.profile().metrics})
    columns = (
        *("submission_id", "received_at", "team", "sha256", "version", "draft", "version_state"),
        *("state", "attempt", "failure", "finished_at", "board", "rows", "total", "total_exact"),
        *metrics,
        "signature",
    )

    def cells(line: ScoreLine) -> list[Exported]:
        found, score = line.evaluation, line.score
        values: Mapping[str, float] = score.metrics if score else {}
        return [
            *(str(found.submission_id), found.received_at, found.submission.team.name),
            *(found.submission.sha256, found.scoring_version.number),
            *(found.scoring_version.draft_number, found.scoring_version.state, found.state),
            *(found.attempt, found.failure, found.finished_at),
            *((score.split, score.rows) if score else (None, None)),
            line.printed,
            Decimal(repr(score.total)) if score else None,
            *(Decimal(repr(values[name])) if name in values else None for name in metrics),
            score.signature if score else found.scoring_version.signature,
        ]

    return _table(visit.competition, visit.at, columns, map(cells, score_lines(visit)))


def teams(competition: Competition, at: datetime) -> bytes:
    """Teams and baselines."""
    rows = Team.objects.filter(competition=competition).select_related("captain")
    columns = ("id", "name", "kind", "captain", "created_at", "disqualified_at", "reason")
    return _table(
        competition,
        at,
        columns,
        (
            [
                *(str(row.pk), row.name, row.kind, row.captain.username if row.captain else ""),
                *(row.created_at, row.disqualified_at, row.disqualify_reason),
            ]
            for row in rows.order_by("created_at", "pk")
        ),
    )


def members(competition: Competition, at: datetime) -> bytes:
    """Who is in which team. No addresses."""
    rows = Membership.objects.filter(competition=competition).select_related("team", "user")
    return _table(
        competition,
        at,
        ("team_id", "team", "username", "captain", "joined_at"),
        (
            [
                *(str(row.team_id), row.team.name, row.user.username),
                *(_yes(row.team.captain_id == row.user_id), row.joined_at),
            ]
            for row in rows.order_by("team__created_at", "team", "joined_at", "pk")
        ),
    )


def ledger(competition: Competition, at: datetime) -> bytes:
    """Every charge, refund and grant."""
    rows = QuotaEntry.objects.filter(team__competition=competition).select_related("team")
    columns = ("at", "day", "team_id", "team", "kind", "amount", "reason_ko", "reason_en")
    return _table(
        competition,
        at,
        (*columns, "submission_id"),
        (
            [
                *(row.at, row.day.isoformat(), str(row.team_id), row.team.name, row.kind),
                *(row.amount, row.reason_ko, row.reason_en),
                str(row.submission_id) if row.submission_id else None,
            ]
            for row in rows.order_by("at", "pk")
        ),
    )


def finals(competition: Competition, at: datetime) -> bytes:
    """The submissions that teams chose for the private board."""
    rows = FinalChoice.objects.filter(submission__team__competition=competition)
    return _table(
        competition,
        at,
        ("submission_id", "team", "chosen_by", "at"),
        (
            [str(row.pk), row.submission.team.name, row.chosen_by.username, row.at]
            for row in rows.select_related("submission__team", "chosen_by").order_by("at", "pk")
        ),
    )


def exclusions(competition: Competition, at: datetime) -> bytes:
    """What is off the boards now; what was, stands in the log."""
    rows = Exclusion.objects.filter(submission__team__competition=competition)
    return _table(
        competition,
        at,
        ("submission_id", "team", "excluded_by", "at", "reason", "reason_shown"),
        (
            [
                *(str(row.pk), row.submission.team.name, row.excluded_by.username, row.at),
                *(row.reason, _yes(row.reason_shown)),
            ]
            for row in rows.select_related("submission__team", "excluded_by").order_by("at", "pk")
        ),
    )


def audit(competition: Competition, at: datetime) -> bytes:
    """The whole log, oldest first."""
    rows = AuditEvent.objects.filter(competition=competition.pk).select_related("actor")
    return _table(
        competition,
        at,
        ("at", "actor", "kind", "subject", "before", "after", "reason"),
        (
            [
                *(row.at, row.actor.username if row.actor else None, row.kind),
                str(row.subject) if row.subject else None,
                *(_values(row.before), _values(row.after), row.reason),
            ]
            for row in rows.order_by("at", "pk")
        ),
    )


def _values(values: Mapping[str, Any] | None) -> str | None:
    return None if values is None else json.dumps(values, ensure_ascii=False, sort_keys=True)
