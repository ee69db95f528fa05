"""Two teams become one when both captains agree, and two again when an organizer says so.

The team that asks stays, with its name and captain; the one that agrees becomes a part of it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction

from leaderboard.accounts.models import User
from leaderboard.accounts.names import tidy
from leaderboard.accounts.rate_limits import Limit, Use, take
from leaderboard.accounts.skeletons import skeleton
from leaderboard.actions.decisions import (
    Deciding,
    deciding,
    reason_within,
    refuse_ended,
    refuse_unseen,
)
from leaderboard.actions.refusals import Refused, too_many_tries
from leaderboard.actions.union import Union, union_of
from leaderboard.audit.log import about
from leaderboard.boards.standings import place_everywhere
from leaderboard.community.announcements import share
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import Clock, lets_teams_grow, when_decided
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import News
from leaderboard.submissions import merging as files
from leaderboard.submissions.intake import choose, chosen
from leaderboard.submissions.models import Submission
from leaderboard.teams import merging
from leaderboard.teams.membership import people
from leaderboard.teams.models import Merge, Team
from leaderboard.teams.queries import participants

State = Merge.State
REASON_LENGTH = 300
ASKING = Limit("asking_to_merge", 30, timedelta(hours=1))


@dataclass(frozen=True)
class _Two(Deciding):
    """A decision about two teams of a contest. All three rows are locked."""

    survivor: Team
    absorbed: Team

    def both(self) -> list[User]:
        return [*people(self.survivor), *people(self.absorbed)]

    def rule(
        self,
        kind: str,
        news: News,
        told: list[User],
        *,
        before: dict[str, object] | None = None,
        after: dict[str, object] | None = None,
        reason: str = "",
    ) -> None:
        """Log it with both teams, and tell these people, but not who decided it."""
        teams = {"team": str(self.survivor.pk), "other_team": str(self.absorbed.pk)}
        event = self.record(
            kind, self.survivor.pk, before=before, after={**teams, **(after or {})}, reason=reason
        )
        others = [person for person in told if person.pk != self.user.pk]
        data = {**news.kept, **({"reason": reason} if reason else {})}
        self.tell(others, Notification.Kind.MERGED, event.pk, data)


def _locked_two(decision: Deciding, survivor: UUID, absorbed: UUID) -> _Two:
    """Both teams, locked by id under the contest's lock. Raises Refused if one is gone."""
    rows = Team.objects.filter(competition=decision.competition, pk__in=(survivor, absorbed))
    teams = {team.pk: team for team in lock(rows)}
    if len(teams) < 2:
        raise Refused("unknown_team")
    for team in teams.values():
        team.competition = decision.competition
    found = decision.competition, decision.user, decision.at
    return _Two(*found, teams[survivor], teams[absorbed])


@contextmanager
def _deciding(
    competition: UUID, user: User, at: datetime, now: Clock | None = None
) -> Iterator[Deciding]:
    with transaction.atomic():
        locked = lock_one(Competition.objects.filter(pk=competition))
        refuse_ended(locked)
        yield Deciding(locked, user, when_decided(locked, at, now))


def _refuse_all_but_captain(team: Team, user: User) -> None:
    if not team.memberships.filter(user=user).exists():
        raise Refused("not_a_member")
    if team.captain_id != user.pk:
        raise Refused("not_captain")


def _agreed(two: _Two) -> Union:
    """What they would be as one. Raises Refused if they may not become one."""
    if not lets_teams_grow(two.competition, two.at):
        raise Refused("teams_fixed")
    for team in (two.survivor, two.absorbed):
        if team.disqualified_at is not None:
            raise Refused("disqualified.merge", team=team.name)
        if team.merged_into_id is not None or team.captain_id is None:
            raise Refused("merge_gone")
    found = union_of(two.survivor, two.absorbed, two.at)
    if found.refusal is not None:
        raise found.refusal
    return found


def ask_to_merge(
    *, team: Team, user: User, name: str, seen: str | None = None, at: datetime
) -> Merge:
    """Ask the team of this name to become a part of `team`. By the captain. Raises Refused.

    Refused at once, with the arithmetic, if the two together would exceed a limit. Raises LookFirst
    unless `seen` is the arithmetic as it is. Looking counts as asking, against who only looks.
    """
    if wait := take(Use(ASKING, str(user.pk)), at=at):
        raise too_many_tries(wait)
    with _deciding(team.competition_id, user, at) as decision:
        wanted = participants(decision.competition).filter(skeleton=skeleton(tidy(name)))
        other = wanted.values_list("pk", flat=True).first()
        if other is None:
            raise Refused("unknown_team")
        if other == team.pk:
            raise Refused("merge_self")
        two = _locked_two(decision, team.pk, other)
        _refuse_all_but_captain(two.survivor, user)
        refuse_unseen(_agreed(two), seen)
        try:
            with transaction.atomic():
                merge = merging.ask(survivor=two.survivor, absorbed=two.absorbed, user=user, at=at)
        except IntegrityError:
            raise Refused("merge_asked") from None
        news = News("merge_asked", team=two.survivor.name)
        two.rule("team.merge_asked", news, people(two.absorbed))
    return merge


