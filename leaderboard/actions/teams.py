"""What organizers decide about teams (more attempts) and baselines, and their names."""

from datetime import date, datetime, timedelta
from functools import partial
from uuid import uuid4

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.accounts.names import (
    TEAM_LENGTH,
    may_be_number,
    name_problem,
    reserved_problem,
    tidy,
    without_unreadable,
)
from leaderboard.actions.decisions import (
    Deciding,
    deciding,
    deciding_on_team,
    reason_within,
    refuse_all_but_editors,
)
from leaderboard.actions.submissions import incoming, locked_own_team
from leaderboard.audit.log import KINDS
from leaderboard.boards.standings import place_everywhere, rename
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day, is_late
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import as_news
from leaderboard.refusals import Forbidden, Invalid, Refused
from leaderboard.submissions.models import Exclusion, QuotaEntry, Submission
from leaderboard.submissions.queries import Upload, of_team
from leaderboard.teams.models import Team

KINDS |= {
    "baseline.added": _("Added a baseline"),
    "baseline.renamed": _("Renamed a baseline"),
    "baseline.removed": _("Excluded a baseline"),
    "baseline.restored": _("Restored an excluded baseline"),
    "team.renamed": _("Renamed their team"),
    "team.granted": _("Granted more submissions"),
}

NO_NAME = "팀"  # of a person whose name has no character that a team's may have
NOT_NAMED = "참가자"  # a team of one whose person's username is not for everybody to read

name_taken = partial(
    Refused,
    "name_taken",
    _("A team or a baseline already has this name or one that looks like it."),
    _("Choose another name."),
)
team_disqualified = partial(
    Forbidden,
    "disqualified",
    _("A disqualified team cannot be changed."),
    _("If you disagree, tell the organizer."),
)


def clean_team_name(name: str, *, by_organizer: bool = False) -> str:
    """The name as it is kept; baselines may have reserved ones. Raises Refused."""
    clean = tidy(name)
    problem = name_problem(clean, TEAM_LENGTH)
    if problem is None and not by_organizer:
        problem = reserved_problem(clean)
    if problem is not None:
        raise problem
    return clean


def name_for_all(username: str) -> str:
    """What the team of somebody who chose no name is called, for everybody to read.

    As the person, in 40 characters that a team's name may have, but never by what may be a student
    number.
    """
    if may_be_number(username):
        return NOT_NAMED
    return tidy(without_unreadable(username)[:TEAM_LENGTH]) or NO_NAME


def refuse_fixed(team: Team, competition: Competition, at: datetime) -> None:
    """Raises Refused for a disqualified team, and from the close on."""
    if team.disqualified_at is not None:
        raise team_disqualified()
    if is_late(competition, at):
        raise Forbidden(
            "closed",
            _("This competition has closed, so teams can no longer change."),
            _("The ranks are on the leaderboard."),
        )


def rename_team(*, team: Team, user: User, name: str, at: datetime) -> Team:
    """Any member may, before the close. The same name again changes nothing. Raises Refused."""
    name = clean_team_name(name)
    try:
        with transaction.atomic():
            competition = lock_one(Competition.objects.filter(pk=team.competition_id))
            locked = locked_own_team(team.pk, user)
            refuse_fixed(locked, competition, at)
            _rename(Deciding(competition, user, at), locked, name, "team.renamed")
            return locked
    except IntegrityError:
        raise name_taken() from None


def _rename(decision: Deciding, team: Team, name: str, kind: str) -> None:
    """Give the team the name, and log it; the same name again changes nothing."""
    if team.name != name:
        before = {"name": team.name}
        rename(team=team, name=name)
        decision.record(kind, team.pk, before=before, after={"name": name})


MOST_GRANTED = 100
REASON_LENGTH = 200


def grant_days(competition: Competition, at: datetime) -> tuple[date, date | None] | None:
    """The first and last contest day that a grant may be for; None after the close. The last is
    None where late entries are taken."""
    first = day(competition, max(at, competition.opens_at)).date
    if competition.late_entries:
        return first, None
    last = day(competition, competition.closes_at - timedelta(microseconds=1)).date
    return (first, last) if at < competition.closes_at else None


