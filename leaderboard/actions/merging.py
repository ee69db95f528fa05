"""Two teams become one when both captains agree; both see the arithmetic before either does.

The team that asks stays, with its name and captain; the one that agrees becomes a part of it.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.accounts.names import tidy
from leaderboard.accounts.rate_limits import Limit, count
from leaderboard.accounts.skeletons import skeleton
from leaderboard.actions.decisions import (
    Deciding,
    Preview,
    digest_of,
    refuse_unseen,
)
from leaderboard.actions.membership import not_captain, teams_fixed
from leaderboard.actions.submissions import FINALS
from leaderboard.audit.log import KINDS
from leaderboard.boards.standings import place_everywhere
from leaderboard.community.announcements import share
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import Clock, lets_teams_grow, refuse_ended, when_decided
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import as_news
from leaderboard.refusals import Forbidden, Invalid, Refused, Unknown
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import FinalChoice, QuotaEntry, Submission
from leaderboard.submissions.queries import chosen
from leaderboard.teams.invitations import end, end_for_members
from leaderboard.teams.membership import people
from leaderboard.teams.models import Invitation, Membership, Merge, Team
from leaderboard.teams.queries import open_questions, participants, parts

KINDS |= {
    "team.merge_asked": _("Asked another team to merge"),
    "team.merge_declined": _("Declined a merge"),
    "team.merge_withdrawn": _("Withdrew a merge request"),
    "team.merged": _("Merged two teams"),
}

State = Merge.State
ASKING = Limit("asking_to_merge", 30, timedelta(hours=1))

merge_gone = partial(
    Refused,
    "merge_gone",
    _("This request was answered or withdrawn, or one of the teams no longer exists."),
    _("Open the page again."),
)


@dataclass(frozen=True)
class Sum:
    """One line of the arithmetic: of either team, both together, and at most.

    `shared`: how many both have because somebody brought them along; together they count once.
    """

    survivor: int
    absorbed: int
    most: int | None
    shared: int = 0

    @property
    def together(self) -> int:
        return self.survivor + self.absorbed - self.shared

    @property
    def fits(self) -> bool:
        return self.most is None or self.together <= self.most


_NONE = Sum(0, 0, 0)


@dataclass(frozen=True)
class Union(Preview):
    """What two teams would be as one, as both captains see it before either agrees."""

    today: Sum = _NONE
    total: Sum = _NONE
    members: Sum = _NONE
    finals: Sum = _NONE

    @property
    def refusal(self) -> Refused | None:
        """The first limit that they would exceed, with its numbers."""
        if not self.today.fits:
            return Refused(
                "merge_today",
                _(
                    "Together the two teams have used {together} submissions today. "
                    "The limit for one team is {most}."
                ),
                _("Merge after the next midnight in the competition's time zone."),
                together=self.today.together,
                most=self.today.most,
            )
        if not self.total.fits:
            return Refused(
                "merge_total",
                _(
                    "Together the two teams have used {together} submissions. "
                    "The limit for one team is {most}."
                ),
                _("Teams that have used this many submissions cannot merge."),
                together=self.total.together,
                most=self.total.most,
            )
        if not self.members.fits:
            return Refused(
                "merge_people",
                _("Together you would be {together} people. A team can have at most {most}."),
                _("Someone must leave first."),
                together=self.members.together,
                most=self.members.most,
            )
        return None


def union_of(survivor: Team, absorbed: Team, at: datetime) -> Union:
    """What the two would be as one at `at`. Right for a decision only while both are locked."""
    competition = survivor.competition
    ours, theirs = (allowance(team, competition, at) for team in (survivor, absorbed))
    both = allowance(survivor, competition, at, absorbed=absorbed)
    of_today = competition.daily_limit + both.granted_today
    of_total = competition.total_limit
    if of_total is not None:
        of_total += both.granted
    one, two = teams = survivor.pk, absorbed.pk
    members = Membership.objects.filter(team__in=teams)
    heads = Counter(members.values_list("team", flat=True))
    chosen_by = FinalChoice.objects.filter(submission__team__in=teams)
    finals = Counter(chosen_by.values_list("submission__team", flat=True))
    today = ours.used_today, theirs.used_today
    total = ours.total_used, theirs.total_used
    sums = (
        Sum(*today, of_today, sum(today) - both.used_today),
        Sum(*total, of_total, sum(total) - both.total_used),
        Sum(heads[one], heads[two], competition.max_team_size),
        Sum(finals[one], finals[two], FINALS),
    )
    return Union(digest_of("merge", *teams, *sums), None, 0, *sums)


# --- The decisions ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Two(Deciding):
    """A decision about two teams of a contest. All three rows are locked."""

    survivor: Team
    absorbed: Team

    def rule(
        self,
        kind: str,
        news: dict[str, object],
        told: list[User],
        *,
        before: dict[str, object] | None = None,
        **after: object,
    ) -> None:
        """Log it with both teams, and tell these people, but not who decided it."""
        after |= {"team": str(self.survivor.pk), "other_team": str(self.absorbed.pk)}
        event = self.record(kind, self.survivor.pk, before=before, after=after)
        others = [person for person in told if person.pk != self.user.pk]
        self.tell(others, Notification.Kind.MERGED, event.pk, news)


def _locked_two(decision: Deciding, survivor: UUID, absorbed: UUID) -> _Two:
    """Both teams, locked by id under the contest's lock. Raises Refused if one is gone."""
    rows = Team.objects.filter(competition=decision.competition, pk__in=(survivor, absorbed))
    teams = {team.pk: team for team in lock(rows)}
    if len(teams) < 2:
        raise Unknown("unknown_team", _("There is no such team."))
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
        raise Forbidden("not_a_member", _("You are not a member of this team."))
    if team.captain_id != user.pk:
        raise not_captain()


