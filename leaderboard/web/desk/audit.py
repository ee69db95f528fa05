"""The desk's log: who decided what, when, from what to what, and why."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from leaderboard.audit.log import decisions
from leaderboard.audit.models import AuditEvent
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.teams.models import Team
from leaderboard.web import find
from leaderboard.web.navigation import RECORDS, Menu
from leaderboard.web.page import DeskPage, page
from leaderboard.web.templatetags.formatting import written

# A kind without words here is shown as it is written in the log.
KINDS = {
    "announced": gettext_lazy("Announced"),
    "announcement.corrected": gettext_lazy("Corrected an announcement"),
    "competition.created": gettext_lazy("Created the competition"),
    "competition.exported": gettext_lazy("Competition file exported"),
    "competition.cloned": gettext_lazy("Competition cloned"),
    "competition.imported": gettext_lazy("Competition made from a file"),
    "competition.rescheduled": gettext_lazy("Changed the schedule"),
    "competition.paused": gettext_lazy("Paused submissions"),
    "competition.resumed": gettext_lazy("Resumed submissions"),
    "competition.reveal_held": gettext_lazy("Held the reveal"),
    "competition.reveal_released": gettext_lazy("Released the reveal"),
    "competition.edited": gettext_lazy("Changed the settings"),
    "data_file.added": gettext_lazy("Added a data file"),
    "data_file.removed": gettext_lazy("Removed a data file"),
    "data_file.described": gettext_lazy("Changed a data file's description"),
    "data_file.moved": gettext_lazy("Moved a data file"),
    "dev_set.uploaded": gettext_lazy("Uploaded a dev set"),
    "dev_set.released": gettext_lazy("Released a dev set"),
    "dialogues.uploaded": gettext_lazy("Uploaded dialogues"),
    "dialogues.released": gettext_lazy("Released dialogues"),
    "golds.uploaded": gettext_lazy("Uploaded golds"),
    "version.rehearsing": gettext_lazy("Rehearsed a scoring version"),
    "version.drafted": gettext_lazy("Drafted a version with the same golds"),
    "version.discarded": gettext_lazy("discarded a draft or a rehearsal"),
    "version.made_live": gettext_lazy("Made a scoring version live"),
    "version.signature_respelled": gettext_lazy(
        "Server upgrade: wrote the signature in another form"
    ),
    "submission.excluded": gettext_lazy("Took a submission off the boards"),
    "submission.restored": gettext_lazy("Put a submission back on the boards"),
    "evaluation.retried": gettext_lazy("Retried a failed scoring"),
    "evaluation.all_retried": gettext_lazy("Retried all failed scorings"),
    "baseline.added": gettext_lazy("Added a baseline"),
    "baseline.renamed": gettext_lazy("Renamed a baseline"),
    "baseline.removed": gettext_lazy("Took a baseline off the boards"),
    "baseline.restored": gettext_lazy("Put a baseline back on the boards"),
    "join.requested": gettext_lazy("Asked to join"),
    "join.approved": gettext_lazy("Request to join approved"),
    "join.declined": gettext_lazy("Request to join declined"),
    "organizer.appointed": gettext_lazy("Organizer's role given"),
    "organizer.dismissed": gettext_lazy("Organizer dismissed"),
    "registration.changed": gettext_lazy("Way of joining changed"),
    "terms.changed": gettext_lazy("Terms changed"),
    "team.joined": gettext_lazy("Joined with a new team"),
    "team.renamed": gettext_lazy("Renamed their team"),
    "class.enrolled": gettext_lazy("Enrolled a class"),
    "team.member_closed": gettext_lazy("A member closed the account"),
    "team.member_put": pgettext_lazy("record", "Put a person into a team"),
    "team.granted": gettext_lazy("Granted more submissions"),
    "team.warned": gettext_lazy("Warned a team"),
    "team.disqualified": gettext_lazy("Disqualified a team"),
    "team.reinstated": gettext_lazy("Lifted a disqualification"),
}
FIELDS = {
    "opens_at": gettext_lazy("Opens"),
    "closes_at": gettext_lazy("Closes"),
    "reveals_at": gettext_lazy("Results revealed"),
    "freezes_at": gettext_lazy("Board freeze"),
    "team_merge_until": gettext_lazy("Last day to merge teams"),
    "team": gettext_lazy("Team"),
    "title": gettext_lazy("Title"),
    "title_en": gettext_lazy("Title (English)"),
    "introduction": gettext_lazy("Introduction (Markdown)"),
    "introduction_en": gettext_lazy("Introduction (English)"),
    "rules": gettext_lazy("Rules (Markdown)"),
    "rules_en": gettext_lazy("Rules (English)"),
    "daily_limit": gettext_lazy("Submissions a day"),
    "total_limit": gettext_lazy("Submissions in all"),
    "max_waiting": gettext_lazy("Waiting at once"),
    "max_cell": gettext_lazy("Characters of one summary"),
    "late_entries": gettext_lazy("Accept entries after the close (unranked)"),
    "finals_rule": gettext_lazy("Private ranks"),
    "board_needs_sign_in": gettext_lazy("Leaderboard for signed-in people only"),
    "is_private": gettext_lazy("Private competition"),
    "description": gettext_lazy("Description"),
    "description_en": gettext_lazy("Description (English)"),
    "position": pgettext_lazy("rows", "Order"),
    "size": gettext_lazy("Size"),
    "captain": gettext_lazy("Captain"),
    "accounts": gettext_lazy("Accounts made"),
    "joined": gettext_lazy("Accounts that joined"),
    "usernames": pgettext_lazy("account", "Username"),
    "username": pgettext_lazy("account", "Username"),
    "name": gettext_lazy("Name"),
    "slug": gettext_lazy("Address"),
    "version": gettext_lazy("Scoring version"),
    "draft": gettext_lazy("Draft"),
    "signature": gettext_lazy("Signature"),
    "rows": gettext_lazy("Rows"),
    "audience": gettext_lazy("Recipient"),
    "text": gettext_lazy("Content"),
    "text_en": gettext_lazy("Text (English)"),
    "pinned": gettext_lazy("Pin to the top"),
    "file": gettext_lazy("File"),
    "shown": gettext_lazy("Show the reason to the team"),
    "reason": gettext_lazy("Reason"),
    "excluded_at": gettext_lazy("Excluded at"),
    "failure": gettext_lazy("Cause of failure"),
    "attempt": gettext_lazy("Attempt"),
    "submissions": gettext_lazy("Entries"),
    "amount": gettext_lazy("Count"),
    "day": gettext_lazy("Contest day"),
    "disqualified_at": gettext_lazy("Disqualified at"),
    "role": gettext_lazy("Role"),
    "registration": gettext_lazy("How people join"),
    "registration_code": gettext_lazy("Code to join"),
    "emails_new": gettext_lazy("Addresses added"),
    "emails_removed": gettext_lazy("Addresses removed"),
    "terms": gettext_lazy("Version of the terms"),
    "full": gettext_lazy("With people and submissions"),
    "model": gettext_lazy("Model"),
    "again": gettext_lazy("Dialogues made again"),
    "sections": gettext_lazy("Section"),
    "example": gettext_lazy("Dialogues"),
    "changed": gettext_lazy("Items changed"),
    "added": gettext_lazy("Items added"),
    "items": gettext_lazy("Items"),
    "labels": gettext_lazy("Labels"),
    "was_shown": gettext_lazy("Was shown"),
    "calls_in_all": gettext_lazy("Limit of calls in total"),
    "calls_per_team_day": gettext_lazy("Calls per team and day"),
    "calls_per_submission": gettext_lazy("Calls per submission"),
}
CHOICES = {
    "audience": Announcement.Audience,
    "role": Organizer.Role,
    "registration": Competition.Registration,
    "finals_rule": Competition.FinalsRule,
}

SHOWN = 300  # characters of a text such as the rules; twice a decision


@dataclass(frozen=True)
class LoggedChange:
    """One value of a decision. `before` is None where there was nothing to change."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class LogLine:
    """One decision, ready to read."""

    event: AuditEvent
    title: str
    changes: tuple[LoggedChange, ...]