def grant(
    *,
    team: Team,
    user: User,
    amount: int,
    on: date | None = None,
    reason: str,
    at: datetime,
) -> QuotaEntry:
    """`amount` more on that contest day, else the first that can use it. Members are told. Raises
    Refused."""
    reason = reason_within(reason, REASON_LENGTH)
    if not 1 <= amount <= MOST_GRANTED:
        raise Invalid(
            "amount",
            _("Between 1 and {most_granted} submissions can be granted."),
            most_granted=MOST_GRANTED,
        )
    with deciding_on_team(team.pk, user, at) as decision:
        on = _granted_day(decision.competition, on, at)
        entry = QuotaEntry.objects.create(
            team=decision.team,
            kind=QuotaEntry.Kind.GRANT,
            amount=amount,
            day=on,
            at=at,
            words=reason,
        )
        decision.rule(
            "team.granted",
            Notification.Kind.GRANTED,
            news=as_news("granted", amount=amount, day=on.isoformat()),
            after={"amount": amount, "day": on.isoformat()},
            reason=reason,
        )
    return entry


def _granted_day(competition: Competition, on: date | None, at: datetime) -> date:
    days = grant_days(competition, at)
    if days is None:
        raise Refused(
            "closed",
            _("The competition has closed, so more submissions cannot be granted."),
            _("Extend the close on the schedule first."),
        )
    first, last = days
    on = on or first
    if on < first or (last is not None and on > last):
        until = f" ~ {last.isoformat()}" if last else " ~"
        raise Invalid(
            "day",
            _("It cannot be used on that day. Choose from: {first}{until}"),
            first=first.isoformat(),
            until=until,
        )
    return on


REASON = "기준선을 뺌"


def add_baseline(
    *, competition: Competition, user: User, name: str, upload: Upload, at: datetime
) -> Submission:
    """A team without people, and its one file. Raises InvalidSubmission or Refused."""
    refuse_all_but_editors(competition, user)
    name = clean_team_name(name, by_organizer=True)
    try:
        with incoming(competition, upload) as file, deciding(competition, user, at) as decision:
            team = Team.objects.create(
                competition=decision.competition,
                name=name,
                captain=user,
                created_at=at,
                kind=Team.Kind.BASELINE,
            )
            submission = file.keep(team=team, user=user, key=uuid4().hex, at=at)
            after = {"name": name, "file": submission.file_name}
            decision.record("baseline.added", team.pk, after=after)
            return submission
    except IntegrityError:
        raise name_taken() from None


def rename_baseline(*, team: Team, user: User, name: str, at: datetime) -> Team:
    """By the rules of a team's name; the same name again changes nothing. Raises Refused."""
    name = clean_team_name(name, by_organizer=True)
    try:
        # Whoever names a team holds its contest.
        with deciding(team.competition, user, at) as decision:
            locked = _locked(team)
            _rename(decision, locked, name, "baseline.renamed")
            return locked
    except IntegrityError:
        raise name_taken() from None


def remove_baseline(*, team: Team, user: User, at: datetime) -> None:
    """Exclude everything it has; its name and its scores stay. Raises Refused."""
    with deciding(team.competition, user, at) as decision:
        locked = _locked(team)
        on_boards = of_team(locked).filter(exclusion=None)
        marks = [
            Exclusion(submission=one, excluded_by=user, at=at, reason=REASON, reason_shown=True)
            for one in on_boards
        ]
        if not Exclusion.objects.bulk_create(marks, batch_size=500):
            raise Refused("already_excluded", _("This baseline is already excluded."))
        place_everywhere(team=locked)
        decision.record("baseline.removed", locked.pk, after={"name": locked.name})


def restore_baseline(*, team: Team, user: User, at: datetime) -> None:
    """Put everything it has back on the boards. Raises Refused."""
    with deciding(team.competition, user, at) as decision:
        locked = _locked(team)
        restored, _rows = Exclusion.objects.filter(submission__team=locked).delete()
        if not restored:
            raise Refused("not_excluded", _("This baseline is not excluded."))
        place_everywhere(team=locked)
        decision.record("baseline.restored", locked.pk, after={"name": locked.name})


def _locked(team: Team) -> Team:
    """The baseline's row, locked in this transaction. Raises Refused for a team with people."""
    locked = lock_one(Team.objects.filter(pk=team.pk))
    if locked.kind != Team.Kind.BASELINE:
        raise Refused("not_a_baseline", _("This is a team that takes part, not a baseline."))
    return locked
