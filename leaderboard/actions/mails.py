"""Mail: an address that somebody wants it at, what a mail says, and giving it to a mail server."""

import smtplib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID, uuid4

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from leaderboard.accounts.models import User
from leaderboard.accounts.passwords import digest
from leaderboard.accounts.rate_limits import Limit, Use, take, too_many_tries
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition
from leaderboard.inbox import lines, mails
from leaderboard.inbox.models import MailAddress, Notification
from leaderboard.outbox.models import Message
from leaderboard.outbox.outgoing import Answer
from leaderboard.outbox.sending import Send
from leaderboard.refusals import Forbidden, Refused, Unknown
from leaderboard.teams.queries import visible_to
from leaderboard.texts import in_language

# Who types addresses of others must not be able to flood them from here.
ASKED_BY_PERSON = Limit("mail.person", 5, timedelta(hours=1))
ASKED_FOR_ADDRESS = Limit("mail.address", 3, timedelta(days=1))
LONGEST_TEXT = 300
Every = MailAddress.Every

mail_link_unusable = partial(
    Unknown,
    "mail_link_unusable",
    gettext_lazy(
        "This link cannot be used. It was already used, is older than 24 hours, or belongs to "
        "another account."
    ),
    gettext_lazy("Request a new one under Settings, Notices."),
)


# --- Addresses -----------------------------------------------------------------------------------


def ask_for_mail(*, user: User, address: str, at: datetime) -> MailAddress:
    """Mail a link there; until it is followed nothing else is mailed. Raises Refused."""
    if not settings.MAIL_ON:
        raise Refused("no_mail_server", gettext_lazy("This server sends no mail."))
    uses = Use(ASKED_BY_PERSON, str(user.pk)), Use(ASKED_FOR_ADDRESS, address.casefold())
    if wait := take(*uses, at=at):
        raise too_many_tries(wait)
    with _own_addresses(user) as own:
        _forget(own.filter(confirmed_at=None))
        mail = uuid4()
        made = MailAddress.objects.create(
            user=user,
            address=address,
            asked_at=at,
            token_sha256=digest(mails.token_of(mail)),
            expires_at=at + mails.LIFETIME,
            next_at=at,
        )
        mails.queue(mails.CONFIRM, made, mail, at)
    return made


def confirm_mail(*, user: User, token: str, at: datetime) -> MailAddress:
    """Mail this address from now on, in place of the one before. Raises Refused."""
    with _own_addresses(user) as own:
        found = mails.to_confirm(user=user, token=token, at=at)
        if found is None:
            raise mail_link_unusable()
        before = own.exclude(confirmed_at=None)
        every = before.values_list("every", flat=True).first() or Every.NOW
        _forget(before)
        found.confirmed_at = at
        found.every = Every.NOW if every == Every.NEVER else every
        found.save(update_fields=["confirmed_at", "every"])
    return found


def stop_mail(*, token: str, at: datetime) -> None:
    """What the link in every mail does, for whoever has it. Raises Refused."""
    with transaction.atomic():
        found = mails.address_of_stop(token)
        if found is None:
            raise mail_link_unusable()
        lock(MailAddress.objects.filter(pk=found.pk), to_delete=True)
        _write_every(found, Every.NEVER, at)


def choose_how_often(*, user: User, every: str, at: datetime) -> None:
    """How often the person's notices are mailed."""
    with _own_addresses(user) as own:
        for address in own.exclude(confirmed_at=None):
            _write_every(address, every, at)


def _write_every(address: MailAddress, every: str, at: datetime) -> None:
    """Never: neither a digest that waits."""
    MailAddress.objects.filter(pk=address.pk).update(every=every, next_at=at)
    if every == Every.NEVER:
        Notification.objects.filter(user=address.user_id, to_mail=True).update(to_mail=False)
        waiting = Message.objects.filter(recipient=address.pk, state=Message.State.WAITING)
        waiting.filter(kind=mails.DIGEST).delete()


def remove_mail(*, user: User) -> None:
    """Forget the person's addresses and whatever waits for them."""
    with _own_addresses(user) as own:
        Notification.objects.filter(user=user, to_mail=True).update(to_mail=False)
        _forget(own)


@contextmanager
def _own_addresses(user: User) -> Iterator[QuerySet[MailAddress]]:
    """A transaction: of two forms of one person at once, the second sees what the first did."""
    with transaction.atomic():
        if not lock_one(User.objects.filter(pk=user.pk)).is_active:
            raise Forbidden("account_closed", gettext_lazy("This account is suspended or closed."))
        own = MailAddress.objects.filter(user=user)
        lock(own, to_delete=True)
        yield own


def _forget(rows: QuerySet[MailAddress]) -> None:
    """Remove these addresses, and what was to go there or went."""
    keys = list(rows.values_list("pk", flat=True))
    rows.delete()
    Message.objects.filter(recipient__in=keys).delete()


