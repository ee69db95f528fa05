"""Coming into a contest: joining, asking to, being let in, the terms."""

from datetime import datetime

from django.db import IntegrityError
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import Deciding, deciding
from leaderboard.actions.submissions import terms_first
from leaderboard.actions.teams import clean_team_name, name_for_all, name_taken
from leaderboard.audit.log import KINDS
from leaderboard.community.models import Webhook
from leaderboard.community.webhooks import queue
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition, TermsAcceptance
from leaderboard.competitions.registration import code_fits, terms_due, tidy_email
from leaderboard.competitions.roles import is_organizer, owners
from leaderboard.competitions.schedule import lets_join
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import as_news
from leaderboard.inbox.tell import without_unread
from leaderboard.refusals import Forbidden, Refused, Unknown
from leaderboard.teams.membership import answer_request, enter, free_name, open_team, request_of
from leaderboard.teams.models import JoinRequest, Membership, Team
from leaderboard.teams.queries import team_of

KINDS |= {
    "join.requested": _("Asked to join"),
    "join.withdrawn": _("Withdrew the request to join"),
    "join.approved": _("Request to join approved"),
    "join.declined": _("Request to join declined"),
    "team.joined": _("Joined with a new team"),
}


def refuse_latecomers_and_organizers(competition: Competition, user: User, at: datetime) -> None:
    """Raises Refused for a contest that has closed and takes no late files, and for the people who
    run it.

    Inside the transaction that lets the person in, the contest's row locked. Theirs is locked here,
    so that nobody who is just closing the account gets a team after it.
    """
    if not lock(User.objects.filter(pk=user.pk, is_active=True)):
        raise Forbidden("account_closed", _("This account is suspended or closed."))
    if not lets_join(competition, at):
        raise Forbidden(
            "closed",
            _("This competition has closed, so nobody can join."),
            _("The ranks are on the leaderboard. The list shows running competitions."),
        )
    if is_organizer(user, competition):
        raise Forbidden("organizer", _("Organizers of a competition cannot take part in it."))


def check_registration(
    competition: Competition, user: User, *, code: str = "", invited: bool = False, email: str
) -> str:
    """The address that was typed to come in, if one was; to be kept with the membership.

    Who is invited into a team needs no code. Raises Refused unless the contest lets this person
    join by themselves.
    """
    kinds = Competition.Registration
    match competition.registration:
        case kinds.CODE if not (invited or code_fits(competition, code)):
            raise Forbidden(
                "wrong_code",
                _("This is not the competition's code."),
                _("Check the code that the organizer gave you."),
            )
        case kinds.ALLOW_LIST:
            return _typed_address(competition, user, email)
        case kinds.APPROVAL:
            asked = request_of(user, competition)
            if asked is None or not asked.approved:
                raise Forbidden(
                    "approval_needed",
                    _("You can take part once an organizer approves."),
                    _("Ask to join first."),
                )
    return ""


def _typed_address(competition: Competition, user: User, email: str) -> str:
    """The account's own address counts; if it has none, the one typed now counts in this contest.

    An address lets one account in. Nobody verified that a typed one is theirs, so it never becomes
    the account's, which would open private contests.
    """
    address = tidy_email(user.email or email)
    if not address or not competition.allowed_emails.filter(email=address).exists():
        raise Forbidden(
            "not_on_list",
            _("This mail address is not on the list of participants."),
            _("Ask the organizer which address is on the list."),
        )
    having = Q(user__email__iexact=address) | Q(typed_email=address)
    others = Membership.objects.filter(having, competition=competition).exclude(user=user)
    if others.exists():
        raise Refused(
            "address_used",
            _("Another account has already joined with this mail address."),
            _("If that account is not yours, tell the organizer."),
        )
    return "" if user.email else address


def accept_terms_due(
    competition: Competition, user: User, *, number: int | None, at: datetime
) -> None:
    """Keep the agreement to the newest wording. Raises Refused if `number` is not that one."""
    due = terms_due(user, competition)
    if due is None:
        return
    if number != due.number:
        if number is not None:
            raise Refused(
                "terms_changed",
                _("The terms changed while you were reading them."),
                _("Read the new wording and agree again."),
            )
        raise terms_first(version=due.number)
    TermsAcceptance.objects.create(terms=due, user=user, at=at)


def join(
    *,
    user: User,
    competition: Competition,
    team_name: str | None = None,
    code: str = "",
    email: str = "",
    terms: int | None = None,
    at: datetime,
) -> Team:
    """The person's team of one; joining again answers the team they are in. Raises Refused.

    `code` and `email` are for contests that ask for them, `terms` is the number of the wording
    that the person agreed to.
    """
    if (existing := team_of(user, competition)) is not None:
        return existing
    name = None if team_name is None else clean_team_name(team_name)
    try:
        # Locked, so that nobody becomes organizer and participant at the same instant.
        with deciding(competition, user, at, refuse=None) as decision:
            locked = decision.competition
            refuse_latecomers_and_organizers(locked, user, at)
            typed = check_registration(locked, user, code=code, email=email)
            accept_terms_due(locked, user, number=terms, at=at)
            return found_team(user, locked, name, at, typed_email=typed)
    except IntegrityError:
        # Two clicks at once: the other one won. Otherwise the name is taken.
        if (existing := team_of(user, competition)) is not None:
            return existing
        raise name_taken() from None


