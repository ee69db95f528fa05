"""Coming into a team of others: inviting, accepting, declining, taking an invitation back."""

from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import IntegrityError
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.accounts.passwords import one_time
from leaderboard.accounts.rate_limits import Limit, count
from leaderboard.actions.decisions import DecidingOnTeam, deciding
from leaderboard.actions.membership import deciding_in_team, rule_among, teams_fixed
from leaderboard.actions.registration import (
    accept_terms_due,
    check_registration,
    refuse_latecomers_and_organizers,
)
from leaderboard.actions.teams import team_disqualified
from leaderboard.audit.log import KINDS
from leaderboard.competitions.locking import lock
from leaderboard.competitions.roles import is_organizer
from leaderboard.competitions.schedule import lets_teams_grow
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import as_news
from leaderboard.inbox.tell import withdraw
from leaderboard.refusals import Refused, Unknown
from leaderboard.submissions.queries import kept
from leaderboard.teams import invitations
from leaderboard.teams.membership import disband, enter, move
from leaderboard.teams.models import Invitation, Membership, Team
from leaderboard.teams.queries import team_of

KINDS |= {
    "team.invited": _("Invited someone to the team"),
    "team.invitation_accepted": _("Joined a team by invitation"),
    "team.invitation_declined": _("Declined an invitation"),
    "team.invitation_revoked": _("Withdrew an invitation"),
}

# Against who invites all day long: names are tried, and inboxes fill.
INVITING = Limit("inviting", 30, timedelta(hours=1))
GOOD_FOR = timedelta(days=7)
MOST_OPEN = 100  # of a team at a time: its page lists them

invitation_unusable = partial(
    Unknown,
    "invitation_unusable",
    _(
        "This invitation cannot be used. It does not exist, was used or withdrawn, or has "
        "expired, or the team no longer accepts members."
    ),
    _("Ask the sender for a new invitation."),
)
unknown_invitation = partial(
    Unknown,
    "unknown_invitation",
    _("There is no such invitation, or it has ended."),
    _("Open the page again."),
)


def invite_by_code(*, team: Team, user: User, at: datetime) -> tuple[Invitation, str]:
    """An invitation for whoever has its code, and the code. By the captain. Raises Refused."""
    count(INVITING, user.pk, at)
    code = one_time()
    with deciding_in_team(team, user, at, captain=True) as decision:
        _refuse_unless_growing(decision)
        made = Invitation.objects.create(
            team=decision.team,
            code_sha256=invitations.hashed(code),
            created_by=user,
            created_at=at,
            expires_at=at + GOOD_FOR,
        )
        decision.record("team.invited", decision.team.pk, after={"by": "code"})
    return made, code


def invite_person(*, team: Team, user: User, username: str, at: datetime) -> bool:
    """Ask the person of this username, who reads it in the inbox. By the captain. Raises Refused.

    False for who is in a team that nobody can simply leave for another one: for them it takes a
    merge. Who declined is not asked again.
    """
    count(INVITING, user.pk, at)
    try:
        with deciding_in_team(team, user, at, captain=True) as decision:
            _refuse_unless_growing(decision)
            # Locked: who is just closing the account gets no invitation after it.
            found = lock(User.objects.filter(username=username.strip(), is_active=True))
            if not found or is_organizer(found[0], decision.competition):
                raise Unknown(
                    "unknown_person",
                    _("There is no account with that name."),
                    _("They must sign up first."),
                )
            if decision.team.memberships.filter(user=found[0]).exists():
                raise Refused("in_team", _("This person is already in your team."))
            # One that ran out unanswered makes room for another one.
            before = Invitation.objects.filter(team=decision.team, invitee=found[0])
            before.filter(declined_at=None, revoked_at=None, expires_at__lte=at).update(
                revoked_at=at
            )
            made = Invitation.objects.create(
                team=decision.team,
                invitee=found[0],
                created_by=user,
                created_at=at,
                expires_at=at + GOOD_FOR,
                max_uses=1,
            )
            after = {"username": found[0].username}
            decision.record("team.invited", decision.team.pk, after=after)
            news = as_news("invited", username=user.username, team=decision.team.name)
            about = {"about": "invitation", **news}
            decision.tell(found, Notification.Kind.INVITED, made.pk, about)
            own = team_of(found[0], decision.competition)
            return own is None or not held_by(own)
    except IntegrityError:
        raise Refused(
            "invited_already",
            _("This person was already invited."),
            _(
                "Wait for the answer. A person who declined can still "
                "join through an invitation link."
            ),
        ) from None


