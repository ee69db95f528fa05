"""Alarms: what of the doctor's faults rings by itself, each said once when it begins and ends.

To the log, to the inbox of administrators (and so to their mail, where they gave an address), and
to ALARM_WEBHOOK. A row of `Alarm` stands as long as one rings: who makes it says that it begins,
who takes it away that it is over, so two sweepers say it once.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.db import transaction
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


@dataclass
class Unsent:
    """What ALARM_WEBHOOK is to hear, and when it is tried next."""

    kind: str
    body: bytes
    next_at: datetime
    attempt: int = 0


class Alarms:
    """The step of a sweeper that stays: looks at what is due, says what began and what ended."""

    def __init__(self) -> None:
        self._next_at: dict[Check, datetime] = {}
        self._unsent: list[Unsent] = []

    def __call__(self, at: datetime) -> int:
        """How many began or ended."""
        ringing = {alarm.kind: alarm for alarm in Alarm.objects.all()}
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
                changed += self._settle(kind, found.get(kind), ringing.get(kind), at)
        self._send(at)
        return changed

    def once(self, at: datetime) -> int:
        """The same for a process that leaves after it: nobody will try again what did not arrive,
        and the log says so."""
        changed = self(at)
        for left in self._unsent:
            logger.error("alarm_not_sent", alarm=left.kind, failure="left")
        return changed

    def _settle(self, kind: str, fault: Fault | None, alarm: Alarm | None, at: datetime) -> bool:
        if fault is not None and alarm is None:
            return self._begin(kind, fault, at)
        return fault is None and alarm is not None and self._end(alarm, at)

    def _begin(self, kind: str, fault: Fault, at: datetime) -> bool:
        first = {"fault": fault.key, "values": fault.values, "began_at": at}
        with transaction.atomic():
            alarm, is_ours = Alarm.objects.get_or_create(kind=kind, defaults=first)
            if is_ours:
                _tell(alarm, "begins", at)
        if is_ours:
            logger.error("alarm_begins", alarm=kind, **fault.values)
            self._say(alarm, "begins", at)
        return is_ours

    def _end(self, alarm: Alarm, at: datetime) -> bool:
        with transaction.atomic():
            is_ours = Alarm.objects.filter(pk=alarm.pk).delete()[0] == 1
            if is_ours:
                _tell(alarm, "ends", at)
        if is_ours:
            seconds = round((at - alarm.began_at).total_seconds())
            logger.warning("alarm_ends", alarm=alarm.kind, seconds=seconds)
            self._say(alarm, "ends", at)
        return is_ours

    def _say(self, alarm: Alarm, state: str, at: datetime) -> None:
        """What began and ended while nobody could hear it is said no more, but for the newest."""
        if settings.ALARM_WEBHOOK:
            waiting = [each for each in self._unsent[1:] if each.kind != alarm.kind]
            self._unsent = [*self._unsent[:1], *waiting, _message(alarm, state, at)]
            # News do not wait behind a pause of three quarters of an hour: the chat may be back.
            first = self._unsent[0]
            first.next_at = min(first.next_at, at + PAUSES[0])

    def _send(self, at: datetime) -> None:
        """To ALARM_WEBHOOK, the oldest first; behind one that does not arrive the others wait."""
        while self._unsent and at >= (first := self._unsent[0]).next_at:
            answer = post(
                settings.ALARM_WEBHOOK,
                first.body,
                {"Content-Type": "application/json", "User-Agent": "summarization-leaderboard"},
                allowed=settings.WEBHOOK_ALLOWED_HOSTS,
                ports=PORTS,
                seconds=settings.WEBHOOK_SECONDS,
            )
            if not answer.arrived and not answer.is_final and first.attempt < len(PAUSES):
                first.next_at = at + PAUSES[first.attempt]
                first.attempt += 1
                return
            del self._unsent[0]
            if not answer.arrived:
                logger.error(
                    "alarm_not_sent", alarm=first.kind, status=answer.status, failure=answer.failure
                )


def _message(alarm: Alarm, state: str, at: datetime) -> Unsent:
    """In the words that Slack and Mattermost (text) and Discord read."""
    text = f"[{urlsplit(settings.BASE_URL).netloc}] {words(alarm, state, 'en')}"
    body = {
        "text": text,
        "content": text,
        "alarm": alarm.kind,
        "state": state,
        "began_at": alarm.began_at.isoformat(),
        "at": at.isoformat(),
    }
    return Unsent(alarm.kind, json.dumps(body).encode(), at)


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
