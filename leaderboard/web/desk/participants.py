"""The desk's list of everybody who takes part, on a page and as a file."""

from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.boards.column import Exported
from leaderboard.boards.exports import CHUNK, csv_file
from leaderboard.submissions.people import SORTS, Participant, found_people, participants
from leaderboard.teams.membership import waiting_requests
from leaderboard.teams.models import Membership
from leaderboard.web import lookups
from leaderboard.web.contest.board import attachment
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import PEOPLE, Entry

PAGE = 100
HEADINGS: dict[str, str | Promise] = {
    "username": pgettext_lazy("account", "Username"),
    "name": _("Name on the list"),
    "team": _("Team"),
    "entries": pgettext_lazy("count", "Entries"),
    "last": _("Last submission"),
    "seen": _("Last seen"),
}
ONLY_WORDS: dict[str, str | Promise] = {
    "alone": _("alone in the team"),
    "silent": _("team without a submission"),
}
CSV_COLUMNS = (
    *("username", "name", "team", "captain", "members", "entries"),
    *("last_submission", "last_seen", "joined"),
)


class _People(DeskPage):
    """What the address asks for: `q`, `only` and `sort`."""

    tab = "desk_participants"

    @property
    def asked(self) -> dict[str, str]:
        sent = self.request.GET
        only, sort = sent.get("only", ""), sent.get("sort", "")
        return {
            "query": sent.get("q", "")[:200].strip(),
            "only": only if only in ONLY_WORDS else "",
            "sort": sort if sort in SORTS else "team",
        }

    def found(self) -> QuerySet[Membership]:
        return found_people(self.competition, **self.asked)

    def view(self, **changed: str) -> str:
        """The address's query for what is shown, or for it with another order."""
        asked = {**self.asked, **changed}
        return urlencode({"q": asked["query"], "only": asked["only"], "sort": asked["sort"]})


@page("desk/participants", "desk_participants", Entry(PEOPLE, _("Participants"), 25))
class Participants(_People):
    """`/c/<slug>/desk/participants`: who is in which team, what it handed in, who was here when."""

    template = "desk/participants.html"

    def context(self) -> dict[str, Any]:
        found = lookups.page_of(self.request, self.found(), PAGE)
        sort = self.asked["sort"]
        return {
            **self.asked,
            "found": found,
            "lines": participants(found),
            "view": self.view(),
            "headings": [
                (label, self.view(sort=name), name == sort, name in ("entries",))
                for name, label in HEADINGS.items()
            ],
            "kinds": ONLY_WORDS.items(),
            "waiting": waiting_requests(self.competition),
        }


@page("desk/participants.csv", "desk_participants_csv")
class ParticipantsFile(_People):
    """`/c/<slug>/desk/participants.csv`: all who are found, in the same order."""

    def respond(self) -> HttpResponse:
        rows = (self._row(one) for one in _in_parts(self.found()))
        heading = {"competition": self.competition.slug, "as_of": self._local(self.at)}
        return attachment(
            csv_file(heading, CSV_COLUMNS, rows), f"{self.competition.slug}-participants.csv"
        )

    def _local(self, at: Any) -> Any:
        return at and at.astimezone(self.competition.zoneinfo)

    def _row(self, one: Participant) -> list[Exported]:
        membership = one.membership
        return [
            membership.user.username,
            membership.listed_name,
            membership.team.name,
            "yes" if one.is_captain else "no",
            one.mates + 1,
            one.activity.entries,
            self._local(one.activity.last_received_at),
            self._local(one.last_seen_at),
            self._local(membership.joined_at),
        ]


def _in_parts(rows: QuerySet[Membership]) -> Iterator[Participant]:
    """All of them, each part's questions asked at once."""
    remaining = rows.iterator(chunk_size=CHUNK)
    while part := list(islice(remaining, CHUNK)):
        yield from participants(part)
