"""Where a person wants mail, and of what: asked for, confirmed by a link, stopped by another."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.core import signing
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from leaderboard.accounts.models import User
from leaderboard.accounts.passwords import digest
from leaderboard.inbox.mails import CONFIRM, DIGEST, queue
from leaderboard.inbox.models import NOT_MAILED, MailAddress, Notification, Preference
from leaderboard.outbox.models import Message

LIFETIME = timedelta(hours=24)
_SALT = "leaderboard.inbox.stop"


def ask(*, user: User, address: str, at: datetime) -> MailAddress:
    """An address with the mail that brings its link. One that was never confirmed is forgotten.

    The person's row is locked.
    """
    _forget(MailAddress.objects.filter(user=user, confirmed_at=None))
    mail = uuid4()
    made = MailAddress.objects.create(
        user=user,
        address=address,
        asked_at=at,
        token_sha256=digest(token_of(mail)),
        expires_at=at + LIFETIME,
        next_at=at,
    )
    queue(CONFIRM, made, key=mail, at=at)
    return made


def _forget(rows: QuerySet[MailAddress]) -> None:
    """Remove these addresses, and what was to go there or went."""
    keys = list(rows.values_list("pk", flat=True))
    rows.delete()
    Message.objects.filter(recipient__in=keys).delete()


def token_of(mail: UUID) -> str:
    """What the link in this mail proves with. It is kept nowhere, and the same when sent again."""
    return salted_hmac("leaderboard.inbox.confirm", str(mail), algorithm="sha256").hexdigest()


def to_confirm(*, user: User, token: str, at: datetime) -> MailAddress | None:
    """The person's address whose link this is, if it can still be used at `at`."""
    rows = MailAddress.objects.filter(user=user, confirmed_at=None, expires_at__gt=at)
    return rows.filter(token_sha256=digest(token)).first()


def confirm(address: MailAddress, *, at: datetime) -> None:
    """This one from now on, in place of the one before. The person's row is locked.

    Mail goes there, also if the mail that brought the link was first answered by stopping it.
    """
    before = MailAddress.objects.filter(user=address.user_id).exclude(confirmed_at=None)
    every = before.values_list("every", flat=True).first() or MailAddress.Every.NOW
    _forget(before)
    address.confirmed_at = at
    address.every = MailAddress.Every.NOW if every == MailAddress.Every.NEVER else every
    address.save(update_fields=["confirmed_at", "every"])


def of_person(user: User) -> tuple[MailAddress | None, MailAddress | None]:
    """The confirmed address, and the one whose link is yet to be followed."""
    rows = list(MailAddress.objects.filter(user=user))
    confirmed = next((row for row in rows if row.confirmed_at), None)
    return confirmed, next((row for row in rows if not row.confirmed_at), None)


def remove(*, user: User) -> None:
    """Forget the person's addresses and whatever waits for them."""
    Notification.objects.filter(user=user, to_mail=True).update(to_mail=False)
    _forget(MailAddress.objects.filter(user=user))


def write_every(address: MailAddress, *, every: str, at: datetime) -> None:
    """How often a digest may come there; never: neither one that waits."""
    MailAddress.objects.filter(pk=address.pk).update(every=every, next_at=at)
    if every == MailAddress.Every.NEVER:
        Notification.objects.filter(user=address.user_id, to_mail=True).update(to_mail=False)
        waiting = Message.objects.filter(recipient=address.pk, state=Message.State.WAITING)
        waiting.filter(kind=DIGEST).delete()


def hasten(users: QuerySet[User], *, at: datetime) -> None:
    """Their next digest comes now, however often they want one."""
    MailAddress.objects.filter(user__in=users, next_at__gt=at).update(next_at=at)


def stop_token(address: MailAddress) -> str:
    """For the link that every mail carries. It opens nothing else and has no end."""
    return signing.Signer(salt=_SALT).sign(str(address.pk))


def address_of_stop(token: str) -> MailAddress | None:
    """Whose link that is, if it is ours and the address is still there."""
    try:
        key = UUID(signing.Signer(salt=_SALT).unsign(token))
    except (signing.BadSignature, ValueError):
        return None
    return MailAddress.objects.select_related("user").filter(pk=key).first()


def last_mail(address: MailAddress) -> Message | None:
    """What was made for this address last, to say how it went."""
    return Message.objects.filter(recipient=address.pk).first()


def wishes(user: User) -> dict[str, tuple[bool, bool]]:
    """Of each kind whether it counts as unread, and whether it is mailed."""
    usual = {kind: (True, kind not in NOT_MAILED) for kind in Notification.Kind.values}
    rows = Preference.objects.filter(user=user).values_list("kind", "app", "mail")
    return usual | {kind: (app, mail) for kind, app, mail in rows}


def write_wishes(*, user: User, app: Collection[str], mail: Collection[str] | None) -> None:
    """Keep of which kinds the person is told how; without `mail`, that part stays as it is.

    The person's row is locked.
    """
    for kind, (was_app, was_mail) in wishes(user).items():
        wanted = (kind in app, was_mail if mail is None else kind in mail)
        if wanted != (was_app, was_mail):
            Preference.objects.update_or_create(
                user=user, kind=kind, defaults={"app": wanted[0], "mail": wanted[1]}
            )