def _refuse_unless_growing(decision: DecidingOnTeam) -> None:
    """Raises Refused for a team that nobody could enter."""
    if not lets_teams_grow(decision.competition, decision.at):
        raise teams_fixed()
    if not invitations.takes_people(decision.team, decision.at):
        raise Refused(
            "team_full",
            _("A team can have at most {most} people."),
            _("Someone must leave first."),
            most=decision.competition.max_team_size,
        )
    if invitations.open_at(decision.at).filter(team=decision.team).count() >= MOST_OPEN:
        raise Refused(
            "too_many_invitations",
            _("A team can have at most {most} open invitations."),
            _("Withdraw one, or wait until one expires."),
            most=MOST_OPEN,
        )


def revoke(*, team: Team, user: User, invitation: UUID, at: datetime) -> None:
    """Let nobody come in by it any more. By the captain. Raises Refused."""
    with deciding_in_team(team, user, at, captain=True) as decision:
        found = invitations.open_at(at).filter(pk=invitation, team=decision.team)
        if not found.update(revoked_at=at):
            raise unknown_invitation()
        decision.record("team.invitation_revoked", decision.team.pk)


def decline(*, invitation: Invitation, user: User, at: datetime) -> None:
    """Say no, for good; the captain is told. By the person it is for. Raises Refused."""
    with deciding(invitation.team.competition, user, at, refuse=None) as decision:
        found = invitations.open_at(at).filter(pk=invitation.pk, invitee=user)
        if not found.update(declined_at=at):
            raise unknown_invitation()
        after = {"username": user.username}
        decision.record("team.invitation_declined", invitation.team_id, after=after)
        news = as_news("declined_invitation", **after)
        captain = invitation.team.captain
        told = [captain] if captain else []
        decision.tell(told, Notification.Kind.TEAM, invitation.pk, news)


def accept(
    *,
    invitation: Invitation,
    user: User,
    email: str = "",
    terms: int | None = None,
    at: datetime,
) -> Team:
    """The team that the person is in now; accepting again answers it. Raises Refused.

    Who is not yet in the contest joins it: the invitation stands for the contest's code, but for no
    list and no approval. A team of one that used nothing goes.
    """
    with deciding(invitation.team.competition, user, at, refuse=None) as own_decision:
        competition = own_decision.competition
        rows = Membership.objects.filter(competition=competition, user=user)
        own = rows.select_related("user", "team").first()
        if own is not None and own.team_id == invitation.team_id:
            return own.team
        ids = [invitation.team_id, *([own.team_id] if own else [])]
        teams = {team.pk: team for team in lock(Team.objects.filter(pk__in=ids))}
        team = teams.get(invitation.team_id)
        is_theirs = invitation.invitee_id in (None, user.pk)
        if team is None or not is_theirs or not invitations.takes_people(team, at):
            raise invitation_unusable()
        found = invitations.open_at(at).filter(pk=invitation.pk)
        if not found.update(uses=F("uses") + 1):
            raise invitation_unusable()
        if own is None:
            refuse_latecomers_and_organizers(competition, user, at)
            typed = check_registration(competition, user, invited=True, email=email)
            accept_terms_due(competition, user, number=terms, at=at)
            enter(team=team, user=user, at=at, typed_email=typed)
        else:
            _move_in(own, teams[own.team_id], team, at)
        decision = DecidingOnTeam(competition, user, at, team)
        after = {"username": user.username}
        rule_among(decision, "team.invitation_accepted", as_news("entered", **after), after=after)
    return team


def held_by(team: Team) -> str:
    """What keeps who is in this team from simply going into another one: `disqualified`, `used`
    (its ledger or files), `others`; empty for who is alone there and used nothing."""
    if team.disqualified_at is not None:
        return "disqualified"
    if kept([team.pk]):
        return "used"
    return "others" if team.memberships.count() > 1 else ""


def _move_in(own: Membership, before: Team, team: Team, at: datetime) -> None:
    if held := held_by(before):
        if held == "disqualified":
            raise team_disqualified()
        raise Refused(
            "in_team",
            _(
                "You are in another team of this competition, and it has used submissions or has "
                "other members."
            ),
            _(
                "Ask both captains to merge the teams. If your team has used no attempts, you can "
                "also leave it first."
            ),
        )
    move(membership=own, team=team, at=at)
    withdraw(subjects=list(before.invitations.values_list("pk", flat=True)))
    disband(team=before)