def found_team(
    user: User, competition: Competition, name: str | None, at: datetime, *, typed_email: str = ""
) -> Team:
    """Make the team of one and log it; without a name it gets the first free one."""
    if name is None:
        name = free_name(competition=competition, wanted=name_for_all(user.username))
    team = open_team(competition=competition, captain=user, name=name, at=at)
    enter(team=team, user=user, at=at, typed_email=typed_email)
    Deciding(competition, user, at).record("team.joined", team.pk, after={"name": name})
    return team


def request_to_join(
    *,
    user: User,
    competition: Competition,
    team_name: str | None = None,
    terms: int | None = None,
    at: datetime,
) -> JoinRequest:
    """The person's question to the organizers; asked again, the first one. Raises Refused."""
    if (asked := request_of(user, competition)) is not None:
        return asked
    name = name_for_all(user.username) if team_name is None else clean_team_name(team_name)
    with deciding(competition, user, at, refuse=None) as decision:
        locked = decision.competition
        refuse_latecomers_and_organizers(locked, user, at)
        if team_of(user, locked) is not None:
            raise Refused("member", _("You already take part in this competition."))
        if locked.registration != Competition.Registration.APPROVAL:
            raise Refused(
                "no_approval_needed",
                _("This competition does not need approval to join."),
                _("Open the join page again."),
            )
        accept_terms_due(locked, user, number=terms, at=at)
        asked, _made = JoinRequest.objects.get_or_create(
            user=user, competition=locked, defaults={"team_name": name, "asked_at": at}
        )
        after = {"username": user.username, "name": name}
        asking = decision.record("join.requested", after=after)
        # One notice however many ask, until it is read: a whole class may ask within a minute.
        people = without_unread(owners(locked.pk), locked.pk, about="asked")
        data = {"about": "asked", **as_news("asked", username=user.username)}
        decision.tell(people, Notification.Kind.ASKED, asking.pk, data)
        queue(Webhook.Event.REQUESTED, competition=locked.pk, at=at)
    return asked


def withdraw_request(*, user: User, competition: Competition, at: datetime) -> None:
    """Delete the person's request while it waits: they may ask again, with another name.

    Once it is decided, or if there is none, nothing changes. Raises Refused.
    """
    with deciding(competition, user, at, refuse=None) as decision:
        waiting = JoinRequest.objects.filter(competition=competition, user=user, approved=None)
        if waiting.delete()[0]:
            decision.record("join.withdrawn", after={"username": user.username})


def decide_request(
    *, request: JoinRequest, user: User, approve: bool, reason: str = "", at: datetime
) -> JoinRequest:
    """Let the person in, with a team of one, or decline; they read it in their inbox.

    Deciding the same again changes nothing. A declined request may still be approved; an approved
    one is a team by then and cannot be declined. Raises Refused.
    """
    with deciding(request.competition, user, at) as decision:
        competition = decision.competition
        locked = JoinRequest.objects.select_related("user").filter(pk=request.pk).first()
        if locked is None:
            raise Unknown(
                "unknown_request",
                _("There is no such request. The person may have closed the account."),
            )
        if locked.approved is approve:
            return locked
        if locked.approved:
            raise Refused(
                "approved",
                _("This person was already approved and takes part."),
                _("Use the page “Teams” instead."),
            )
        if approve and team_of(locked.user, competition) is None:
            refuse_latecomers_and_organizers(competition, locked.user, at)
            # The name was free when they asked; by now somebody else may have it.
            name = free_name(competition=competition, wanted=locked.team_name)
            found_team(locked.user, competition, name, at)
        answer_request(request=locked, approved=approve, by=user, at=at)
        decided = decision.record(
            "join.approved" if approve else "join.declined",
            after={"username": locked.user.username},
            reason=reason.strip(),
        )
        # One notice a decision: who is approved after all reads that too.
        key = "approved" if approve else "declined"
        news = as_news(f"{key}.reason" if decided.reason else key, reason=decided.reason)
        data = {"about": "join", **news}
        decision.tell([locked.user], Notification.Kind.ASKED, decided.pk, data)
    return locked


def accept_terms(*, user: User, competition: Competition, number: int, at: datetime) -> None:
    """Keep who agreed to which number, and when. Raises Refused if a newer wording is there."""
    with deciding(competition, user, at, refuse=None, ended=True) as decision:
        accept_terms_due(decision.competition, user, number=number, at=at)
