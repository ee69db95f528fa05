"""A class list applied at once: accounts are made and people put into teams. The log says who was
in which team before."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts import passwords
from leaderboard.accounts.models import User
from leaderboard.actions.class_list import ClassPlan, Line, Listed, Outcome, plan, read
from leaderboard.actions.decisions import (
    Deciding,
    LookFirst,
    deciding,
    refuse_all_but_editors,
    refuse_part,
    refuse_unseen,
)
from leaderboard.actions.teams import NOT_NAMED
from leaderboard.audit.log import KINDS
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import lets_join, refuse_ended
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import as_news
from leaderboard.inbox.tell import withdraw
from leaderboard.refusals import Forbidden, Refused, Unknown
from leaderboard.submissions.queries import kept
from leaderboard.teams import invitations
from leaderboard.teams.membership import (
    answer_request,
    disband,
    enter,
    free_names,
    hand_over,
    move,
    open_team,
    people,
)
from leaderboard.teams.models import Invitation, JoinRequest, Membership, Team
from leaderboard.teams.queries import crews

KINDS["team.people_put"] = _("Assigned people to teams")


def assign_teams(
    *, competition: Competition, user: User, text: str, seen: str | None = None, at: datetime
) -> ClassPlan:
    """Do what the list says, all of it or nothing; new accounts come with their passwords.

    An account that exists keeps its password and address. Submissions and used attempts stay with
    the team before. Raises LookFirst with the plan while there are problems or it was not seen, and
    Refused.
    """
    refuse_all_but_editors(competition, user)
    refuse_ended(competition)
    listed = read(text)
    looked = plan(competition, listed, at)
    if looked.new and not lets_join(competition, at):
        raise Forbidden(
            "closed",
            _("This competition has closed, so nobody can be added."),
            _("Move the close on the schedule first."),
        )
    if looked.problems:
        raise LookFirst(looked)
    if not looked.going:
        raise Refused("nothing_to_do", _("Everybody on the list is already in that team."))
    refuse_unseen(looked, seen)
    # Made before the transaction: hashing must not hold up everybody else's writes.
    secrets = {line.username: passwords.one_time() for line in looked.new}
    encoded = {name: passwords.hashed_one_time(secret) for name, secret in secrets.items()}
    try:
        with deciding(competition, user, at) as decision:
            done = _locked_plan(decision, listed)
            if done.problems:
                raise LookFirst(done)
            refuse_unseen(done, looked.digest)
            _move_all(decision, done.going, _open_accounts(done.new, encoded))
    except IntegrityError:  # somebody else has just taken a name
        raise Refused(
            "changed",
            _("People or teams have changed in the meantime. Nothing was saved."),
            _("The list was read again. Check it below."),
        ) from None
    for line in done.new:
        line.password = secrets[line.username]
    return done


def put_in_team(
    *, competition: Competition, user: User, username: str, team: Team, at: datetime
) -> None:
    """Move the person with this username into `team`, or leave them there. Raises Refused."""
    with deciding(competition, user, at) as decision:  # so nobody renames it now
        target = Team.objects.filter(competition=decision.competition, pk=team.pk).first()
        if target is None or target.kind != Team.Kind.PARTICIPANT:
            raise Unknown("unknown_team", _("There is no such team."))
        refuse_part(target)
        username = User.normalize_username(username)
        listed: Listed = [Line(1, username, team=target.name)], []
        planned = _locked_plan(decision, listed)
        # Asked after the plan, which takes who closed the account a moment ago for a new person.
        if not User.objects.filter(username=username).exists():
            raise Unknown("unknown_person", _("There is no participant with that name."))
        for problem in planned.problems:
            raise problem
        if planned.going:
            _move_all(decision, planned.going, {})


def _locked_plan(decision: Deciding, listed: Listed) -> ClassPlan:
    """The plan under the locks of all that it changes: nobody submits or closes an account now."""
    looked = plan(decision.competition, listed, decision.at)
    lock(Team.objects.filter(pk__in=looked.teams))
    joining = [line.user.pk for line in looked.going if line.user and not line.source]
    lock(User.objects.filter(pk__in=joining))
    return plan(decision.competition, listed, decision.at)


def _open_accounts(lines: Sequence[Line], encoded: Mapping[str, str]) -> dict[str, User]:
    """New accounts by username. Raises IntegrityError if a name was taken meanwhile."""
    made = User.objects.bulk_create(
        (
            User(
                username=line.username,
                first_name=line.name,
                email=line.email,
                password=encoded[line.username],
                must_change_password=True,
            )
            # In order: of two classes with the same new names one waits, and then is told so.
            for line in sorted(lines, key=lambda line: line.username)
        ),
        batch_size=500,
    )
    return {user.username: user for user in made}


def _move_all(decision: Deciding, lines: Sequence[Line], made: Mapping[str, User]) -> None:
    _carry_out(decision, lines, made)
    event = decision.record(
        "team.people_put",
        before={"usernames": [f"{line.user}: {line.source or '–'}" for line in lines]},
        after={
            "usernames": [f"{line.user}: {line.team}" for line in lines],
            "made": [user.pk for user in made.values()],
        },
    )
    _tell(decision, event, lines)
    # Nobody waits for an answer of these people any more, nor they for one.
    moved = [line.user for line in lines if line.user]
    asked = Invitation.objects.filter(invitee__in=moved, team__competition=decision.competition)
    invitations.end(asked.filter(declined_at=None, uses=0), decision.at)
    requests = JoinRequest.objects.filter(competition=decision.competition, user__in=moved)
    for request in requests.filter(approved=None):
        answer_request(request=request, approved=True, by=decision.user, at=decision.at)


def _carry_out(decision: Deciding, lines: Sequence[Line], made: Mapping[str, User]) -> None:
    """Move everybody; then each team that was left or entered gets its captain, or goes."""
    competition, at = decision.competition, decision.at
    rows = Membership.objects.filter(
        competition=competition, user__in=[line.user for line in lines]
    )
    memberships = {row.user_id: row for row in rows.select_related("team")}
    # A class list's first column may be the student number, and boards are for everybody.
    free = free_names(competition=competition, wanted=NOT_NAMED)
    teams: dict[str, Team] = {}
    touched = {}
    for line in sorted(lines, key=lambda line: not line.team):
        line.user = person = line.user or made[line.username]
        line.team = line.team or next(free)
        line.target = team = (
            line.target
            or teams.get(line.team)
            or open_team(competition=competition, captain=person, name=line.team, at=at)
        )
        teams[team.name] = touched[team.pk] = team
        if (before := memberships.get(person.pk)) is None:
            enter(team=team, user=person, at=at, listed_name=line.name)
        else:
            touched[before.team_id] = before.team
            move(membership=before, team=team, at=at)
    _settle(touched.values())


def _settle(teams: Iterable[Team]) -> None:
    """After people came and went: the earliest leads if the captain is gone; an empty team goes."""
    touched = {team.pk: team for team in teams}
    members = crews(touched)
    staying = kept(touched)
    for team in Team.objects.filter(pk__in=touched):
        crew = members.get(team.pk, [])
        if not crew and team.pk not in staying:
            withdraw(subjects=list(team.invitations.values_list("pk", flat=True)))
            disband(team=team)
        elif team.captain_id not in crew:
            captain = User.objects.get(pk=crew[0]) if crew else None
            hand_over(team=team, captain=captain)


def _tell(decision: Deciding, event: AuditEvent, lines: Sequence[Line]) -> None:
    """Tell who had an account in which team they are now, and who was there who came."""
    came: dict[Team, list[Line]] = defaultdict(list)
    for line in lines:
        if line.target:
            came[line.target].append(line)
    for team, theirs in came.items():
        old = [line.user for line in theirs if line.user and line.outcome != Outcome.NEW]
        moved = {line.user for line in theirs}
        for told, news in (
            (old, as_news("put_in_team", team=team.name)),
            (
                [person for person in people(team) if person not in moved],
                as_news("put_into_yours", number=len(theirs)),
            ),
        ):
            decision.tell(told, Notification.Kind.TEAM, event.pk, news)
