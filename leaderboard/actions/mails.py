"""Mail: an address that somebody wants it at, what a mail says, and sending those that wait."""

import smtplib
import time
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from leaderboard import traces
from leaderboard.accounts.models import User
from leaderboard.accounts.rate_limits import Limit, Use, take
from leaderboard.actions.refusals import Refused, too_many_tries
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition
from leaderboard.inbox import addresses, lines, mails
from leaderboard.inbox.models import Mail, MailAddress, Notification
from leaderboard.teams.queries import visible_to

logger = structlog.get_logger(__name__)

# Who types addresses of others must not be able to flood them from here.
ASKED_BY_PERSON = Limit("mail.person", 5, timedelta(hours=1))
ASKED_FOR_ADDRESS = Limit("mail.address", 3, timedelta(days=1))
BATCH_SECONDS = 30  # below inbox.smtp.CONNECTION_SECONDS
LONGEST_TEXT = 300

# --- Addresses -----------------------------------------------------------------------------------


def ask_for_mail(*, user: User, address: str, at: datetime) -> MailAddress:
    """Mail a link there; until it is followed nothing else is mailed. Raises Refused."""
    if not settings.MAIL_ON:
        raise Refused("no_mail_server")
    uses = Use(ASKED_BY_PERSON, str(user.pk)), Use(ASKED_FOR_ADDRESS, address.casefold())
    if wait := take(*uses, at=at):
        raise too_many_tries(wait)
    with transaction.atomic():
        _lock(user)
        _lock_addresses(user=user)
        return addresses.ask(user=user, address=address, at=at)


def confirm_mail(*, user: User, token: str, at: datetime) -> MailAddress:
    """This address from now on, in place of the one before. Raises Refused."""
    with transaction.atomic():
        _lock(user)
        _lock_addresses(user=user)
        found = addresses.to_confirm(user=user, token=token, at=at)
        if found is None:
            raise Refused("mail_link_unusable")
        addresses.confirm(found, at=at)
        return found


def stop_mail(*, token: str, at: datetime) -> None:
    """What the link in every mail does, for whoever has it. Raises Refused."""
    with transaction.atomic():
        found = addresses.address_of_stop(token)
        if found is None:
            raise Refused("mail_link_unusable")
        _lock_addresses(pk=found.pk)
        addresses.stop(found, at=at)


def remove_mail(*, user: User) -> None:
    with transaction.atomic():
        _lock(user)
        _lock_addresses(user=user)
        addresses.remove(user=user)


def choose_notices(*, user: User, app: Collection[str], mail: Collection[str] | None) -> None:
    """Of which kinds the person is told how."""
    with transaction.atomic():
        _lock(user)
        addresses.write_wishes(user=user, app=app, mail=mail)


def _lock(user: User) -> None:
    """Of two forms of one person at once, the second sees what the first did."""
    if not lock_one(User.objects.filter(pk=user.pk)).is_active:
        raise Refused("account_closed")


def _lock_addresses(**which: object) -> None:
    """With their mails, before any notice: deleting a mail takes it off those that it told of."""
    found = MailAddress.objects.filter(**which)
    lock(Mail.objects.filter(address__in=found), to_delete=True)
    lock(found, to_delete=True)


# --- Sending -------------------------------------------------------------------------------------


def send_due(*, at: datetime) -> int:
    """Make the mails that are due and send those that wait, for BATCH_SECONDS; answers how many.

    Safe to run twice and from two sweepers. A server that does not answer ends the round: then the
    mail is not the reason.
    """
    if not settings.MAIL_ON:
        return 0
    with transaction.atomic():
        lock(mails.old(at), to_delete=True)
        mails.forget_old(at=at)
    mails.collect(at=at)
    number, ends = 0, time.monotonic() + BATCH_SECONDS
    connection = get_connection()
    try:
        while time.monotonic() < ends and (mail := mails.claim(at=at)) is not None:
            if not _send(mail, connection, at):
                break
            number += 1
    finally:
        connection.close()
    return number


