"""People put into teams many at a time: a list that is looked at, then done at once."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import Deciding, LookFirst, deciding, refuse_unseen
from leaderboard.actions.refusals import Refused
from leaderboard.actions.regrouping_plan import PlannedMove, plan
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import News, Notification
from leaderboard.submissions.queries import kept
from leaderboard.teams.membership import Move, disband, enter, hand_over, move, open_team
from leaderboard.teams.models import Membership, Regrouping, Team
from leaderboard.teams.queries import crews


def regroup(
    *, competition: Competition, user: User, text: str, seen: str | None = None, at: datetime
) -> Regrouping:
    """Put everybody on the list into the team that stands there: all of it or nothing.

    A team that is not there yet is founded. Nobody takes anything along: submissions and used
    attempts stay with the team before, and the people are told. Raises LookFirst with the plan
    while there are problems or it was not seen, and Refused.
    """
    try:
        with deciding(competition, user, at) as decision:
            planned = plan(decision.competition, text)
            lock(Team.objects.filter(pk__in=planned.teams))
            newcomers = [line.user.pk for line in planned.going if line.user and not line.source]
            lock(User.objects.filter(pk__in=newcomers))
            # Anew, now that nobody hands in or closes an account.
            planned = plan(decision.competition, text)
            if planned.problems:
                raise LookFirst(planned)
            if not planned.going:
                raise Refused("nothing_to_do.teams")
            refuse_unseen(planned, seen)
            moves = _carry_out(decision, planned.going)
            done = Regrouping.objects.create(
                competition=decision.competition,
                decided_by=user,
                at=at,
                moves=[asdict(one) for one in moves],
            )
            said = [f"{line.user}: {line.wish.team}" for line in planned.going]
            event = decision.record("team.people_put", done.pk, after={"usernames": said})
            tell_moved(decision, event, planned.going)
            return done
    except IntegrityError:
        raise Refused("changed.people") from None


def tell_moved(decision: Deciding, event: AuditEvent, moved: Iterable[PlannedMove]) -> None:
    """Tell these people in which team they are now."""
    users: dict[str, list[User]] = defaultdict(list)
    for line in moved:
        assert line.user is not None
        users[line.wish.team].append(line.user)
    for name, people in users.items():
        news = News("put_in_team", team=name)
        decision.tell(people, Notification.Kind.TEAM, event.pk, news.kept)


def _carry_out(decision: Deciding, lines: Sequence[PlannedMove]) -> list[Move]:
    """Move everybody; then each team that was left or entered gets its captain, or goes."""
    competition, at = decision.competition, decision.at
    people = [line.user for line in lines]
    rows = Membership.objects.filter(competition=competition, user__in=people)
    memberships = {row.user_id: row for row in rows.select_related("team")}
    teams = {line.wish.team: line.target for line in lines if line.target is not None}
    moves, touched = [], {}
    for line in lines:
        person, name = line.user, line.wish.team
        assert person is not None
        if name not in teams:
            teams[name] = open_team(competition=competition, captain=person, name=name, at=at)
        team = touched[teams[name].pk] = teams[name]
        before = memberships.get(person.pk)
        if before is None:
            moves.append(Move(person.pk, str(team.pk)))
            enter(team=team, user=person, at=at)
        else:
            touched[before.team_id] = before.team
            moves.append(_noted(before, team))
            move(membership=before, team=team, at=at)
    settle(touched.values())
    heirs = dict(Team.objects.filter(pk__in=touched).values_list("pk", "captain"))
    return [
        replace(one, heir=heirs.get(UUID(one.source))) if one.led and one.source else one
        for one in moves
    ]


def _noted(before: Membership, team: Team) -> Move:
    return Move(
        user=before.user_id,
        team=str(team.pk),
        source=str(before.team_id),
        source_name=before.team.name,
        source_created_at=before.team.created_at.isoformat(),
        joined_at=before.joined_at.isoformat(),
        led=before.team.captain_id == before.user_id,
        origin=str(before.origin_id) if before.origin_id else None,
    )


def settle(teams: Iterable[Team]) -> None:
    """After people came and went: whoever came first leads where the captain is gone.

    A team that nobody is in any more goes, unless its row has to stay.
    """
    known = {team.pk: team for team in teams}
    members = crews(known)
    staying = kept(known)
    for team in Team.objects.filter(pk__in=known):
        crew = members.get(team.pk, [])
        if not crew and team.pk not in staying:
            disband(team=team)
        elif team.captain_id not in crew:
            captain = User.objects.get(pk=crew[0]) if crew else None
            hand_over(team=team, captain=captain)