# --- Sending -------------------------------------------------------------------------------------


@contextmanager
def by_mail() -> Iterator[Send]:
    """One connection for all mails of a turn."""
    connection = get_connection()
    try:
        yield partial(_send, connection)
    finally:
        connection.close()


def _send(connection: Any, message: Message, at: datetime) -> Answer | None:
    """What the server says. One that is away or does not answer ends the turn."""
    assert message.recipient is not None
    address = MailAddress.objects.select_related("user").filter(pk=message.recipient).first()
    mail = address and written(message, address)
    if address is None or mail is None:
        return None
    refused_code, answer = None, Answer(250)
    try:
        connection.open()
        connection.send_messages([mail])
    except smtplib.SMTPRecipientsRefused as error:
        ((refused_code, _said),) = error.recipients.values()
    except smtplib.SMTPDataError as error:
        refused_code = error.smtp_code
    except (OSError, smtplib.SMTPException) as error:
        return Answer(failure=type(error).__name__)
    if refused_code is not None:
        is_final = refused_code >= 500
        answer = Answer(refused_code, is_final=is_final, server_is_well=True)
        if not is_final:
            return answer
    # Later mails are tried: the server may change its mind.
    rows = MailAddress.objects.filter(pk=address.pk).exclude(refused_code=refused_code)
    rows.update(refused_code=refused_code)
    return answer


# --- What a mail says ----------------------------------------------------------------------------


def written(message: Message, address: MailAddress) -> EmailMessage | None:
    """The mail in the language of its reader; None when there is nothing left to tell."""
    with override(address.user.language):
        if message.kind == mails.CONFIRM:
            subject, text = _("Confirm your mail address"), _confirmation(message, address.user)
        elif (digest_text := _digest(message, address)) is not None:
            subject, text = _("New notices: {n}").format(n=message.count), digest_text
        else:
            return None
        subject = f"{_('Summary contests')} · {subject}"
    headers = {
        "Message-ID": f"<{message.pk}@{urlsplit(settings.BASE_URL).hostname}>",
        "Auto-Submitted": "auto-generated",
        "List-Unsubscribe": f"<{_stop_link(address)}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return EmailMessage(subject, text, to=[address.address], headers=headers)


def _stop_link(address: MailAddress) -> str:
    return _link("mail_stop", token=mails.STOP.sign(str(address.pk)))


def _link(page: str, **query: str) -> str:
    asked = f"?{urlencode(query)}" if query else ""
    return f"{settings.BASE_URL}{reverse(page)}{asked}"


def _confirmation(message: Message, user: User) -> str:
    said = _(
        "The account {username} wants to get its notices at this address. If that is you, open "
        "this link within 24 hours, signed in as {username}:"
    ).format(username=plain(user.username, links=False))
    link = _link("mail_confirm", token=mails.token_of(message.pk))
    other = _("If it is not you, do nothing. No other mail will be sent here.")
    return f"{said}\n\n{link}\n\n{other}\n"


def _digest(message: Message, address: MailAddress) -> str | None:
    listed = [UUID(key) for key in message.data["notices"]]
    found = Notification.objects.in_bulk(listed)
    notices = [found[key] for key in listed if key in found]
    if not notices:
        return None
    parts = list(_parts(address.user, notices))
    if message.count > len(listed):
        parts.append(_("And {n} more.").format(n=message.count - len(listed)))
    parts.append(_("See all:") + f" {_link('inbox')}")
    parts.append(_("Notice settings:") + f" {_link('notices')}")
    parts.append(_("Stop mail:") + f" {_stop_link(address)}")
    return "\n\n".join(parts) + "\n"


def _parts(user: User, notices: list[Notification]) -> Iterator[str]:
    """A paragraph for each line of the inbox, under the name of its contest."""
    contests: dict[UUID, Competition] = visible_to(user).in_bulk(
        {one.competition for one in notices if one.competition}
    )
    for line in lines.grouped(notices, timezone.get_current_timezone()):
        notice = line[0]
        contest = contests.get(notice.competition) if notice.competition else None
        title = in_language(contest, "title", user.language) if contest else notice.competition_slug
        head = f"[{plain(title)}] {lines.heading(notice)}" if title else lines.heading(notice)
        if len(line) > 1:
            yield f"{head} ({len(line)})"
            continue
        said = plain(notice.message(user.language), links="news" not in notice.data)
        leads = lines.address(notice, known=contest is not None)
        yield "\n".join(filter(None, [head, said, leads and settings.BASE_URL + leads]))


def plain(text: str, *, links: bool = True) -> str:
    """A text in one line, without what cannot be printed.

    Without `links` for what participants wrote: a mail of ours leads nobody to their addresses.

    >>> plain("two\\r\\nlines\\u202e")
    'two lines'
    """
    line = "".join(one for one in " ".join(text.split()) if one.isprintable())[:LONGEST_TEXT]
    return line if links else line.replace("://", ": //").replace("www.", "www .")
