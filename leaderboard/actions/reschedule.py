"""Moving a contest's dates: announced to all and logged."""

from copy import copy
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.audit.log import record
from leaderboard.community.announcements import announce
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.competitions.schedule import stamp


@dataclass(frozen=True)
class Dates:
    """The dates of a contest; each belongs to what begins at it."""

    opens_at: datetime
    closes_at: datetime
    reveals_at: datetime


NAMES = {
    "opens_at": ("시작", "opening"),
    "closes_at": ("마감", "close"),
    "reveals_at": ("결과 공개", "reveal"),
}


def reschedule(
    *, competition: Competition, user: User, dates: Dates, reason: str = "", at: datetime
) -> Competition:
    """Set the dates. What has already happened cannot be moved, nor can a date into the past.

    Raises Refused.
    """
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        before = Dates(locked.opens_at, locked.closes_at, locked.reveals_at)
        moved = _moved(before, dates)
        if not moved:
            return locked
        _check(before, dates, moved, at)
        for name in moved:
            setattr(locked, name, getattr(dates, name))
        locked.save(update_fields=moved)
        announce(
            competition=locked,
            author=user,
            text=_sentence(locked, moved, reason, language="ko"),
            text_en=_sentence(locked, moved, reason, language="en"),
            at=at,
        )
        record(
            kind="competition.rescheduled",
            actor=user,
            at=at,
            competition=locked.pk,
            subject=locked.pk,
            before=_printable(before),
            after=_printable(dates),
            reason=reason,
        )
    return locked


def preview(
    *, competition: Competition, user: User, dates: Dates, reason: str = "", at: datetime
) -> tuple[str, str] | None:
    """What `reschedule` would announce in Korean and English; None when no date moves.

    Raises Refused, as `reschedule` would.
    """
    if not may_edit(user, competition):
        raise not_an_editor()
    before = Dates(competition.opens_at, competition.closes_at, competition.reveals_at)
    moved = _moved(before, dates)
    if not moved:
        return None
    _check(before, dates, moved, at)
    changed = copy(competition)
    for name in moved:
        setattr(changed, name, getattr(dates, name))
    return (
        _sentence(changed, moved, reason, language="ko"),
        _sentence(changed, moved, reason, language="en"),
    )


def _moved(before: Dates, after: Dates) -> list[str]:
    return [name for name in NAMES if getattr(before, name) != getattr(after, name)]


def _check(before: Dates, dates: Dates, moved: list[str], at: datetime) -> None:
    if not dates.opens_at < dates.closes_at <= dates.reveals_at:
        raise Refused(
            "dates_in_order",
            ko="시작, 마감, 결과 공개 순서여야 합니다.",
            en="The dates must come in order: opening, close, reveal.",
            status=422,
        )
    for name in moved:
        korean, english = NAMES[name]
        if name == "closes_at" and before.reveals_at > at:
            past = dates.closes_at <= at  # a closed contest may open again until its reveal
        else:
            past = getattr(before, name) <= at or getattr(dates, name) <= at
        if past:
            raise Refused(
                "date_in_the_past",
                ko=f"지난 시각은 바꿀 수 없습니다: {korean}.",
                en=f"A date that has passed, or would have, cannot be set: {english}.",
                status=422,
            )


def _sentence(competition: Competition, moved: list[str], reason: str, *, language: str) -> str:
    korean = language == "ko"
    parts = [
        f"{NAMES[name][0 if korean else 1]} {stamp(getattr(competition, name), competition)}"
        for name in moved
    ]
    said = ("일정이 바뀌었습니다: " if korean else "The schedule has changed: ") + ", ".join(parts)
    return f"{said}." + (f" {reason.strip()}" if reason.strip() else "")


def _printable(dates: Dates) -> dict[str, str]:
    return {name: value.isoformat() for name, value in asdict(dates).items()}
