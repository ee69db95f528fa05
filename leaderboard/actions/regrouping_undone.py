"""Taking back that people were put into teams, as far as nothing has changed since."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import Deciding, Preview, deciding, digest_of, refuse_unseen
from leaderboard.actions.refusals import Refused
from leaderboard.actions.regrouping import settle
from leaderboard.competitions.locking import lock
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import News
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import having
from leaderboard.teams.membership import Move, come_from, free_name, hand_over, move, open_team
from leaderboard.teams.merging import parts
from leaderboard.teams.models import Membership, Regrouping, Team
from leaderboard.teams.queries import crews
from leaderboard.texts import Said, Sentences


class Stays(Said):
    """Why somebody cannot be put back."""

    sentences = {
        "changed": Sentences(_("Has changed teams or left since.")),
        "full": Sentences(_("The team before has no room any more: {name}")),
        "merged": Sentences(_("The team before is a part of another one now: {name}")),
        "keeps_submissions": Sentences(
            _("The team has handed in files, and nobody would be left in it: {name}")
        ),
    }


@dataclass(frozen=True)
class WayBack:
    """One person who was put into a team. `stays`: why they cannot go back, or None.

    `before`: the name of the team before, empty for who took no part; `membership` is None where
    the person has left.
    """

    move: Move
    membership: Membership | None
    before: str
    stays: Stays | None = None

    @property
    def here(self) -> Membership:
        """Of who can go back."""
        assert self.membership is not None
        return self.membership

    @property
    def source(self) -> UUID | None:
        return UUID(self.move.source) if self.move.source else None


@dataclass(frozen=True)
class UndoPlan(Preview):
    """Who goes back and who stays."""

    lines: tuple[WayBack, ...] = ()

    @property
    def going(self) -> list[WayBack]:
        return [line for line in self.lines if line.stays is None]


def undo_regrouping(
    *, regrouping: Regrouping, user: User, seen: str | None = None, at: datetime
) -> UndoPlan:
    """Put back whoever can be put back, once; answers who was, and who stays and why.

    Their teams, captains and days of joining are as before; a team that was gone is there again,
    by another name if somebody took its own. Raises LookFirst with the plan, and Refused.
    """
    with deciding(regrouping.competition, user, at) as decision:
        row = Regrouping.objects.select_related("competition").get(pk=regrouping.pk)
        if row.undone_at is not None:
            raise Refused("already_undone")
        moves = [Move(**one) for one in row.moves]
        lock(Team.objects.filter(pk__in={one for m in moves for one in (m.team, m.source) if one}))
        planned = plan(row)
        if not planned.going:
            raise Refused("nothing_to_undo")
        refuse_unseen(planned, seen)
        names = {line.move.team: line.here.team.name for line in planned.going}
        _put_back(decision, planned.going)
        row.undone_by, row.undone_at = user, at
        row.save(update_fields=["undone_by", "undone_at"])
        said = [f"{line.here.user}: {line.before or '–'}" for line in planned.going]
        event = decision.record("team.people_put_back", row.pk, after={"usernames": said})
        for line in planned.going:
            news = News("put_back", team=names[line.move.team])
            decision.tell([line.here.user], Notification.Kind.TEAM, event.pk, news.kept)
    return planned


def plan(regrouping: Regrouping) -> UndoPlan:
    """Who would go back now, and who would stay and why."""
    moves = [Move(**one) for one in regrouping.moves]
    rows = Membership.objects.filter(
        competition=regrouping.competition, user__in=[one.user for one in moves]
    )
    memberships = {row.user_id: row for row in rows.select_related("user", "team")}
    teams = Team.objects.in_bulk([UUID(one.source) for one in moves if one.source])
    lines = []
    for one in moves:
        here = memberships.get(one.user)
        source = teams.get(UUID(one.source)) if one.source else None
        line = WayBack(one, here, source.name if source else one.source_name)
        if here is None or str(here.team_id) != one.team or here.joined_at != regrouping.at:
            line = replace(line, stays=Stays("changed"))
        elif source is not None and source.merged_into_id is not None:
            line = replace(line, stays=Stays("merged", name=source.name))
        lines.append(line)
    lines = _together(lines, most=regrouping.competition.max_team_size)
    facts = [(line.move, line.before, repr(line.stays)) for line in lines]
    return UndoPlan(digest=digest_of("undo", regrouping.pk, facts), lines=tuple(lines))


def _together(lines: Sequence[WayBack], *, most: int) -> list[WayBack]:
    """Nobody is put back into a full team or out of one whose files would be left alone.

    Who stays for one of the two may be why another has to, so it is asked until nobody else does.
    """
    keys = {UUID(team) for line in lines for team in (line.move.team, line.move.source) if team}
    size = {team: len(crew) for team, crew in crews(keys).items()}
    used = having(Submission, keys)
    found = list(lines)
    while True:
        going = [line for line in found if line.stays is None]
        leaving = Counter(UUID(line.move.team) for line in going)
        coming: Counter[UUID | None] = Counter(line.source for line in going)
        after = {team: size.get(team, 0) - leaving[team] + coming[team] for team in keys}
        left_alone = {team for team in leaving if team in used and not after[team]}
        full = [line for line in going if line.source and after[line.source] > most]
        if not left_alone and not full:
            return found
        for place, line in enumerate(found):
            if line.stays is not None:
                continue
            if UUID(line.move.team) in left_alone:
                stays = Stays("keeps_submissions", name=line.here.team.name)
                found[place] = replace(line, stays=stays)
            elif not left_alone and line is full[-1]:
                found[place] = replace(line, stays=Stays("full", name=line.before))


def _put_back(decision: Deciding, lines: Sequence[WayBack]) -> None:
    """Move them; then each team that was left or entered gets its captain, or goes."""
    teams = Team.objects.in_bulk([line.source for line in lines if line.source])
    touched = {}
    for line in lines:
        here = line.here
        touched[here.team_id] = here.team
        if line.source is None:
            here.delete()
            continue
        if line.source not in teams:
            teams[line.source] = _reopened(decision, line, here.user)
        team = touched[line.source] = teams[line.source]
        move(membership=here, team=team, at=datetime.fromisoformat(line.move.joined_at))
        if line.move.origin and UUID(line.move.origin) in parts(team):
            come_from(membership=here, origin=UUID(line.move.origin))
        if line.move.led and team.captain_id == line.move.heir:
            hand_over(team=team, captain=here.user)
    settle(touched.values())


def _reopened(decision: Deciding, line: WayBack, captain: User) -> Team:
    """The team that went when its last person left it, with the key that the log knows."""
    competition = decision.competition
    name = free_name(competition=competition, wanted=line.before)
    created_at = datetime.fromisoformat(line.move.source_created_at)
    return open_team(
        competition=competition, captain=captain, name=name, at=created_at, key=line.source
    )
