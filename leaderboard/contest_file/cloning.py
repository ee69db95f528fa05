"""A contest's plain file under a new address, as one that has not begun."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from leaderboard.actions.competition import date_in_the_past
from leaderboard.competitions.models import Competition
from leaderboard.contest_file.check import plan
from leaderboard.contest_file.document import dump
from leaderboard.contest_file.export import package
from leaderboard.contest_file.layout import DOCUMENT
from leaderboard.contest_file.packing import InMemory
from leaderboard.contest_file.rows import ImportPlan
from leaderboard.references.models import ScoringVersion

# Before a clone opens by itself somebody has to look at it and make its golds live.
LEAD = timedelta(days=3)
DATES = ("opens_at", "team_merge_until", "freezes_at", "closes_at", "reveals_at")
State = ScoringVersion.State


def clone(
    competition: Competition, *, slug: str, opens_at: datetime | None = None, at: datetime
) -> ImportPlan:
    """What a clone would be: pages, rules, data, and the live golds as a draft; nobody in it.

    Raises Refused for an opening after which the clone would have closed already.
    """
    if proposed_dates(competition, opens_at=opens_at, at=at)["closes_at"] <= at:
        raise date_in_the_past()
    packed = package(competition, full=False)
    document = dump(fresh(packed.document, opens_at=opens_at, at=at))
    return plan(InMemory({**packed.files, DOCUMENT: lambda: document}), slug=slug)


def proposed_dates(
    competition: Competition, *, opens_at: datetime | None = None, at: datetime
) -> dict[str, datetime]:
    """The dates that a clone would have, by the names of the contest's own."""
    known = {name: value for name in DATES if (value := getattr(competition, name)) is not None}
    return moved(known, competition.zoneinfo, opens_at=opens_at, at=at)


def fresh(document: dict[str, Any], *, opens_at: datetime | None, at: datetime) -> dict[str, Any]:
    """A plain document as a contest that has not begun, with one draft of its golds.

    A draft can still be replaced by golds with other ids.
    """
    competition = dict(document["competition"])
    known = {name: datetime.fromisoformat(competition[name]) for name in DATES if competition[name]}
    dates = moved(known, ZoneInfo(competition["zone"]), opens_at=opens_at, at=at)
    competition |= {name: value.isoformat() for name, value in dates.items()}
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


def moved(
    dates: Mapping[str, datetime], zone: ZoneInfo, *, opens_at: datetime | None, at: datetime
) -> dict[str, datetime]:
    """The dates moved together by what leads to `opens_at`, on the contest's own clock; in UTC.

    Without one, by the fewest weeks that put the opening LEAD after `at`.
    """
    opens = dates["opens_at"].astimezone(zone)
    shift = _to(opens, opens_at.astimezone(zone)) if opens_at else _weeks_after(opens, at)
    clocks = {name: value.astimezone(zone).replace(tzinfo=None) for name, value in dates.items()}
    return {
        name: (clock + shift).replace(tzinfo=zone).astimezone(UTC) for name, clock in clocks.items()
    }


def _to(opens: datetime, wanted: datetime) -> timedelta:
    """On the contest's clock, so that an hour of the day stays that hour through summer time."""
    return wanted.replace(tzinfo=None) - opens.replace(tzinfo=None)


def _weeks_after(opens: datetime, at: datetime) -> timedelta:
    """The fewest whole weeks, none at all for a contest that has not opened."""
    if opens > at:
        return timedelta()
    return ((at + LEAD - opens) // timedelta(weeks=1) + 1) * timedelta(weeks=1)


def _best(document: Mapping[str, Any]) -> Any:
    """The live version, or the newest where none is live."""
    versions = document["scoring_versions"]
    live = [one for one in versions if one["state"] == State.LIVE]
    return (live or versions or [None])[-1]


def _draft(version: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **version,
        "number": None,
        "draft_number": 1,
        "state": State.DRAFT.value,
        "made_live_at": None,
        "retired_at": None,
    }