def _agreed(two: _Two) -> Union:
    """What they would be as one. Raises Refused if they may not become one."""
    if not lets_teams_grow(two.competition, two.at):
        raise teams_fixed()
    for team in (two.survivor, two.absorbed):
        if team.disqualified_at is not None:
            raise Forbidden(
                "disqualified",
                _("{team} is disqualified, so it cannot merge."),
                _("If you disagree, tell the organizer."),
                team=team.name,
            )
        if team.merged_into_id is not None or team.captain_id is None:
            raise merge_gone()
    found = union_of(two.survivor, two.absorbed, two.at)
    if found.refusal is not None:
        raise found.refusal
    return found


def ask_to_merge(
    *, team: Team, user: User, name: str, seen: str | None = None, at: datetime
) -> Merge:
    """Ask the team of this name to become a part of `team`. By the captain. Raises Refused, and
    LookFirst unless `seen` is the arithmetic as it is. Looking counts as asking."""
    count(ASKING, user.pk, at)
    with _deciding(team.competition_id, user, at) as decision:
        wanted = participants(decision.competition).filter(skeleton=skeleton(tidy(name)))
        other = wanted.values_list("pk", flat=True).first()
        if other is None:
            raise Unknown("unknown_team", _("There is no such team."))
        if other == team.pk:
            raise Invalid(
                "merge_self",
                _("This is your own team."),
                _("Enter the name of the team to merge with."),
            )
        two = _locked_two(decision, team.pk, other)
        _refuse_all_but_captain(two.survivor, user)
        refuse_unseen(_agreed(two), seen)
        try:
            with transaction.atomic():
                merge = Merge.objects.create(
                    competition=decision.competition,
                    survivor=two.survivor,
                    absorbed=two.absorbed,
                    asked_by=user,
                    asked_at=at,
                )
        except IntegrityError:
            raise Refused(
                "merge_asked",
                _("Your team has already asked that team."),
                _("Wait for the answer, or withdraw the request."),
            ) from None
        news = as_news("merge_asked", team=two.survivor.name)
        two.rule("team.merge_asked", news, people(two.absorbed))
    return merge


@contextmanager
def _answering(merge: Merge, user: User, at: datetime, now: Clock | None = None) -> Iterator[_Two]:
    """A decision about a question that is still open. Raises Refused if it is not."""
    with _deciding(merge.competition_id, user, at, now) as decision:
        # The contest's lock orders all that is done with its questions.
        if not Merge.objects.filter(pk=merge.pk, state=State.ASKED).exists():  # nor went its team
            raise merge_gone()
        yield _locked_two(decision, merge.survivor_id, merge.absorbed_id)


def decline_merge(*, merge: Merge, user: User, at: datetime) -> None:
    """Stay two. By the captain who was asked. Raises Refused."""
    with _answering(merge, user, at) as two:
        _refuse_all_but_captain(two.absorbed, user)
        _answer(two, merge, State.DECLINED)
        news = as_news("merge_declined", team=two.absorbed.name)
        two.rule("team.merge_declined", news, people(two.survivor))


def withdraw_merge(*, merge: Merge, user: User, at: datetime) -> None:
    """Take the question back. By the captain of the team that asked. Raises Refused."""
    with _answering(merge, user, at) as two:
        _refuse_all_but_captain(two.survivor, user)
        _answer(two, merge, State.WITHDRAWN)
        news = as_news("merge_withdrawn", team=two.survivor.name)
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

    People, files and ledger lines of the team that was asked go to the one that asked, for good; of
    more than two finals none stays chosen. Raises LookFirst unless `seen` is the arithmetic.
    """
    with _answering(merge, user, at, now) as two:
        _refuse_all_but_captain(two.absorbed, user)
        refuse_unseen(found := _agreed(two), seen)
        survivor, absorbed = two.survivor, two.absorbed
        told = [*people(survivor), *people(absorbed)]
        moved = _absorb(two)
        _answer(two, merge, State.ACCEPTED)
        before: dict[str, object] | None = None
        key = "merged"
        if not found.finals.fits:
            before = {"finals": sorted(map(str, chosen(survivor.pk)))}
            FinalChoice.objects.filter(submission__team=survivor).delete()
            key = "merged.finals"
        # Nobody can answer any more what the team asked or was asked that is none now.
        for other in open_questions(absorbed):
            _answer(two, other, State.WITHDRAWN)
        for team in (survivor, absorbed):
            place_everywhere(team=team)
        news = as_news(key, team=absorbed.name, into=survivor.name)
        two.rule("team.merged", news, told, before=before, submissions=moved)
        share(teams=parts(survivor), people=told, at=at)
    return survivor


def _absorb(two: _Two) -> int:
    """Let all that one team has be the other's; answers how many files that are.

    A file keeps the team that it came from, whose key a repeated upload has; a line of the ledger
    keeps the team that used it, so that nothing counts twice.
    """
    survivor, absorbed = two.survivor, two.absorbed
    end(Invitation.objects.filter(team=absorbed), two.at)
    Membership.objects.filter(team=absorbed).update(team=survivor)
    end_for_members(survivor, two.at)
    absorbed.merged_into = survivor
    absorbed.save(update_fields=["merged_into"])
    lines = QuotaEntry.objects.filter(team=absorbed)
    lines.filter(origin=None).update(origin=absorbed)
    lines.update(team=survivor)
    return Submission.objects.filter(team=absorbed).update(team=survivor)


def _answer(two: _Two, merge: Merge, state: State) -> None:
    """Write down what became of an open question."""
    merge.state, merge.answered_by, merge.answered_at = state, two.user, two.at
    merge.save(update_fields=["state", "answered_by", "answered_at"])
