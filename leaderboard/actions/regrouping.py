"""People put into teams many at a time: a list that is looked at, then done at once. The log says
who was in which team before."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import (
    Deciding,
    LookFirst,
    deciding,
    refuse_part,
    refuse_unseen,
)
from leaderboard.actions.refusals import Refused
from leaderboard.actions.regrouping_plan import PlannedMove, RegroupingPlan, plan
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import News
from leaderboard.inbox.tell import withdraw
from leaderboard.submissions.models import QuotaEntry
from leaderboard.submissions.queries import kept
from leaderboard.teams import invitations
from leaderboard.teams.membership import (
    answer_request,
    disband,
    enter,
    hand_over,
    move,
    open_team,
    people,
)
from leaderboard.teams.models import JoinRequest, Membership, Team
from leaderboard.teams.queries import crews
from leaderboard.teams.team_list import TeamList, Wish, read


def regroup(
    *, competition: Competition, user: User, text: str, seen: str | None = None, at: datetime
) -> list[PlannedMove]:
    """Put everybody on the list into the team that stands there: all of it or nothing.

    A team that is not there yet is founded. Nobody takes anything along: submissions and used
    attempts stay with the team before. The people are told, and whoever was in the team that they
    come into; what they were asked into and asked for has its answer. Raises LookFirst with the
    plan while there are problems or it was not seen, and Refused.
    """
    with deciding(competition, user, at) as decision:
        done = _regroup(decision, read(text), seen)
        if not done:
            raise Refused("nothing_to_do.teams")
        return done


@dataclass(frozen=True)
class Put:
    """Where the person is now. `left_empty`: their team of one, if its row stays; `kept_for` says
    what keeps it: `granted` attempts, those `carried` over from a team before, or a `part`."""

    team: Team
    left_empty: Team | None = None
    kept_for: str = ""


def put_in_team(
    *, competition: Competition, user: User, username: str, team: Team, at: datetime
) -> Put:
    """Move the person with this username into `team`: a list of one. Raises Refused.

    Putting somebody where they are changes nothing.
    """
    with deciding(competition, user, at) as decision:  # so nobody renames it now
        target = Team.objects.filter(competition=decision.competition, pk=team.pk).first()
        if target is None or target.kind != Team.Kind.PARTICIPANT:
            raise Refused("unknown_team")
        refuse_part(target)
        wish = Wish(1, username, target.name, "username")
        try:
            done = _regroup(decision, TeamList(wishes=[wish]), None)
        except LookFirst as first:
            raise _alone(first) from None
        left = Team.objects.filter(pk__in=[line.source.pk for line in done if line.source])
        empty = left.filter(memberships=None).first()
        return Put(target, empty, _kept_for(empty)) if empty else Put(target)


def _kept_for(team: Team) -> str:
    """Of a team without people and files, the weightiest of what keeps its row."""
    kinds = set(QuotaEntry.objects.filter(team=team).order_by().values_list("kind", flat=True))
    if QuotaEntry.Kind.GRANT in kinds:
        return "granted"
    return "carried" if kinds else "part"


# What is said of a line, where there is nothing but that line.
_ALONE = {
    "account_alike": "unknown_person.team",
    "account_barred": "unknown_person.team",
    "keeps_submissions": "has_submissions",
    "nobody_called": "unknown_person.team",
}


def _alone(first: LookFirst) -> Refused:
    assert isinstance(first.preview, RegroupingPlan)
    problem = first.preview.problems[0]
    key = _ALONE.get(problem.key)
    return Refused(key) if key else Refused.because(problem)


def _regroup(decision: Deciding, listed: TeamList, seen: str | None) -> list[PlannedMove]:
    """Who was moved; nobody, where everybody is in that team already."""
    try:
        planned = plan(decision.competition, listed)
        lock(Team.objects.filter(pk__in=planned.teams))
        newcomers = [line.user.pk for line in planned.going if line.user and not line.source]
        lock(User.objects.filter(pk__in=newcomers))
        # Anew, now that nobody hands in or closes an account.
        planned = plan(decision.competition, listed)
        if planned.problems:
            raise LookFirst(planned)
        if planned.going:
            refuse_unseen(planned, seen)
            _move_all(decision, planned.going)
        return planned.going
    except IntegrityError:
        raise Refused("changed.people") from None


def _move_all(decision: Deciding, lines: Sequence[PlannedMove]) -> None:
    teams = _carry_out(decision, lines)
    users = [line.user.pk for line in lines if line.user]
    moves = [
        {
            "user": line.user and line.user.pk,
            "team": str(teams[line.wish.team].pk),
            "source": str(line.source.pk) if line.source else None,
        }
        for line in lines
    ]
    event = decision.record(
        "team.people_put",
        before={"usernames": [f"{line.user}: {line.source or '–'}" for line in lines]},
        after={"usernames": [f"{line.user}: {line.wish.team}" for line in lines], "moves": moves},
    )
    _tell(decision, event, lines)
    _settle_questions(decision, users)


def _tell(decision: Deciding, event: AuditEvent, lines: Iterable[PlannedMove]) -> None:
    """Tell these people in which team they are now, and who was there who came."""
    moved: dict[str, list[User]] = defaultdict(list)
    for line in lines:
        assert line.user is not None
        moved[line.wish.team].append(line.user)
    teams = Team.objects.filter(competition=decision.competition, name__in=moved)
    for team in teams:
        came = moved[team.name]
        were_there = [person for person in people(team) if person not in came]
        for told, news in (
            (came, News("put_in_team", team=team.name)),
            (were_there, News("put_into_yours", number=len(came))),
        ):
            decision.tell(told, Notification.Kind.TEAM, event.pk, news.kept)


def _settle_questions(decision: Deciding, users: Sequence[int]) -> None:
    """Nobody waits for an answer of these people any more, nor they for one."""
    competition, at = decision.competition, decision.at
    invitations.end_of(users, competition, at)
    for request in JoinRequest.objects.filter(competition=competition, user__in=users):
        if request.approved is None:
            answer_request(request=request, approved=True, by=decision.user, at=at)


def _carry_out(decision: Deciding, lines: Sequence[PlannedMove]) -> dict[str, Team]:
    """Move everybody; then each team that was left or entered gets its captain, or goes.

    Answers the teams they are in now, by name.
    """
    competition, at = decision.competition, decision.at
    going = [line.user for line in lines]
    rows = Membership.objects.filter(competition=competition, user__in=going)
    memberships = {row.user_id: row for row in rows.select_related("team")}
    teams = {line.wish.team: line.target for line in lines if line.target is not None}
    touched = {}
    for line in lines:
        person, name = line.user, line.wish.team
        assert person is not None
        if name not in teams:
            teams[name] = open_team(competition=competition, captain=person, name=name, at=at)
        team = touched[teams[name].pk] = teams[name]
        before = memberships.get(person.pk)
        if before is None:
            enter(team=team, user=person, at=at)
        else:
            touched[before.team_id] = before.team
            move(membership=before, team=team, at=at)
    _settle(touched.values())
    return teams


def _settle(teams: Iterable[Team]) -> None:
    """After people came and went: whoever came first leads where the captain is gone.

    A team that nobody is in any more goes, unless its row has to stay.
    """
    known = {team.pk: team for team in teams}
    members = crews(known)
    staying = kept(known)
    for team in Team.objects.filter(pk__in=known):
        crew = members.get(team.pk, [])
        if not crew and team.pk not in staying:
            withdraw(subjects=list(team.invitations.values_list("pk", flat=True)))
            disband(team=team)
        elif team.captain_id not in crew:
            captain = User.objects.get(pk=crew[0]) if crew else None
            hand_over(team=team, captain=captain)
