"""What speaks of teams and does not agree: people, captains, files, ledger, finals, merges, log."""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import F

from leaderboard.actions.submissions import FINALS
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.models import Standing
from leaderboard.submissions.models import FinalChoice, QuotaEntry, Submission
from leaderboard.teams.models import Membership, Merge, Team


def disagreements() -> list[str]:
    """Of all contests; nothing, if all is well."""
    into = dict(Team.objects.exclude(merged_into=None).values_list("pk", "merged_into"))
    return [*_people(into), *_places(into), *_numbers(into)]


def _people(into: dict[UUID, Any]) -> Iterator[str]:
    inside: dict[UUID, set[int]] = {}
    seen: set[tuple[UUID, int]] = set()
    for competition, team, user in Membership.objects.values_list("competition", "team", "user"):
        if (competition, user) in seen:
            yield f"{user} is in two teams"
        seen.add((competition, user))
        inside.setdefault(team, set()).add(user)
    for team in Team.objects.filter(kind=Team.Kind.PARTICIPANT):
        if team.pk in into and team.pk in inside:
            yield f"{team.pk} is a part of another and has people"
        if team.pk in inside and team.captain_id not in inside[team.pk]:
            yield f"{team.pk} has people and no captain of them"
        if team.pk not in inside and team.pk not in into and team.captain_id is not None:
            yield f"{team.pk} has a captain and no people"


def _places(into: dict[UUID, Any]) -> Iterator[str]:
    """All that came from a team is where the team is now."""

    def whole(team: UUID) -> UUID:
        return whole(into[team]) if team in into else team

    for model in (Submission, QuotaEntry):
        rows = model._default_manager.values_list("pk", "team", "origin")  # type: ignore[attr-defined]
        for pk, team, origin in rows:
            if team != whole(origin or team):
                yield f"{model.__name__} {pk} is not where its origin is"
    lines = QuotaEntry.objects.filter(submission__isnull=False)
    for pk in lines.exclude(team=F("submission__team")).values_list("pk", flat=True):
        yield f"line {pk} is not where its file is"
    finals = Counter(FinalChoice.objects.values_list("submission__team", flat=True))
    for chosen, number in finals.items():
        if number > FINALS:
            yield f"{chosen} has {number} finals"
    if Standing.objects.filter(team__in=into, scoring_version__state="live").exists():
        yield "a part of a team stands on a board"


def _numbers(into: dict[UUID, Any]) -> Iterator[str]:
    done = Merge.objects.filter(state=Merge.State.ACCEPTED)
    if dict(done.values_list("absorbed", "survivor")) != into:
        yield "merges and teams say different things"
    logged = Counter(AuditEvent.objects.order_by().values_list("kind", flat=True))
    if logged["team.merged"] != len(into):
        yield "the log counts other merges"
