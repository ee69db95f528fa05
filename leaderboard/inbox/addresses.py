"""Where a person wants mail, and of what: asked for, confirmed by a link, stopped by another."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.core import signing
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from leaderboard.accounts.models import User
from leaderboard.accounts.passwords import digest
from leaderboard.inbox.models import NOT_MAILED, Mail, MailAddress, Notification, Preference

LIFETIME = timedelta(hours=24)
PAUSES = {MailAddress.Every.HOUR: timedelta(hours=1), MailAddress.Every.DAY: timedelta(days=1)}
_SALT = "leaderboard.inbox.stop"


def ask(*, user: User, address: str, at: datetime) -> MailAddress:
    """An address with the mail that brings its link. One that was never confirmed is forgotten.

    The person's row is locked.
    """
    MailAddress.objects.filter(user=user, confirmed_at=None).delete()
    mail = uuid4()
    made = MailAddress.objects.create(
        user=user,
        address=address,
        asked_at=at,
        token_sha256=digest(token_of(mail)),
        expires_at=at + LIFETIME,
        next_at=at,
    )
    Mail.objects.create(id=mail, address=made, kind=Mail.Kind.CONFIRM, made_at=at, next_at=at)
    return made


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
    every = before.values_list("every", flat=True).first()
    before.delete()
    address.confirmed_at, address.every = at, every or address.every
    address.stopped_at = None
    address.save(update_fields=["confirmed_at", "every", "stopped_at"])


def of_person(user: User) -> tuple[MailAddress | None, MailAddress | None]:
    """The confirmed address, and the one whose link is yet to be followed."""
    rows = list(MailAddress.objects.filter(user=user))
    confirmed = next((row for row in rows if row.confirmed_at), None)
    return confirmed, next((row for row in rows if not row.confirmed_at), None)


def remove(*, user: User) -> None:
    """Forget the person's addresses and whatever waits for them."""
    MailAddress.objects.filter(user=user).delete()
    Notification.objects.filter(user=user, to_mail=True).update(to_mail=False)


def stop(address: MailAddress, *, at: datetime) -> None:
    """No digest goes there any more, nor one that waits. Twice is once."""
    Mail.objects.filter(address=address, kind=Mail.Kind.DIGEST, state=Mail.State.WAITING).delete()
    MailAddress.objects.filter(pk=address.pk, stopped_at=None).update(stopped_at=at)
    Notification.objects.filter(user=address.user_id, to_mail=True).update(to_mail=False)


def start(*, user: User) -> None:
    MailAddress.objects.filter(user=user).exclude(confirmed_at=None).update(stopped_at=None)


def write_every(*, user: User, every: str) -> None:
    """How often a digest may come."""
    MailAddress.objects.filter(user=user).exclude(confirmed_at=None).update(every=every)


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


def last_mail(address: MailAddress) -> Mail | None:
    """What was made for this address last, to say how it went."""
    return Mail.objects.filter(address=address).first()


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
