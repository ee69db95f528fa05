"""A person's account: sessions, password links; and roles in running a contest."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from uuid import uuid4

from allauth.usersessions.models import UserSession
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts import passwords, sessions, tokens
from leaderboard.accounts.models import ApiToken, PasswordLink, User
from leaderboard.actions.closing import (
    deciding_on_account,
    inactive,
    is_elsewhere,
    not_an_administrator,
)
from leaderboard.actions.decisions import (
    Preview,
    deciding,
    digest_of,
    refuse_all_but_owners,
    refuse_unseen,
)
from leaderboard.audit.log import KINDS, record
from leaderboard.community.models import Subscription, Thread
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import role_of
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import as_news
from leaderboard.inbox.tell import tell
from leaderboard.refusals import Invalid, Refused, Unknown
from leaderboard.teams.queries import team_of

KINDS |= {
    "organizer.appointed": _("Gave an organizer role"),
    "organizer.dismissed": _("Removed an organizer"),
}

link_unusable = partial(
    Unknown,
    "link_unusable",
    _(
        "This link cannot be used. It was already used, is older than 24 hours, or the password "
        "has changed since."
    ),
    _("Ask the administrator for a new link."),
)


def end_session(*, user: User, pk: int) -> None:
    """End one session of the person's own. Raises Refused."""
    row = UserSession.objects.filter(user=user, pk=pk).first()
    if row is None:
        raise Unknown("unknown_session", _("That session has already ended."))
    row.end()


def end_all_sessions(*, user: User, at: datetime) -> None:
    """End every session and every token of the person."""
    with transaction.atomic():
        sessions.end_all(user=user)
        ended = {"user": user.pk, "tokens": tokens.end_all(user=user)}
        record(kind="account.sessions_ended", actor=user, at=at, after=ended)


def make_token(
    *, user: User, name: str, scope: str, days: int, password: str, at: datetime
) -> tuple[ApiToken, str]:
    """A token for the person's own programs, and its secret. Raises Refused.

    One that runs competitions takes the `password` again and is told to its person: whoever finds
    a signed-in browser must not leave with a year's access.
    """
    organizes = scope == ApiToken.Scope.ORGANIZE
    if organizes and not user.check_password(password):
        raise Invalid("wrong_password", _("The password is incorrect."))
    with transaction.atomic():
        person = lock_one(User.objects.filter(pk=user.pk))  # so that two at once count as two
        if not person.is_active:
            raise inactive()
        if person.password != user.password:  # changed while we waited, which ended all tokens
            raise Invalid("wrong_password", _("The password is incorrect."))
        if person.api_tokens.filter(expires_at__gt=at).count() >= tokens.MOST:
            raise Refused(
                "too_many_tokens",
                _("You have {most} usable tokens, which is the limit."),
                _("Revoke one that you no longer need."),
                most=tokens.MOST,
            )
        token, secret = tokens.make(user=person, name=name[:80], scope=scope, days=days, at=at)
        record(
            kind="account.token_made",
            actor=user,
            at=at,
            after={"user": user.pk, "scope": scope, "days": days},
        )
        if organizes:
            _tell(person, as_news("token_made", name=token.name), at)
    return token, secret


def _tell(person: User, news: dict[str, object], at: datetime) -> None:
    kind = Notification.Kind.ACCOUNT
    tell(users=[person], kind=kind, subject=uuid4(), data=news, at=at)


def end_token(*, user: User, pk: int, at: datetime) -> None:
    """End one of the person's own tokens, used up or not. Raises Refused."""
    with transaction.atomic():
        if not user.api_tokens.filter(pk=pk).delete()[0]:
            raise Unknown("unknown_token", _("This token does not exist."))
        record(kind="account.token_ended", actor=user, at=at, after={"user": user.pk})


def make_password_link(*, user: User, made_by: User | None, at: datetime) -> str:
    """The token of a link for one use; `made_by` None: at the server's command line. Raises
    Refused."""
    people = [user.pk] if made_by is None else [user.pk, made_by.pk]
    with transaction.atomic():
        # As they are now: the password may have changed while one waited, or the right have gone.
        locked = {person.pk: person for person in lock(User.objects.filter(pk__in=people))}
        maker = locked.get(made_by.pk) if made_by is not None else None
        if made_by is not None and not (maker and maker.is_active and maker.is_superuser):
            raise not_an_administrator()
        person = locked.get(user.pk)
        if person is None or not person.is_active:
            raise inactive()
        return _new_link(person, made_by, at)


def make_class_password_link(
    *, competition: Competition, user: User, username: str, at: datetime
) -> str:
    """The same of an account that the contest's class list made, for its organizers."""
    with deciding_on_account(competition, user, username, "class.password_link", at) as person:
        return _new_link(lock_one(User.objects.filter(pk=person.pk)), user, at)


