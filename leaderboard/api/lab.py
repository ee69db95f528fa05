"""The dev lab: score a file against the released dev set, for free and as often as an hour allows.

It decides nothing: `practise` knows the released set and no other.
"""

from typing import Any

from django.http import HttpRequest
from ninja import Field, Router, Schema

from leaderboard.actions.checks import Practice, practise, runs_left
from leaderboard.api import calls
from leaderboard.api.forms import file_body, sent_file
from leaderboard.boards.visibility import Viewer
from leaderboard.texts import reader_language
from scoring.ranking import as_printed

router = Router(tags=["dev set"])


class DevRow(Schema):
    """One row of the dev set, as this file has it, in the order of the set. Not rounded."""

    id: str
    total: float
    metrics: dict[str, float]


class DevScore(Schema):
    """A file scored against the dev set, as the lab prints it. Nothing was kept."""

    total: float
    metrics: dict[str, float]
    signature: str
    notices: list[calls.FileProblem]
    rows: list[DevRow]
    runs_left: int | None = Field(description="files and rows of this hour; null: no limit")


@router.post(
    "/{slug:slug}/score-dev",
    response=DevScore,
    auth=calls.CHECK,
    openapi_extra=file_body(),
    operation_id="score_dev",
)
def score_dev(request: HttpRequest, slug: str, file_name: str = "") -> Any:
    """Score a file against the released dev set, for free: its numbers and those of each row."""
    found = practising(request, slug)
    team = found.team
    if team is None:  # whose runs are not counted: then the calls of the token are
        calls.SUBMIT(request)
    practice = practise(
        competition=found.competition,
        team=team,
        data=sent_file(request, file_name).data,
        language=reader_language(),
        at=found.at,
    )
    report = practice.report
    return {
        "total": float(as_printed(report.total)),
        "metrics": {
            name: float(as_printed(report.metrics[name])) for name in practice.profile.metrics
        },
        "signature": report.signature,
        "notices": [one.to_dict() for one in practice.notices],
        "rows": _rows(practice),
        "runs_left": runs_left(team, found.at).number if team else None,
    }


def practising(request: HttpRequest, slug: str) -> Viewer:
    """Who has a team or helps to run the contest. Http404, or raises Refused."""
    return calls.files_reader(request, slug, unjoined=False)


def _rows(practice: Practice) -> list[dict[str, Any]]:
    names = practice.profile.metrics
    return [
        {"id": example_id, "total": total, "metrics": dict(zip(names, metrics, strict=True))}
        for example_id, (metrics, total) in practice.values.items()
    ]
