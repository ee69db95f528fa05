"""Moving a contest's dates: announced to all and logged."""

from copy import copy
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing, refuse_all_but_editors
from leaderboard.actions.refusals import Refused
from leaderboard.actions.second_step import Preview, announcing, refuse_unseen
from leaderboard.audit.log import record
from leaderboard.boards.instants import move_freeze
from leaderboard.community.announcements import announce
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import stamp
from leaderboard.teams.queries import participants


@dataclass(frozen=True)
class Dates:
    """The dates of a contest; each belongs to what begins at it."""

    opens_at: datetime
    closes_at: datetime
    reveals_at: datetime
    freezes_at: datetime | None = None
    team_merge_until: datetime | None = None

    @classmethod
    def of(cls, competition: Competition) -> "Dates":
        """The dates as they stand."""
        return cls(**{field.name: getattr(competition, field.name) for field in fields(cls)})


NAMES = {
    "opens_at": ("시작", "opening"),
    "team_merge_until": ("팀 합치기 마감", "end of team merging"),
    "freezes_at": ("순위표 고정", "freeze of the board"),
    "closes_at": ("마감", "close"),
    "reveals_at": ("결과 공개", "reveal"),
}


@dataclass(frozen=True)
class Move:
    """One date before and after; None: it has none."""

    name: str
    before: datetime | None
    after: datetime | None


@dataclass(frozen=True)
class Moves(Preview):
    """What moving dates would do.

    `sooner`: how much earlier the close would be, None if it is not; `without`: how many teams have
    handed in nothing so far.
    """

    moves: tuple[Move, ...] = ()
    sooner: timedelta | None = None
    without: int = 0


def preview(
    *, competition: Competition, user: User, dates: Dates, reason: str = "", at: datetime
) -> Moves | None:
    """What `reschedule` would do; None when no date moves. Raises Refused as it would."""
    refuse_all_but_editors(competition, user)
    before = Dates.of(competition)
    moved = _moved(before, dates)
    if not moved:
        return None
    _check(before, dates, moved, at)
    changed = copy(competition)
    for name in moved:
        setattr(changed, name, getattr(dates, name))
    announced = announcing(
        competition,
        "rescheduled",
        _sentence(changed, moved, reason, language="ko"),
        _sentence(changed, moved, reason, language="en"),
        *_printable(before).items(),
        *_printable(dates).items(),
    )
    sooner = before.closes_at - dates.closes_at
    return Moves(
        digest=announced.digest,
        announced=announced.announced,
        people=announced.people,
        moves=tuple(Move(name, getattr(before, name), getattr(dates, name)) for name in moved),
        sooner=sooner if sooner > timedelta() else None,
        without=participants(competition).filter(submissions=None).count(),
    )


def reschedule(
    *,
    competition: Competition,
    user: User,
    dates: Dates,
    reason: str = "",
    seen: str | None = None,
    at: datetime,
) -> Competition:
    """Set the dates. What has already happened cannot be moved, nor can a date into the past.

    `seen` is the digest of the preview. Raises Refused.
    """
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        before = Dates.of(locked)
        found = preview(competition=locked, user=user, dates=dates, reason=reason, at=at)
        if found is None or found.announced is None:
            return locked
        refuse_unseen(found.digest, seen)
        moved = [move.name for move in found.moves]
        for move in found.moves:
            setattr(locked, move.name, move.after)
        locked.save(update_fields=moved)
        if "freezes_at" in moved:
            move_freeze(competition=locked, previous=before.freezes_at, at=at)
        korean, english = found.announced
        announce(competition=locked, author=user, text=korean, text_en=english, at=at)
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
    if dates.freezes_at and not dates.opens_at < dates.freezes_at <= dates.closes_at:
        raise Refused(
            "freeze_while_open",
            ko="순위표 고정은 시작과 마감 사이여야 합니다.",
            en="The freeze must lie between opening and close.",
            status=422,
        )
    if dates.team_merge_until and dates.team_merge_until > dates.closes_at:
        raise Refused(
            "merges_end_before_closing",
            ko="팀 합치기는 마감 전에 끝나야 합니다.",
            en="Team merging must end before the close.",
            status=422,
        )
    for name in moved:
        korean, english = NAMES[name]
        if name == "closes_at" and before.reveals_at > at:
            past = dates.closes_at <= at  # a closed contest may open again until its reveal
        else:
            both = (getattr(before, name), getattr(dates, name))
            past = any(instant is not None and instant <= at for instant in both)
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
        f"{NAMES[name][0 if korean else 1]} {_said(competition, name, korean=korean)}"
        for name in moved
    ]
    said = ("일정이 바뀌었습니다: " if korean else "The schedule has changed: ") + ", ".join(parts)
    return f"{said}." + (f" {reason.strip()}" if reason.strip() else "")


def _said(competition: Competition, name: str, *, korean: bool) -> str:
    instant = getattr(competition, name)
    if instant is None:
        return "없음" if korean else "none"
    return stamp(instant, competition)


def _printable(dates: Dates) -> dict[str, str | None]:
    return {
        name: value.isoformat() if value is not None else None
        for name, value in asdict(dates).items()
    }
