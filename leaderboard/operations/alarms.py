"""Alarms: the faults of some checks, each announced once when it begins and once when it ends.

They go to the log, to the inbox of administrators (and so to their mail, if they gave an address)
and by the outbox to ALARM_WEBHOOK. Each ringing alarm is a row of `Alarm`: two sweepers announce it
once, and a sweeper that is killed loses no announcement.
"""

import json
from datetime import datetime
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.inbox.models import MailAddress, Notification
from leaderboard.inbox.tell import tell
from leaderboard.operations.checks import CHECKS
from leaderboard.operations.fault import Fault
from leaderboard.operations.models import Alarm
from leaderboard.outbox.models import Message
from leaderboard.outbox.outgoing import PORTS, Answer, post
from leaderboard.texts import say

logger = structlog.get_logger(__name__)

WORDS = {"begins": _("Alarm: {fault}"), "ends": _("Over: {fault}")}


def words(fault: Fault, state: str, language: str) -> str:
    """What is said of it, in `ko` or `en`."""
    said = fault.whole(language) if state == "begins" else fault.message(language)
    return say(WORDS[state], language, fault=said)


class Alarms:
    """Step of a sweeper: ask the checks that are due, announce the changes. It remembers when it
    asked."""

    def __init__(self) -> None:
        self._next_at: dict[object, datetime] = {}

    def __call__(self, at: datetime) -> int:
        """Return how many alarms began or ended."""
        ringing = {alarm.kind: alarm for alarm in Alarm.objects.all()}
        changed = 0
        for check in CHECKS:
            if not check.rings or at < self._next_at.get(check.ask, at):
                continue
            self._next_at[check.ask] = at + check.every
            try:
                # Of several of one kind, as of four places of the store, one rings.
                found = {fault.code: fault for fault in check.ask(at)}
            except OSError:
                continue  # it could not be asked: what rings goes on
            for kind in check.rings:
                fault, alarm = found.get(kind), ringing.get(kind)
                if fault is not None and alarm is None:
                    changed += _begin(kind, fault, at)
                elif fault is None and alarm is not None:
                    changed += _end(alarm, at)
        return changed


def _begin(kind: str, fault: Fault, at: datetime) -> bool:
    first = {"fault": fault.key, "values": fault.values, "began_at": at}
    with transaction.atomic():
        alarm, is_ours = Alarm.objects.get_or_create(kind=kind, defaults=first)
        if is_ours:
            _tell(alarm, "begins", at)
            # Before the commit, here and below: said twice rather than never.
            logger.error("alarm_begins", alarm=kind, **fault.values)
    return is_ours


def _end(alarm: Alarm, at: datetime) -> bool:
    with transaction.atomic():
        is_ours = Alarm.objects.filter(pk=alarm.pk).delete()[0] == 1
        if is_ours:
            _tell(alarm, "ends", at)
            seconds = round((at - alarm.began_at).total_seconds())
            logger.warning("alarm_ends", alarm=alarm.kind, seconds=seconds)
    return is_ours


def _tell(alarm: Alarm, state: str, at: datetime) -> None:
    """Write one notice for begin and end, mail it at once, and queue it for ALARM_WEBHOOK."""
    people = User.objects.filter(is_superuser=True, is_active=True)
    # Their next digest comes now, however often they want one.
    MailAddress.objects.filter(user__in=people, next_at__gt=at).update(next_at=at)
    fault = Fault(alarm.fault, **alarm.values)
    tell(
        users=people,
        kind=Notification.Kind.ALARM,
        subject=alarm.pk,
        data={language: words(fault, state, language) for language in ("ko", "en")},
        at=at,
        again=True,
    )
    if settings.ALARM_WEBHOOK:
        # Earlier ones end their pause: the chat may be back.
        waiting = Message.objects.filter(lane=Message.ALARM, state=Message.State.WAITING)
        waiting.filter(next_at__gt=at).update(next_at=at)
        began_at = alarm.began_at.isoformat()
        Message.objects.create(
            lane=Message.ALARM,
            kind=state,
            subject=alarm.pk,
            title=alarm.kind,
            data={"fault": alarm.fault, "values": alarm.values, "began_at": began_at},
            made_at=at,
            next_at=at,
        )


def ring(message: Message, at: datetime) -> Answer:
    """Post it to ALARM_WEBHOOK, in the keys that Slack and Mattermost (text) and Discord read."""
    fault = Fault(message.data["fault"], **message.data["values"])
    text = f"[{urlsplit(settings.BASE_URL).netloc}] {words(fault, message.kind, 'en')}"
    body = {
        "text": text,
        "content": text,
        "alarm": message.title,
        "state": message.kind,
        "began_at": message.data["began_at"],
        "at": message.made_at.isoformat(),
    }
    return post(
        settings.ALARM_WEBHOOK,
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "User-Agent": "summarization-leaderboard"},
        allowed=settings.WEBHOOK_ALLOWED_HOSTS,
        ports=PORTS,
        seconds=settings.WEBHOOK_SECONDS,
    )
