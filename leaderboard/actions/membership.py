"""Who is in a team, decided by its members: leaving, removing somebody, handing it over."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import DecidingOnTeam, Preview, digest_of, refuse_unseen
from leaderboard.actions.submissions import locked_own_team
from leaderboard.actions.teams import name_for_all, refuse_fixed
from leaderboard.audit.log import KINDS
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import as_news
from leaderboard.refusals import Forbidden, Refused, Unknown
from leaderboard.submissions import ledger
from leaderboard.submissions.ledger import allowance
from leaderboard.teams import membership
from leaderboard.teams.membership import free_name, move, open_team, people
from leaderboard.teams.models import Membership, Team

KINDS |= {
    "team.left": _("Left their team"),
    "team.member_removed": _("Removed a member from their team"),
    "team.handed_over": _("Made another member captain"),
}

not_captain = partial(
    Forbidden, "not_captain", _("Only the captain of the team can do this."), _("Ask your captain.")
)
teams_fixed = partial(
    Forbidden,
    "teams_fixed",
    _("The last day to change teams has passed."),
    _("The schedule shows the date."),
)


@contextmanager
def deciding_in_team(
    team: Team, user: User, at: datetime, *, captain: bool = False
) -> Iterator[DecidingOnTeam]:
    """A transaction in which the contest's and the team's rows are locked, and this person is in
    the team, or with `captain` leads it.

    Nothing about who is in a team is decided from the close on, nor in a disqualified team. Raises
    Refused.
    """
    with transaction.atomic():
        competition = lock_one(Competition.objects.filter(pk=team.competition_id))
        own = locked_own_team(team.pk, user)
        if captain and own.captain_id != user.pk:
            raise not_captain()
        refuse_fixed(own, competition, at)
        yield DecidingOnTeam(competition, user, at, own)


@dataclass(frozen=True)
class Parting(Preview):
    """What becomes of a team: who goes, with how many used attempts, and who leads it then.

    Nobody goes where it is only handed over; `captain` is empty where the same one leads on.
    """

    goes: str = ""
    captain: str = ""
    today: int = 0
    total: int = 0


def _parting(decision: DecidingOnTeam, *, goes: str = "", captain: str = "") -> Parting:
    """What would be decided, as whoever decides it sees it before."""
    used = allowance(decision.team, decision.competition, decision.at) if goes else None
    carried = (used.used_today, used.total_used) if used else (0, 0)
    facts = goes, captain, *carried
    return Parting(digest_of("parting", decision.team.pk, *facts), None, 0, *facts)


def leave(
    *, team: Team, user: User, captain: str = "", seen: str | None = None, at: datetime
) -> Team:
    """The team of one that the person is in from now on. Raises Refused, and LookFirst unless
    `seen` is what this would do.

    Files, scores and finals stay with the team; its charges are carried into the new one's ledger,
    so that leaving buys no attempt. Of a captain, the member named `captain` takes over, else the
    one who came first.
    """
    with deciding_in_team(team, user, at) as decision:
        leaver = decision.team.memberships.select_related("user", "competition").get(user=user)
        after = {"username": user.username}
        leads = decision.team.captain_id == user.pk
        heir = _heir(decision.team, user, captain) if leads else None
        follows = heir.username if heir else ""
        refuse_unseen(_parting(decision, goes=user.username, captain=follows), seen)
        if heir is not None:
            membership.hand_over(team=decision.team, captain=heir)
            after["captain"] = heir.username
        new = _part(decision, leaver)
        after["team"] = str(new.pk)
        rule_among(decision, "team.left", as_news("left", username=user.username), after=after)
        return new


def _heir(team: Team, user: User, username: str) -> User:
    if username:
        return member_of(team, username, besides=user).user
    first = membership.successor(team, of=user)
    if first is None:
        raise Refused(
            "team_of_one",
            _("You are alone in your team, so you cannot leave it."),
            _("To join another team, accept its captain's invitation."),
        )
    return first.user


def member_of(team: Team, username: str, *, besides: User | None = None) -> Membership:
    """The membership of this person in the team. Raises Refused if there is none."""
    rows = team.memberships.select_related("user", "competition").filter(user__username=username)
    found = rows.exclude(user=besides).first()
    if found is None:
        raise Unknown("unknown_person", _("There is no other member with that name."))
    return found


def _part(decision: DecidingOnTeam, leaver: Membership) -> Team:
    """Put the person into a new team of one, whose ledger begins with what they had used."""
    competition, at = decision.competition, decision.at
    name = free_name(competition=competition, wanted=name_for_all(leaver.user.username))
    new = open_team(competition=competition, captain=leaver.user, name=name, at=at)
    move(membership=leaver, team=new, at=at)
    ledger.carry(before=decision.team, to=new, at=at)
    return new


def remove_member(
    *, team: Team, user: User, username: str, seen: str | None = None, at: datetime
) -> Team:
    """The team of one that the removed person is in from now on, as if they had left. By the
    captain. Raises Refused, and LookFirst unless `seen` is what this would do."""
    with deciding_in_team(team, user, at, captain=True) as decision:
        removed = member_of(decision.team, username, besides=user)
        refuse_unseen(_parting(decision, goes=username), seen)
        new = _part(decision, removed)
        after = {"username": username, "team": str(new.pk)}
        news = as_news("removed", username=username)
        rule_among(decision, "team.member_removed", news, after=after)
        decision.tell(
            [removed.user],
            Notification.Kind.TEAM,
            new.pk,
            as_news("you_removed", team=decision.team.name),
        )
        return new


def hand_over(
    *, team: Team, user: User, username: str, seen: str | None = None, at: datetime
) -> None:
    """Let another member lead the team. By the captain. Raises Refused, and LookFirst unless
    `seen` is what this would do."""
    with deciding_in_team(team, user, at, captain=True) as decision:
        heir = member_of(decision.team, username, besides=user)
        refuse_unseen(_parting(decision, captain=username), seen)
        membership.hand_over(team=decision.team, captain=heir.user)
        replaced = {"captain": user.username}, {"captain": username}
        news = as_news("new_captain", username=username)
        rule_among(decision, "team.handed_over", news, before=replaced[0], after=replaced[1])


def rule_among(
    decision: DecidingOnTeam,
    kind: str,
    news: dict[str, object],
    *,
    before: Mapping[str, str] | None = None,
    after: Mapping[str, str],
) -> None:
    """Log what a member decided and tell the others in the team."""
    event = decision.record(kind, decision.team.pk, before=before, after=after)
    others = [person for person in people(decision.team) if person.pk != decision.user.pk]
    decision.tell(others, Notification.Kind.TEAM, event.pk, news)