@page("desk/audit", "desk_audit", Menu(RECORDS, gettext_lazy("Log"), 10))
class Audit(DeskPage):
    """`/c/<slug>/desk/audit`: the whole log in pages, newest first; nothing here can be changed."""

    tab = "desk_audit"
    template = "desk/audit.html"

    def context(self) -> dict[str, Any]:
        log = find.page_of(self.request, decisions(self.competition.pk), 100)
        return {"log": log, "lines": lines_of(self.competition, tuple(log))}


def lines_of(competition: Competition, events: tuple[AuditEvent, ...]) -> list[LogLine]:
    """These decisions in words, teams by name, instants in the contest's zone."""
    teams = _team_names(competition, events)
    return [
        LogLine(
            event=event,
            title=str(KINDS.get(event.kind, event.kind)),
            changes=tuple(_changes(event, competition.zoneinfo, teams)),
        )
        for event in events
    ]


def _team_names(competition: Competition, events: tuple[AuditEvent, ...]) -> dict[str, str]:
    """Names by id of the teams that these events speak of, in one query."""
    wanted = {
        str(values["team"])
        for event in events
        for values in (event.before, event.after)
        if values and values.get("team")
    }
    if not wanted:
        return {}
    found = Team.objects.filter(competition=competition).values_list("pk", "name")
    return {str(pk): name for pk, name in found if str(pk) in wanted}


def _changes(event: AuditEvent, zone: ZoneInfo, teams: Mapping[str, str]) -> Iterator[LoggedChange]:
    before, after = event.before or {}, event.after or {}
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if key in before and key in after and old == new:
            continue
        yield LoggedChange(
            name=str(FIELDS.get(key, key)),
            before=_readable(key, old, zone, teams) if key in before else None,
            after=_readable(key, new, zone, teams) if key in after else None,
        )


def _readable(key: str, value: Any, zone: ZoneInfo, teams: Mapping[str, str]) -> str:
    match value:
        case None | "":
            return "–"
        case bool():
            return pgettext("yes or no", "yes") if value else pgettext("yes or no", "no")
        case str() if key == "team":
            # A team that is gone is still named by its id.
            return teams.get(value, value)
        case str() if key in CHOICES and value in CHOICES[key].values:
            return str(CHOICES[key](value).label)
        case str() if key.endswith(("_at", "_until")):
            return _instant(value, zone)
        case str() | int() | float():
            return _shortened(str(value))
        case list():
            return ", ".join(_readable(key, one, zone, teams) for one in value)
        case _:
            return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _instant(text: str, zone: ZoneInfo) -> str:
    try:
        return written(datetime.fromisoformat(text), zone, "exact")
    except ValueError:
        return text


def _shortened(text: str) -> str:
    """The beginning of a long text; the log itself keeps all of it."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
