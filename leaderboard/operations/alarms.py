"""Alarms: what of the doctor's faults rings by itself, each said once when it begins and ends.

To the log, to the inbox of administrators (and so to their mail, where they gave an address), and
to ALARM_WEBHOOK. A row of `Alarm` stands as long as one rings, and until ALARM_WEBHOOK has heard
that it is over: two sweepers say it once, and one that was killed says nothing less.
"""

import json
from datetime import datetime, timedelta
from itertools import chain
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.community.deliveries import PORTS
from leaderboard.community.outgoing import post
from leaderboard.inbox import addresses
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.operations import doctor
from leaderboard.operations.doctor import Check
from leaderboard.operations.fault import Fault
from leaderboard.operations.models import Alarm
from leaderboard.texts import say

logger = structlog.get_logger(__name__)

# Check -> the kinds that it can find, and how often it is asked.
RINGING: dict[Check, tuple[tuple[str, ...], timedelta]] = {
    doctor.waiting: (("waiting", "waiting_long"), timedelta(0)),
    doctor.disk: (("disk",), timedelta(0)),
    doctor.failures: (("failures",), timedelta(0)),
    doctor.store: (("store",), timedelta(minutes=1)),
    doctor.backups: (("backup",), timedelta(seconds=30)),
    doctor.certificate: (("certificate",), timedelta(hours=1)),
}
# After each attempt that did not arrive; who is asleep for longer reads the mail.
PAUSES = tuple(timedelta(seconds=each) for each in (5, 30, 120, 600, 2700))


WORDS = {"begins": _("Alarm: {fault}"), "ends": _("Over: {fault}")}


def words(alarm: Alarm, state: str, language: str) -> str:
    """What is said of it, in `ko` or `en`."""
    fault = Fault(alarm.fault, **alarm.values)
    said = fault.whole(language) if state == "begins" else fault.message(language)
    return say(WORDS[state], language, fault=said)


class Alarms:
    """The step of a sweeper that stays: looks at what is due, says what began and what ended.

    It remembers nothing but when it asked last."""

    def __init__(self) -> None:
        self._next_at: dict[Check, datetime] = {}

    def __call__(self, at: datetime) -> int:
        """How many began or ended."""
        known = list(Alarm.objects.all())
        ringing = {alarm.kind: alarm for alarm in known if alarm.ended_at is None}
        changed = 0
        for check, (kinds, every) in RINGING.items():
            if at < self._next_at.get(check, at):
                continue
            self._next_at[check] = at + every
            try:
                # Of several of one kind, as of four places of the store, one rings.
                found = {fault.code: fault for fault in check(at)}
            except OSError:
                continue  # it could not be asked: what rings goes on
            for kind in kinds:
                changed += _settle(kind, found.get(kind), ringing.get(kind), at)
        if known or changed:
            _send(at)
        return changed


def _settle(kind: str, fault: Fault | None, alarm: Alarm | None, at: datetime) -> bool:
    if fault is not None and alarm is None:
        return _begin(kind, fault, at)
    return fault is None and alarm is not None and _end(alarm, at)


def _begin(kind: str, fault: Fault, at: datetime) -> bool:
    first = {"fault": fault.key, "values": fault.values, "began_at": at}
    with transaction.atomic():
        alarm, is_ours = Alarm.objects.get_or_create(kind=kind, ended_at=None, defaults=first)
        if is_ours:
            # What began and ended behind another that nobody could hear is said no more.
            Alarm.objects.filter(kind=kind, ended_at__isnull=False, told_at=None, tries=0).delete()
            _tell(alarm, "begins", at)
            _hasten(at)
            # Before the commit, here and below: said twice rather than never.
            logger.error("alarm_begins", alarm=kind, **fault.values)
    return is_ours


def _end(alarm: Alarm, at: datetime) -> bool:
    with transaction.atomic():
        is_ours = Alarm.objects.filter(pk=alarm.pk, ended_at=None).update(ended_at=at) == 1
        if is_ours:
            _tell(alarm, "ends", at)
            _hasten(at)
            seconds = round((at - alarm.began_at).total_seconds())
            logger.warning("alarm_ends", alarm=alarm.kind, seconds=seconds)
    return is_ours