@contextmanager
def _answering(merge: Merge, user: User, at: datetime, now: Clock | None = None) -> Iterator[_Two]:
    """A decision about a question that is still open. Raises Refused if it is not."""
    with _deciding(merge.competition_id, user, at, now) as decision:
        # The contest's lock orders all that is done with its questions.
        if not Merge.objects.filter(pk=merge.pk, state=State.ASKED).exists():  # nor went its team
            raise Refused("merge_gone")
        yield _locked_two(decision, merge.survivor_id, merge.absorbed_id)


def decline_merge(*, merge: Merge, user: User, at: datetime) -> None:
    """Stay two. By the captain who was asked. Raises Refused."""
    with _answering(merge, user, at) as two:
        _refuse_all_but_captain(two.absorbed, user)
        merging.answer(merge=merge, state=State.DECLINED, user=user, at=at)
        news = News("merge_declined", team=two.absorbed.name)
        two.rule("team.merge_declined", news, people(two.survivor))


def withdraw_merge(*, merge: Merge, user: User, at: datetime) -> None:
    """Take the question back. By the captain of the team that asked. Raises Refused."""
    with _answering(merge, user, at) as two:
        _refuse_all_but_captain(two.survivor, user)
        merging.answer(merge=merge, state=State.WITHDRAWN, user=user, at=at)
        news = News("merge_withdrawn", team=two.survivor.name)
        two.rule("team.merge_withdrawn", news, people(two.absorbed))


def accept_merge(
    *,
    merge: Merge,
    user: User,
    seen: str | None = None,
    at: datetime,
    now: Clock | None = None,
) -> Team:
    """The one team that both are now. By the captain who was asked. Raises Refused.

    People, files and ledger lines of the team that was asked go to the one that asked, with what
    they came from; boards say then, of past days too, what one team would have had. Of more than
    two finals none stays chosen. What was announced to either reaches all. Raises LookFirst unless
    `seen` is the arithmetic as it is.
    """
    with _answering(merge, user, at, now) as two:
        _refuse_all_but_captain(two.absorbed, user)
        refuse_unseen(found := _agreed(two), seen)
        survivor, absorbed = two.survivor, two.absorbed
        told = two.both()
        merging.absorb(survivor=survivor, absorbed=absorbed, at=at)
        moved = files.absorb(survivor=survivor, absorbed=absorbed)
        merging.answer(merge=merge, state=State.ACCEPTED, user=user, at=at)
        before: dict[str, object] = {}
        key = "merged"
        if not found.finals.fits:
            before["finals"] = sorted(map(str, chosen(survivor.pk)))
            choose(team=survivor, submissions=[], user=user, at=at)
            key = "merged.finals"
        _end_questions(two)
        _place(two)
        news = News(key, team=absorbed.name, into=survivor.name)
        after: dict[str, object] = {"submissions": moved.submissions}
        two.rule("team.merged", news, told, before=before or None, after=after)
        share(teams=merging.parts(survivor), people=told, at=at)
    return survivor


def _end_questions(two: _Two) -> None:
    """Nobody can answer any more what the team asked or was asked that is none now."""
    for other in merging.open_questions(two.absorbed):
        merging.answer(merge=other, state=State.WITHDRAWN, user=two.user, at=two.at)


def undo_merge(*, merge: Merge, user: User, reason: str, at: datetime) -> Team:
    """The team that is one of its own again. By an editor, with a reason. Raises Refused.

    People, files and ledger lines go back to the team they came from; what came since stays. The
    finals that the merge dropped are chosen again by the team whose they were, unless others of its
    files are by now. Of merges inside one another the last one is undone first.
    """
    reason = reason_within(reason, REASON_LENGTH)
    with deciding(merge.competition, user, at) as decision:
        if not Merge.objects.filter(pk=merge.pk, state=State.ACCEPTED).exists():
            raise Refused("not_merged")
        two = _locked_two(decision, merge.survivor_id, merge.absorbed_id)
        survivor, absorbed = two.survivor, two.absorbed
        if survivor.merged_into is not None:
            raise Refused("merged_since", team=survivor.name, into=survivor.merged_into.name)
        told = people(survivor)
        origins = merging.parts(absorbed)
        moved = files.release(survivor=survivor, absorbed=absorbed, origins=origins)
        merging.release(survivor=survivor, absorbed=absorbed, origins=origins)
        finals = _choose_again(two, merge)
        merging.undo(merge=merge, user=user, reason=reason, at=at)
        _place(two)
        key = "merge_undone.finals" if finals else "merge_undone"
        news = News(key, team=absorbed.name, into=survivor.name)
        after: dict[str, object] = {"submissions": moved.submissions}
        if finals:
            after["finals"] = finals
        two.rule("team.merge_undone", news, told, after=after, reason=reason)
    return absorbed


def _choose_again(two: _Two, merge: Merge) -> list[str]:
    """Which of the finals that this merge dropped count again; the log has kept them."""
    dropped = {
        key
        for event in about(merge.competition_id, merge.survivor_id)
        if event.kind == "team.merged" and event.at == merge.answered_at
        for key in (event.before or {}).get("finals", ())
    }
    back: list[str] = []
    for team in (two.survivor, two.absorbed):
        own = list(Submission.objects.filter(team=team, pk__in=dropped))
        if own and not chosen(team.pk):
            choose(team=team, submissions=own, user=two.user, at=two.at)
            back += [str(one.pk) for one in own]
    return sorted(back)


def _place(two: _Two) -> None:
    for team in (two.survivor, two.absorbed):
        place_everywhere(team=team)
