"""The same contest once more: under another address, with new ids, and as a fresh one to clone."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from leaderboard.operations.contest_file import layout
from leaderboard.operations.contest_file.rows import Reading
from leaderboard.references.models import ScoringVersion

DATES = ("opens_at", "team_merge_until", "freezes_at", "closes_at", "reveals_at")
State = ScoringVersion.State


def renew(reading: Reading, *, slug: str) -> None:
    """Give the contest another address and everything in it a new id; all else stays."""
    tables = [[reading.competition], *(reading.of(table.model) for table in layout.TABLES)]
    ids = {row["id"]: uuid4() for rows in tables for row in rows if "id" in row}
    for rows in tables:
        for row in rows:
            row.update({name: _renewed(value, ids) for name, value in row.items()})
    reading.competition["slug"] = slug


def _renewed(value: Any, ids: Mapping[UUID, UUID]) -> Any:
    if isinstance(value, UUID):
        return ids.get(value, value)
    if isinstance(value, list):
        return [_renewed(one, ids) for one in value]
    return value


def fresh(document: dict[str, Any], *, opens_at: datetime | None, at: datetime) -> dict[str, Any]:
    """A plain document as a contest that has not begun, with one draft of its golds.

    Dates move together by whole days of the contest's own clock, by default by the fewest weeks
    that put the opening after `at`. A draft can still be replaced by golds with other ids.
    """
    competition = dict(document["competition"])
    zone = ZoneInfo(competition["zone"])
    known = {name: datetime.fromisoformat(competition[name]) for name in DATES if competition[name]}
    opens = known["opens_at"].astimezone(zone)
    shift = _to(opens, opens_at.astimezone(zone)) if opens_at else _weeks_after(opens, at)
    for name, value in known.items():
        moved = (value.astimezone(zone).replace(tzinfo=None) + shift).replace(tzinfo=zone)
        competition[name] = moved.astimezone(UTC).isoformat()
    competition |= {"paused_at": None, "pause_reason": "", "reveal_held": False}
    versions = [_draft(one) for one in document["scoring_versions"] if one is _best(document)]
    used = {one["reference_set"] for one in versions}
    sets = document["reference_sets"]
    return {
        **document,
        "competition": competition,
        "reference_sets": [one for one in sets if one["practice"] or one["id"] in used],
        # What participants may read is for the organizer to say anew.
        "releases": [],
        "dialogue_sets": [{**one, "released_at": None} for one in document["dialogue_sets"]],
        "scoring_versions": versions,
    }


def _to(opens: datetime, wanted: datetime) -> timedelta:
    """On the contest's clock, so that an hour of the day stays that hour through summer time."""
    return wanted.replace(tzinfo=None) - opens.replace(tzinfo=None)


def _weeks_after(opens: datetime, at: datetime) -> timedelta:
    """The fewest whole weeks, none at all for a contest that has not opened."""
    weeks = max(0, (at - opens) // timedelta(weeks=1) + 1)
    return timedelta(weeks=weeks)


def _best(document: Mapping[str, Any]) -> Any:
    """The live version, or the newest where none is live."""
    versions = document["scoring_versions"]
    live = [one for one in versions if one["state"] == State.LIVE]
    return (live or versions or [None])[-1]


def _draft(version: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **version,
        "number": 1,
        "state": State.DRAFT.value,
        "made_live_at": None,
        "retired_at": None,
    }