def _send(mail: Mail, connection: Any, at: datetime) -> bool:
    """Whether the server is there. What it says of one mail is kept with that."""
    log = logger.bind(mail=str(mail.pk), attempt=mail.attempt)
    try:
        message = written(mail)
        if message is None:
            with transaction.atomic():
                lock(Mail.objects.filter(pk=mail.pk), to_delete=True)
                mails.drop(mail)
            return True
        connection.open()
        connection.send_messages([message])
    except smtplib.SMTPRecipientsRefused as error:
        ((code, _said),) = error.recipients.values()
        _take_no(mail, code, at)
        log.warning("mail_refused", code=code)
    except smtplib.SMTPDataError as error:
        _take_no(mail, error.smtp_code, at)
        log.warning("mail_refused", code=error.smtp_code)
    except (OSError, smtplib.SMTPException) as error:
        mails.later(mail, failure=type(error).__name__, at=at)
        log.warning("mail_server_failed", error=type(error).__name__)
        return False
    except Exception as error:  # of ours, about this mail: the others do not wait for it
        mails.later(mail, failure=type(error).__name__, at=at)
        log.error("mail_not_written", **traces.of(error))
    else:
        mails.sent(mail, at=at)
    return True


def _take_no(mail: Mail, code: int, at: datetime) -> None:
    if code >= 500:
        mails.refused(mail, code=code, at=at)
    else:
        mails.later(mail, failure=str(code), at=at)


# --- What a mail says ----------------------------------------------------------------------------


def written(mail: Mail) -> EmailMessage | None:
    """The mail in the language of its reader; None when there is nothing left to tell.

    Its headers hold nothing that a participant wrote.
    """
    with override(mail.address.user.language):
        text = _confirmation(mail) if mail.kind == Mail.Kind.CONFIRM else _digest(mail)
        if text is None:
            return None
        if mail.kind == Mail.Kind.CONFIRM:
            subject = _("Confirm your mail address")
        else:
            subject = _("What is new for you: {n}").format(n=mail.number)
        subject = f"{_('Summary contests')} · {subject}"
    stop = _link("mail_stop", token=addresses.stop_token(mail.address))
    headers = {
        "Message-ID": f"<{mail.pk}@{urlsplit(settings.BASE_URL).hostname}>",
        "Auto-Submitted": "auto-generated",
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return EmailMessage(subject, text, to=[mail.address.address], headers=headers)


def _link(page: str, **query: str) -> str:
    asked = f"?{urlencode(query)}" if query else ""
    return f"{settings.BASE_URL}{reverse(page)}{asked}"


def _confirmation(mail: Mail) -> str:
    said = _(
        "The account {username} wants to get its notices at this address. If that is you, open "
        "this link within 24 hours, signed in as {username}:"
    ).format(username=plain(mail.address.user.username, links=False))
    link = _link("mail_confirm", token=addresses.token_of(mail.pk))
    other = _("If it is not you, do nothing: nothing else will be mailed here.")
    return f"{said}\n\n{link}\n\n{other}\n"


def _digest(mail: Mail) -> str | None:
    found = Notification.objects.in_bulk([UUID(key) for key in mail.notices])
    notices = [found[key] for each in mail.notices if (key := UUID(each)) in found]
    if not notices:
        return None
    parts = list(_parts(mail.address.user, notices))
    if mail.number > len(mail.notices):
        parts.append(_("And {n} more.").format(n=mail.number - len(mail.notices)))
    parts.append(_("All of them:") + f" {_link('inbox')}")
    parts.append(_("What you are told and how:") + f" {_link('notices')}")
    stop = _link("mail_stop", token=addresses.stop_token(mail.address))
    parts.append(_("No mail any more:") + f" {stop}")
    return "\n\n".join(parts) + "\n"


def _parts(user: User, notices: list[Notification]) -> Iterator[str]:
    """A paragraph for each line of the inbox, under the name of its contest."""
    by_key = {notice.pk: notice for notice in notices}
    rows = [
        lines.Row(one.pk, one.kind, one.competition, one.created_at, one.read_at) for one in notices
    ]
    contests: dict[UUID, Competition] = visible_to(user).in_bulk(
        {one.competition for one in notices if one.competition}
    )
    for line in lines.grouped(rows, timezone.get_current_timezone()):
        notice = by_key[line.newest.pk]
        contest = contests.get(notice.competition) if notice.competition else None
        title = contest.title_in(user.language) if contest else notice.competition_slug
        head = f"[{plain(title)}] {lines.heading(notice)}" if title else lines.heading(notice)
        if len(line.rows) > 1:
            yield f"{head} ({len(line.rows)})"
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
