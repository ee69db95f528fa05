"""A contest's plain file under a new address, as one that has not begun."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from leaderboard.actions.references import TAKEN_REFERENCES, new_seed, without_splits
from leaderboard.competitions.models import Competition
from leaderboard.competitions.storage import passing_file
from leaderboard.contest_file.check import plan
from leaderboard.contest_file.export import Package, Read, in_package, package
from leaderboard.contest_file.packing import Archive, write_zip
from leaderboard.contest_file.reading import ImportPlan
from leaderboard.references.models import ScoringVersion
from scoring.references import read

# Before a clone opens by itself somebody has to look at it and make its golds live.
LEAD = timedelta(days=3)
DATES = ("opens_at", "team_merge_until", "freezes_at", "closes_at", "reveals_at")
State = ScoringVersion.State


def clone(competition: Competition, *, slug: str, title: str = "", at: datetime) -> ImportPlan:
    """What a clone would be: pages, rules, data, and the live references as a draft; nobody in it.

    Where people join by a code, it gets another one.
    """
    packed = package(competition, full=False)
    # Its dates may have been moved since `competition` was read; all come from the one reading.
    row = packed.document["competition"]
    known = {name: datetime.fromisoformat(row[name]) for name in DATES if row[name]}
    dates = proposed_dates(Competition(zone=row["zone"], **known), at=at)
    if title and title != row["title"]:
        row |= {"title": title, "title_en": ""}
    fresh = _fresh(packed.document, dates)
    packed_again = passing_file()
    write_zip(Package(fresh, {**packed.files, **_undraw(fresh, packed.files)}), packed_again)
    return plan(Archive(packed_again), slug=slug)


def proposed_dates(competition: Competition, *, at: datetime) -> dict[str, datetime]:
    """The dates that a clone would have, by the names of the contest's own.

    Moved together by the fewest weeks that put the opening LEAD after `at`, or by none if it is yet
    to come; on the contest's own clock, so that an hour of the day stays that hour through summer
    time. In UTC.
    """
    zone, shift = competition.zoneinfo, timedelta()
    opens = competition.opens_at.astimezone(zone)
    if opens <= at:
        shift = ((at + LEAD - opens) // timedelta(weeks=1) + 1) * timedelta(weeks=1)
    known = {name: value for name in DATES if (value := getattr(competition, name)) is not None}
    clocks = {name: value.astimezone(zone).replace(tzinfo=None) for name, value in known.items()}
    return {
        name: (clock + shift).replace(tzinfo=zone).astimezone(UTC) for name, clock in clocks.items()
    }


def _fresh(document: dict[str, Any], dates: Mapping[str, datetime]) -> dict[str, Any]:
    """A plain document as a contest that has not begun, with one draft of its golds.

    A draft can still be replaced by golds with other ids.
    """
    competition = document["competition"] | {
        **{name: value.isoformat() for name, value in dates.items()},
        **{"paused_at": None, "pause_reason": "", "reveal_held": False},
    }
    # The live version, or the newest where none is live.
    versions = document["scoring_versions"]
    best = ([one for one in versions if one["state"] == State.LIVE] or versions)[-1:]
    draft = {"number": None, "draft_number": 1, "state": State.DRAFT.value}
    draft |= {"made_live_at": None, "retired_at": None}
    used = {one["reference_set"] for one in best}
    sets = document["reference_sets"]
    return {
        **document,
        "competition": competition,
        "reference_sets": [one for one in sets if one["practice"] or one["id"] in used],
        # What participants may read is for the organizer to say anew.
        "releases": [],
        "dialogue_sets": [{**one, "released_at": None} for one in document["dialogue_sets"]],
        # Signed when it is made, as whatever is new then.
        "scoring_versions": [
            {name: value for name, value in (one | draft).items() if name != "signature"}
            for one in best
        ],
    }


def _undraw(document: dict[str, Any], files: Mapping[str, Read]) -> dict[str, Read]:
    """Give sets that were split at random a new seed, and their files no split; answers those.

    What the boards here say of the halves, to organizers or after the reveal, then says nothing
    of the clone's.
    """
    undrawn: dict[str, Read] = {}
    for row in document["reference_sets"]:
        if row["split_seed"] is None:
            continue
        sent = [(one["path"], files[one["path"]]()) for one in row["files"]]
        data = without_splits(read(sent, limits=TAKEN_REFERENCES)).written()
        name, path = row["files"][0]["name"], row["files"][0]["path"]
        row["files"] = [{"name": name, **in_package(path, data, undrawn)}]
        row["split_seed"] = new_seed()
        del row["sha256"]
    return undrawn