def _new_link(person: User, made_by: User | None, at: datetime) -> str:
    """The token of the person's only link, of which they are told. Their row is locked."""
    _tell(person, as_news("password_link"), at)
    token = secrets.token_urlsafe(32)  # it is nowhere else
    PasswordLink.objects.filter(user=person, used_at=None).delete()
    PasswordLink.objects.create(
        user=person,
        made_by=made_by,
        token_sha256=passwords.digest(token),
        password_hmac=passwords.password_hmac(person),
        made_at=at,
        expires_at=at + passwords.LIFETIME,
    )
    record(kind="account.password_link_made", actor=made_by, at=at, after={"user": person.pk})
    return token


def use_password_link(*, token: str, password: str, at: datetime) -> User:
    """Whose password it now is; every session of that person ends.

    Raises ValidationError for a password that Django's validators refuse, which leaves the link
    usable, and Refused for a link that is used, expired or unknown.
    """
    link = passwords.usable_link(token, at)
    by = link and link.made_by
    # An organizer's is for an account that is in that one contest and nowhere else.
    if link is None or (by and not by.is_superuser and is_elsewhere(link.user)):
        raise link_unusable()
    validate_password(password, link.user)
    encoded = make_password(password)  # slow, so not inside the transaction
    with transaction.atomic():
        lock_one(User.objects.filter(pk=link.user_id))
        # Of two uses at the same time one finds the row unused; the other changes nothing.
        unused = PasswordLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=at)
        used = unused.update(used_at=at) == 1
        same = User.objects.filter(pk=link.user_id, password=link.user.password, is_active=True)
        # Another password ends all sessions.
        if not used or not same.update(password=encoded, must_change_password=False):
            raise link_unusable()
        tokens.end_all(user=link.user)
        record(
            kind="account.password_link_used", actor=link.user, at=at, after={"user": link.user_id}
        )
    return link.user


@dataclass(frozen=True)
class Appointment(Preview):
    """Who would get which role."""

    person: User = field(kw_only=True)
    role: str = field(kw_only=True)


def appoint(
    *,
    competition: Competition,
    user: User,
    username: str,
    role: str,
    seen: str | None = None,
    at: datetime,
) -> None:
    """Make the person of this username owner, editor or assistant. Raises Refused.

    Who takes part cannot help to run the contest, and one owner always remains. The same role
    again changes nothing. Raises LookFirst with the account, which may be somebody else's.
    """
    with deciding(competition, user, at, refuse=refuse_all_but_owners) as decision:
        locked = decision.competition
        people = lock(User.objects.filter(username=username.strip(), is_active=True))
        if not people:
            raise Unknown(
                "unknown_person",
                _("There is no account with that name."),
                _("They must sign up first."),
            )
        [person] = people
        if team_of(person, locked) is not None:
            raise Refused(
                "participant", _("A participant cannot be an organizer of the same competition.")
            )
        before = role_of(person, locked)
        digest = digest_of("appoint", person.pk, before, role)
        found = Appointment(digest, person=person, role=str(Organizer.Role(role).label))
        refuse_unseen(found, seen)
        if before == role:
            return
        _refuse_losing_the_last_owner(locked, person)
        Organizer.objects.update_or_create(competition=locked, user=person, defaults={"role": role})
        decision.record(
            "organizer.appointed",
            before={"role": before},
            after={"role": role, "username": person.username},
        )


def _refuse_losing_the_last_owner(competition: Competition, person: User) -> None:
    """Raises Refused if this person is the only owner. The competition's row is locked."""
    owners = Organizer.objects.filter(competition=competition, role=Organizer.Role.OWNER)
    if [row.user_id for row in owners] == [person.pk]:
        raise Refused(
            "last_owner",
            _("The last owner keeps the role."),
            _("Make somebody else an owner first."),
        )


def dismiss(*, competition: Competition, user: User, username: str, at: datetime) -> None:
    """Let this person run the contest no more; the last owner stays. Raises Refused."""
    with deciding(competition, user, at, refuse=refuse_all_but_owners) as decision:
        locked = decision.competition
        person = User.objects.filter(username=username.strip()).first()
        before = role_of(person, locked) if person else None
        if person is None or before is None:
            raise Unknown("not_an_organizer", _("There is no organizer with that name."))
        _refuse_losing_the_last_owner(locked, person)
        Organizer.objects.filter(competition=locked, user=person).delete()
        asked = Thread.objects.filter(competition=locked, kind=Thread.Kind.INQUIRY)
        others = asked.exclude(author=person)  # of which they hear nothing any more
        Subscription.objects.filter(user=person, thread__in=others).delete()
        decision.record(
            "organizer.dismissed",
            before={"role": before},
            after={"role": None, "username": person.username},
        )
