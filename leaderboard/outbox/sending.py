"""The one retry loop: send the messages that are due, and retry those that did not arrive.

A message is sent at least once. To send one, a sender claims its row by one conditional update,
with a lease by the database's clock. If a sender is killed, the message that it was sending is sent
again with the same id when the lease is over.
"""

import time
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db.models import F, Max, Model, Q, QuerySet
from django.db.models.functions import Now

from leaderboard import logs
from leaderboard.outbox.models import Message
from leaderboard.outbox.outgoing import Answer

logger = structlog.get_logger(__name__)

State = Message.State
# None: there is nothing left to say.
Send = Callable[[Message, datetime], Answer | None]
# What keeps a connection for one turn of a lane.
Channel = Callable[[], AbstractContextManager[Send]]

# Longer than one message takes: see WEBHOOK_SECONDS and EMAIL_TIMEOUT.
LEASE = timedelta(minutes=2)
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
GIVEN_UP_AFTER = timedelta(days=3)
TURN_SECONDS = 30  # then the lane waits for the next round

_FREE = Q(lease_until=None) | Q(lease_until__lt=Now())


def channel_of(lane: str) -> str:
    """`mail`, `webhook` or `alarm`: what stands before the recipient's key."""
    return lane.partition(":")[0]


def lanes_due(channels: Collection[str], at: datetime) -> list[str]:
    """The lanes of these channels with a message to send, those that were tried least first."""
    rows = _due(at).order_by().values_list("lane").annotate(tried=Max("attempt"))
    found = sorted(rows, key=lambda row: (row[1], row[0]))
    return [lane for lane, _ in found if channel_of(lane) in channels]


def send_due(channels: Mapping[str, Channel], *, at: datetime) -> int:
    """One turn of each lane, those tried least first; answers how many messages arrived."""
    Message.objects.filter(ended_at__lt=at - timedelta(days=settings.MESSAGE_DAYS)).delete()
    lanes = lanes_due(channels, at)
    return sum(take_turn(lane, channels[channel_of(lane)], at=at) for lane in lanes)


def take_turn(lane: str, channel: Channel, *, at: datetime) -> int:
    """Send the lane's due messages, oldest first, until its server fails or time is over; how many
    arrived."""
    ends, arrived = time.monotonic() + TURN_SECONDS, 0
    with channel() as send:
        while time.monotonic() < ends and (message := claim(lane, at=at)) is not None:
            answer = _answer(send, message, at)
            if answer is None:
                Message.objects.filter(pk=message.pk, attempt=message.attempt).delete()
                continue
            settle(message, answer, at=at)
            arrived += answer.arrived
            if not answer.arrived and not answer.server_is_well:
                # However many wait for a server that does not answer: old ones are no news.
                old = Message.objects.filter(_FREE, lane=lane, made_at__lt=at - GIVEN_UP_AFTER)
                old = old.filter(state=State.WAITING)
                old.update(state=State.FAILED, ended_at=at, failure="too_old")
                break
    return arrived


def _answer(send: Send, message: Message, at: datetime) -> Answer | None:
    try:
        return send(message, at)
    except Exception as error:  # of ours, about this message: the others do not wait for it
        logger.error("message_not_written", message_id=str(message.pk), **logs.origin(error))
        return Answer(failure=type(error).__name__, server_is_well=True)


def _due(at: datetime) -> QuerySet[Message]:
    return Message.objects.filter(_FREE, state=State.WAITING, next_at__lte=at)


def claim(lane: str, *, at: datetime) -> Message | None:
    """Claim the message of the lane that has waited longest, or return None.

    An alarm that did not arrive delays the later ones: its end must not arrive before its begin.
    """
    due = _due(at).filter(lane=lane).order_by("made_at", "pk")
    if lane == Message.ALARM:
        waiting = Message.objects.filter(lane=lane, state=State.WAITING).order_by("made_at", "pk")
        due = due.filter(pk__in=waiting.values("pk")[:1])
    while (found := due.first()) is not None:
        mine = _due(at).filter(pk=found.pk, attempt=found.attempt)
        if mine.update(attempt=F("attempt") + 1, lease_until=Now() + LEASE) == 1:
            # As it is now: until this moment the same event was counted into it.
            return Message.objects.get(pk=found.pk)
    return None


def settle(message: Message, answer: Answer, *, at: datetime) -> None:
    """Save the result, if the message still belongs to this sender."""
    mine = Message.objects.filter(pk=message.pk, state=State.WAITING, attempt=message.attempt)
    if answer.arrived:
        mine.update(lease_until=None, state=State.SENT, ended_at=at, failure="")
        return
    said = {"lease_until": None, "failure": answer.code}
    log = logger.bind(message_id=str(message.pk), lane=channel_of(message.lane), why=answer.code)
    if answer.is_final or at - message.made_at >= GIVEN_UP_AFTER:
        mine.update(**said, state=State.FAILED, ended_at=at)
        log.warning("message_given_up", attempt=message.attempt)
        return
    pause = min(FIRST_PAUSE * 2 ** min(message.attempt - 1, 10), LONGEST_PAUSE)
    if answer.retry_after is not None:
        pause = max(pause, min(timedelta(seconds=answer.retry_after), LONGEST_PAUSE))
    mine.update(**said, next_at=at + pause)
    log.info("message_not_sent", attempt=message.attempt)


def last_sent(to: Model | None) -> Message | None:
    """What was made last for this webhook or mail address, to say how it went."""
    return Message.objects.filter(recipient=to.pk).first() if to is not None else None
