"""What the teams of a person were called before, as log and lists of moves keep it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Regrouping

_SHARED = frozenset(
    f"team.{what}"
    for what in (
        "invitation_accepted",
        "left",
        "member_removed",
        "member_put",
        "handed_over",
        "captain_replaced",
        "merged",
    )
)
"""Decisions that show that somebody else was in the team, or came into it."""


class FormerNames:
    """What teams of a contest were called before: the person's while they were alone, others'."""

    def __init__(self, user: User, contest: Competition, lost: Iterable[UUID]) -> None:
        self.user = user
        self.rows = list(Regrouping.objects.filter(competition=contest))
        events = AuditEvent.objects.filter(competition=contest.pk)
        mine = events.filter(actor=user)
        self.asked = list(mine.filter(kind="join.requested"))
        named = mine.filter(kind__in=("team.joined", "team.renamed"))
        candidates = {*lost, *named.values_list("subject", flat=True)}
        self.others: list[AuditEvent] = []
        self.candidates: dict[UUID | None, list[AuditEvent]] = {pk: [] for pk in candidates}
        for event in events.filter(kind__startswith="team.").order_by("at"):
            self.candidates.get(event.subject, self.others).append(event)

    def in_moves(self) -> Iterator[str]:
        """What a team was called that an organizer took them out of, when nobody else was in it."""
        for row in self.rows:
            sources = Counter(one["source"] for one in row.moves)
            for one in row.moves:
                is_own = one["user"] == self.user.pk and one["led"] and one["heir"] is None
                if is_own and sources[one["source"]] == 1:
                    yield one["source_name"]

    def in_log(self) -> Iterator[str]:
        """What they asked for, and what their teams were called as long as they were alone."""
        for event in self.asked:
            yield from _names_of(event)
        for events in self.candidates.values():
            for event in self._alone(events):
                yield from _names_of(event)

    def while_shared(self) -> set[str]:
        """What these teams were called while somebody else was in them."""
        found: set[str] = set()
        for events in self.candidates.values():
            alone = {event.pk for event in self._alone(events)}
            found |= {name for one in events if one.pk not in alone for name in _names_of(one)}
        return found

    def of_other_teams(self) -> set[str]:
        return {name for event in self.others for name in _names_of(event)}

    def _alone(self, events: list[AuditEvent]) -> list[AuditEvent]:
        """Those of a team's decisions that were made before anybody else was in it."""
        founders = [event.actor_id for event in events if event.kind == "team.joined"]
        pk = str(events[0].subject) if events else ""
        put = [
            row.at for row in self.rows if any(self._is_of_another(one, pk) for one in row.moves)
        ]
        shared = put + [event.at for event in events if self._shows_another(event)]
        if any(founder != self.user.pk for founder in founders) or (shared and not founders):
            return []
        return [event for event in events if not shared or event.at < min(shared)]

    def _shows_another(self, event: AuditEvent) -> bool:
        closed = event.kind == "team.member_closed" and event.actor_id != self.user.pk
        return closed or event.kind in _SHARED

    def _is_of_another(self, one: Mapping[str, Any], team: str) -> bool:
        return one["user"] != self.user.pk and team in (one["team"], one["source"])


def _names_of(event: AuditEvent) -> Iterator[str]:
    for facts in (event.before, event.after):
        yield from filter(None, [(facts or {}).get("name")])
