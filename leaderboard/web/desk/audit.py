"""The desk's log: who decided what, when, from what to what, and why."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext, pgettext_lazy

from leaderboard.accounts.models import User
from leaderboard.audit.log import KINDS, decisions
from leaderboard.audit.models import AuditEvent
from leaderboard.community.models import Announcement, Webhook
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.web import lookups
from leaderboard.web.forms import (
    CorrectionForm,
    DatesForm,
    DescriptionForm,
    GrantForm,
    SettingsForm,
)
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import RECORDS, Entry
from leaderboard.web.templatetags.formatting import written
from scoring.characters import nfc

# Kinds that earlier versions wrote; one without words is shown as it is written in the log.
KINDS |= {
    "data_file.moved": _("Moved a data file"),
    "inquiry.published": _("Published the answer to an inquiry"),
    "team.merge_undone": _("Undid a merge of teams"),
    "version.signature_respelled": _("Server upgrade: changed the form of the signature"),
    "team.people_put_back": _("Undid the assignment of people to teams"),
    "class.enrolled": _("Enrolled a class"),
    "team.member_put": pgettext_lazy("record", "Assigned a person to a team"),
}
FIELDS: dict[str, str | Promise | None] = {
    name: field.label
    for form in (DatesForm, SettingsForm, DescriptionForm, CorrectionForm, GrantForm)
    for name, field in form.base_fields.items()
}
FIELDS |= {
    "team": _("Team"),
    "other_team": _("The other team"),
    "finals": _("Finals"),
    "by": pgettext_lazy("invitation", "Way"),
    "size": _("Size"),
    "captain": _("Captain"),
    "accounts": _("Accounts made"),
    "joined": _("Accounts that joined"),
    "usernames": pgettext_lazy("account", "Username"),
    "username": pgettext_lazy("account", "Username"),
    "name": _("Name"),
    "slug": _("Address"),
    "version": _("Scoring version"),
    "rows": _("Rows"),
    "audience": _("Recipient"),
    "pinned": _("Pin to the top"),
    "file": _("File"),
    "shown": _("Show the reason to the team"),
    "excluded_at": _("Excluded at"),
    "failure": _("Cause of failure"),
    "attempt": _("Attempt"),
    "submissions": _("Entries"),
    "disqualified_at": _("Disqualified at"),
    "role": _("Role"),
    "registration": _("How people join"),
    "registration_code": _("Code to join"),
    "emails_new": _("Addresses added"),
    "emails_removed": _("Addresses removed"),
    "terms": _("Version of the terms"),
    "full": _("With people and submissions"),
    "host": _("Server"),
    "format": _("Format"),
    "language": _("Language"),
    "events": _("Events"),
}
CHOICES = {
    "audience": Announcement.Audience,
    "role": Organizer.Role,
    "registration": Competition.Registration,
    "finals_rule": Competition.FinalsRule,
    "format": Webhook.Format,
    "language": User.Language,
    "events": Webhook.Event,
    "forum_readers": Competition.ForumReaders,
}

TEAMS = ("team", "other_team")
SHOWN = 60  # characters of a value; the export has all of it


@page("desk/audit", "desk_audit", Entry(RECORDS, _("Log"), 10))
class Audit(DeskPage):
    """`/c/<slug>/desk/audit`: the log in pages, newest first; nothing here can be changed."""

    template = "desk/audit.html"

    def context(self) -> dict[str, Any]:
        query = self.request.GET.get("q", "")[:200].strip()
        log = lookups.page_of(self.request, _found(self.competition, query), 100)
        return {"query": query, "found": log, "lines": lines_of(self.competition, log)}


def _found(competition: Competition, query: str) -> QuerySet[AuditEvent]:
    """The decisions whose words, person, reason or team hold `query`."""
    events, wanted = decisions(competition.pk), nfc(query)
    if not wanted:
        return events
    kinds = [kind for kind, words in KINDS.items() if wanted.casefold() in str(words).casefold()]
    teams = Team.objects.filter(competition=competition, name__icontains=wanted)
    files = Submission.objects.filter(team__in=teams.values("pk"))
    return events.filter(
        Q(kind__in=kinds)
        | Q(actor__username__icontains=wanted)
        | Q(reason__icontains=wanted)
        | Q(subject__in=teams.order_by().values("pk"))
        | Q(subject__in=files.order_by().values("pk"))
    )


def lines_of(competition: Competition, events: Iterable[AuditEvent]) -> list[dict[str, Any]]:
    """These decisions in words, teams by name, instants in the contest's zone."""
    events = list(events)
    teams = _team_names(competition, events)
    return [
        {
            "event": event,
            "title": KINDS.get(event.kind, event.kind),
            "changes": list(_changes(event, competition.zoneinfo, teams)),
        }
        for event in events
    ]


def _team_names(competition: Competition, events: list[AuditEvent]) -> dict[str, str]:
    """Names by id of the teams that these events speak of, in one query."""
    wanted = {
        str(values[key])
        for event in events
        for values in (event.before, event.after)
        for key in TEAMS
        if values and values.get(key)
    }
    if not wanted:
        return {}
    found = Team.objects.filter(competition=competition).values_list("pk", "name")
    return {str(pk): name for pk, name in found if str(pk) in wanted}


def _changes(
    event: AuditEvent, zone: ZoneInfo, teams: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Each value of a decision that has words; `before` is None where there was nothing before."""
    before, after = event.before or {}, event.after or {}
    for key in (one for one in dict.fromkeys([*before, *after]) if one in FIELDS):
        if key not in before or key not in after or before[key] != after[key]:
            yield {
                "name": FIELDS[key],
                "before": _readable(key, before[key], zone, teams) if key in before else None,
                "after": _readable(key, after[key], zone, teams) if key in after else None,
            }


def _readable(key: str, value: Any, zone: ZoneInfo, teams: Mapping[str, str]) -> str:
    match value:
        case None | "":
            return "–"
        case bool():
            return pgettext("yes or no", "yes") if value else pgettext("yes or no", "no")
        case str() if key in TEAMS:
            # A team that is gone keeps its id; before, the other team stood there by its name.
            return teams.get(value, value)
        case "code" if key == "by":
            return pgettext("invitation", "by a code")
        case str() if key in CHOICES and value in CHOICES[key].values:
            return str(CHOICES[key](value).label)
        case str() if key.endswith(("_at", "_until")):
            return written(datetime.fromisoformat(value), zone, "exact")
        case str() | int() | float():
            text = str(value)  # shortened here; the log itself keeps all of it
            return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
        case list():
            return ", ".join(_readable(key, one, zone, teams) for one in value)
        case _:
            return json.dumps(value, ensure_ascii=False, sort_keys=True)