def _turn() -> timedelta:
    """For so long one try is one sweeper's: longer than it can take."""
    return timedelta(seconds=2 * settings.WEBHOOK_SECONDS)


def _hasten(at: datetime) -> None:
    """News do not wait behind a pause of three quarters of an hour: the chat may be back."""
    soon = at + _turn()
    Alarm.objects.filter(next_at__gt=soon).update(next_at=soon)


def _send(at: datetime) -> None:
    """To ALARM_WEBHOOK, the oldest first; behind one that does not arrive the others wait."""
    if not settings.ALARM_WEBHOOK:
        Alarm.objects.filter(ended_at__isnull=False).delete()
        return
    while (alarm := _first()) is not None and (alarm.next_at is None or at >= alarm.next_at):
        tries = alarm.tries + 1
        is_ours = Alarm.objects.filter(pk=alarm.pk, told_at=alarm.told_at, tries=alarm.tries)
        # A try that its sweeper does not survive was one.
        if not is_ours.update(tries=tries, next_at=at + _turn()):
            return
        answer = post(
            settings.ALARM_WEBHOOK,
            _message(alarm),
            {"Content-Type": "application/json", "User-Agent": "summarization-leaderboard"},
            allowed=settings.WEBHOOK_ALLOWED_HOSTS,
            ports=PORTS,
            seconds=settings.WEBHOOK_SECONDS,
        )
        if not answer.arrived and not answer.is_final and tries <= len(PAUSES):
            Alarm.objects.filter(pk=alarm.pk).update(next_at=at + PAUSES[tries - 1])
            return
        _put_down(alarm, at)
        if not answer.arrived:
            logger.error(
                "alarm_not_sent", alarm=alarm.kind, status=answer.status, failure=answer.failure
            )


ORDER = {kind: place for place, kind in enumerate(chain(*(kinds for kinds, _ in RINGING.values())))}


def _first() -> Alarm | None:
    """The alarm whose beginning or end is what ALARM_WEBHOOK has to hear next."""
    unsaid = Alarm.objects.filter(Q(told_at=None) | Q(ended_at__isnull=False))
    return min(
        unsaid, key=lambda alarm: (_said_next(alarm)[1], ORDER.get(alarm.kind, 0)), default=None
    )


def _said_next(alarm: Alarm) -> tuple[str, datetime]:
    """Its state that nobody heard of, and since when it is in it."""
    if alarm.told_at is None or alarm.ended_at is None:
        return "begins", alarm.began_at
    return "ends", alarm.ended_at


def _put_down(alarm: Alarm, at: datetime) -> None:
    """Keep that this was said, or will never be; of what is over nothing is left to say."""
    row = Alarm.objects.filter(pk=alarm.pk)
    if _said_next(alarm)[0] == "ends":
        row.delete()
    else:
        row.update(told_at=at, tries=0, next_at=None)


def _message(alarm: Alarm) -> bytes:
    """In the words that Slack and Mattermost (text) and Discord read."""
    state, since = _said_next(alarm)
    text = f"[{urlsplit(settings.BASE_URL).netloc}] {words(alarm, state, 'en')}"
    body = {
        "text": text,
        "content": text,
        "alarm": alarm.kind,
        "state": state,
        "began_at": alarm.began_at.isoformat(),
        "at": since.isoformat(),
    }
    return json.dumps(body).encode()


def _tell(alarm: Alarm, state: str, at: datetime) -> None:
    """One notice for begin and end; who has an address is written to now, not in an hour."""
    people = User.objects.filter(is_superuser=True, is_active=True)
    addresses.hasten(people, at=at)
    tell(
        users=people,
        kind=Notification.Kind.ALARM,
        subject=alarm.pk,
        data={language: words(alarm, state, language) for language in ("ko", "en")},
        at=at,
        again=True,
    )
