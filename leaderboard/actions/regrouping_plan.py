"""What a list of people and teams would do, line by line."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from uuid import UUID

from django.utils.translation import gettext_noop as _

from leaderboard.accounts.class_list import LineProblem, known
from leaderboard.accounts.models import User
from leaderboard.accounts.names import imitating_problem, reserved_problem, team_name_problem
from leaderboard.accounts.skeletons import skeleton
from leaderboard.actions.decisions import Preview, digest_of
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import having, kept
from leaderboard.teams.models import Team
from leaderboard.teams.queries import called, crews
from leaderboard.teams.team_list import TeamList, Wish


class MoveOutcome(StrEnum):
    """What becomes of one line."""

    MOVES = "moves"
    JOINS = "joins"  # has an account, and no team of this contest so far
    STAYS = "stays"
    PROBLEM = "problem"


@dataclass(frozen=True)
class PlannedMove:
    """One line of the list. `source`: the person's team now; `target`: the team, if it is there.

    `found_by`: what the person is called so by, where the list's header says something else.
    """

    wish: Wish
    outcome: MoveOutcome = MoveOutcome.PROBLEM
    user: User | None = None
    listed_name: str = ""
    source: Team | None = None
    target: Team | None = None
    notice: str = ""
    found_by: str = ""

    @property
    def goes(self) -> bool:
        return self.outcome in (MoveOutcome.MOVES, MoveOutcome.JOINS)

    @property
    def facts(self) -> tuple[object, ...]:
        """What another digest is made of as soon as it is another one."""
        keys = [one and one.pk for one in (self.user, self.source, self.target)]
        return self.wish, self.outcome, self.notice, *keys


@dataclass(frozen=True)
class RegroupingPlan(Preview):
    """All lines with their outcomes; nothing is done while there are problems."""

    lines: tuple[PlannedMove, ...] = ()
    problems: tuple[LineProblem, ...] = ()

    @property
    def going(self) -> list[PlannedMove]:
        return [line for line in self.lines if line.goes]

    @property
    def new_teams(self) -> int:
        return len({line.wish.team for line in self.going if line.target is None})

    @property
    def teams(self) -> set[UUID]:
        """The teams that somebody leaves or comes into."""
        both = (team for line in self.going for team in (line.source, line.target))
        return {team.pk for team in both if team is not None}


def plan(competition: Competition, listed: TeamList) -> RegroupingPlan:
    """Compare the list with the people and teams of the contest."""
    facts = _KnownPeople(competition, listed.wishes)
    bad_lines = {problem.line for problem in listed.problems}
    lines, problems = [], list(listed.problems)
    first_line: dict[int, int] = {}
    for wish in listed.wishes:
        line = PlannedMove(wish)
        if wish.line not in bad_lines:
            try:
                line = facts.line(wish)
            except LineProblem as problem:
                problems.append(problem)
        if line.user is not None:
            earlier = first_line.setdefault(line.user.pk, wish.line)
            if earlier != wish.line:
                what = line.user.username
                problems.append(LineProblem(wish.line, "listed_already", line=earlier, what=what))
        lines.append(line)
    lines, more = _together(competition, lines)
    problems = sorted([*problems, *more], key=lambda problem: problem.line or 0)
    bad_lines = {problem.line for problem in problems}
    lines = [
        replace(line, outcome=MoveOutcome.PROBLEM, notice="")
        if line.wish.line in bad_lines
        else line
        for line in lines
    ]
    facts_of_all = [line.facts for line in lines], [repr(problem) for problem in problems]
    return RegroupingPlan(
        digest=digest_of("regroup", competition.pk, *facts_of_all),
        lines=tuple(lines),
        problems=tuple(problems),
    )


class _KnownPeople:
    """What the database says about the people and teams of a list."""

    def __init__(self, competition: Competition, wishes: Sequence[Wish]) -> None:
        self.accounts = known({User.normalize_username(wish.who) for wish in wishes})
        names = {wish.who for wish in wishes} | {user.username for user in self.accounts.values()}
        self.members = list(called(competition, names))
        self.member = {row.user_id: row for row in self.members}
        looks = {wish.team: skeleton(wish.team) for wish in wishes}
        rows = Team.objects.filter(competition=competition, skeleton__in=looks.values())
        self.teams = {team.skeleton: team for team in rows}
        organizers = Organizer.objects.filter(competition=competition)
        self.organizers = set(organizers.values_list("user", flat=True))

    def line(self, wish: Wish) -> PlannedMove:
        """What becomes of this line, looked at alone. Raises LineProblem."""
        (person, found_by), team = self._person(wish), self._team(wish)
        member = self.member.get(person.pk)
        if member is None:
            barred = person.is_superuser or not person.is_active or person.pk in self.organizers
            if barred:
                raise LineProblem(wish.line, "account_barred", name=person.username)
            return PlannedMove(wish, MoveOutcome.JOINS, person, target=team, found_by=found_by)
        stays = team is not None and team.pk == member.team_id
        outcome = MoveOutcome.STAYS if stays else MoveOutcome.MOVES
        there = member.listed_name, member.team, team
        return PlannedMove(wish, outcome, person, *there, found_by=found_by)

    def _person(self, wish: Wish) -> tuple[User, str]:
        """The one person whom the line means, an account or somebody of the contest; and by what,
        where the header says something else: people write names below `username`."""
        meant, found_by = self._called(wish.who, wish.column), ""
        other = {"username": "name", "name": "username"}.get(wish.column)
        if not meant and other is not None:
            meant, found_by = self._called(wish.who, other), other
            meant = {pk: one for pk, one in meant.items() if pk in self.member}
        match list(meant.values()):
            case [person]:
                return person, found_by
            case [] if (account := self._account(wish)) is not None:
                raise LineProblem(wish.line, "account_alike", name=account.username)
            case []:
                raise LineProblem(wish.line, "nobody_called", name=wish.who)
            case several:
                names = ", ".join(sorted(person.username for person in several))
                raise LineProblem(wish.line, "several_called", names=names)

    def _account(self, wish: Wish) -> User | None:
        """Whose username is as written, but for its capitals."""
        of_accounts = wish.column in ("", "username")
        return self.accounts.get(User.normalize_username(wish.who)) if of_accounts else None

    def _called(self, who: str, column: str) -> dict[int, User]:
        """Whom this username, mail address or name on a class list means; empty: any of them."""
        meant: dict[int, User] = {}
        username, address = User.normalize_username(who), who.lower()
        account = self.accounts.get(username) if column in ("", "username") else None
        if account is not None and account.username == username:
            meant[account.pk] = account
        for row in self.members:
            addresses = row.typed_email, row.user.email.lower()
            by_mail = column in ("", "email") and address in addresses
            by_name = column in ("", "name") and row.listed_name == who
            if by_mail or by_name:
                meant[row.user_id] = row.user
        return meant

    def _team(self, wish: Wish) -> Team | None:
        team = self.teams.get(skeleton(wish.team))
        if team is None:
            problem = (
                team_name_problem(wish.team)
                or reserved_problem(wish.team)
                or imitating_problem(wish.team)
            )
            if problem is not None:
                raise LineProblem(wish.line, "name", problem=problem)
        elif team.name != wish.team:
            raise LineProblem(wish.line, "team_alike", name=team.name)
        elif (
            team.kind != Team.Kind.PARTICIPANT
            or team.disqualified_at is not None
            or team.merged_into_id is not None
        ):
            raise LineProblem(wish.line, "team_barred", name=team.name)
        return team


def _together(
    competition: Competition, lines: Sequence[PlannedMove]
) -> tuple[list[PlannedMove], list[LineProblem]]:
    """The lines with what each does to its teams, and what they cannot all do at once."""
    going = [line for line in lines if line.goes]
    leaving = Counter(line.source.pk for line in going if line.source)
    filled = {line.target.pk for line in going if line.target}
    size = Counter({team: len(crew) for team, crew in crews({*leaving, *filled}).items()})
    size.subtract(leaving)
    emptied = {team for team in leaving if not size[team]} - filled
    used = having(Submission, leaving)
    staying = kept(emptied)
    coming: Counter[str] = Counter()
    problems, noted = [], []
    for line in lines:
        if line.goes:
            coming[line.wish.team] += 1
            there = size[line.target.pk] if line.target else 0
            most = competition.max_team_size
            if there + coming[line.wish.team] > most:
                name = line.wish.team
                problems.append(LineProblem(line.wish.line, "team_full", name=name, most=most))
            if line.source and line.source.pk in emptied & used:
                name = line.source.name
                problems.append(LineProblem(line.wish.line, "keeps_submissions", name=name))
        noted.append(replace(line, notice=_notice(line, emptied, staying, used)))
    return noted, problems


def _notice(
    line: PlannedMove, emptied: Collection[UUID], staying: Collection[UUID], used: Collection[UUID]
) -> str:
    """What the organizer should know of this line beside where the person goes."""
    if line.outcome == MoveOutcome.JOINS:
        return _("Takes no part in this contest yet. Check that it is this person.")
    if not line.goes or line.source is None:
        return ""
    if line.source.pk in staying:
        return _("The team before stays, without people, for its ledger or a team in it.")
    if line.source.pk in emptied:
        return _("The team before has handed in nothing and goes.")
    if line.target is None and line.source.pk in used:
        return _("The new team begins with no attempt used; what was used stays with the other.")
    return ""
