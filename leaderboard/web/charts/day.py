"""A contest day from midnight to midnight: what was used when, and what is left."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from zoneinfo import ZoneInfo

from leaderboard.competitions.schedule import Day
from leaderboard.submissions.ledger import LedgerLine
from leaderboard.web.charts.shapes import Label, coordinate


@dataclass(frozen=True)
class DayStrip:
    """A contest day from midnight to midnight: what was used when, and what is left."""

    name: str
    width: int
    left: str
    right: str
    span: str
    now_x: str
    now_span: str
    now_text: str
    now_at_end: bool
    hours: tuple[Label, ...]
    used: tuple[str, ...]
    refunded: tuple[str, ...]


def day_strips(
    lines: Sequence[LedgerLine], day: Day, now: datetime, zone: ZoneInfo
) -> tuple[DayStrip, DayStrip]:
    """The day's uses drawn wide, and once more for a phone."""
    return (
        _day_strip("wide", lines, day, now, zone, width=1208, margin=40, every=3),
        _day_strip("narrow", lines, day, now, zone, width=340, margin=18, every=6),
    )


def _day_strip(
    name: str,
    lines: Sequence[LedgerLine],
    day: Day,
    now: datetime,
    zone: ZoneInfo,
    *,
    width: int,
    margin: int,
    every: int,
) -> DayStrip:
    length = day.ends_at - day.starts_at
    hours = ceil(length / timedelta(hours=1))

    def place(at: datetime) -> float:
        share = min(max((at - day.starts_at) / length, 0.0), 1.0)
        return margin + (width - 2 * margin) * share

    refunded_ids = {
        line.submission.id for line in lines if line.kind == "refund" and line.submission
    }
    charges = [line for line in lines if line.kind == "charge"]
    given_back = [c for c in charges if c.submission and c.submission.id in refunded_ids]
    now_x = place(now)
    return DayStrip(
        name=name,
        width=width,
        left=coordinate(margin),
        right=coordinate(width - margin),
        span=coordinate(width - 2 * margin),
        now_x=coordinate(now_x),
        now_span=coordinate(width - margin - now_x),
        now_text=f"{now.astimezone(zone):%H:%M}",
        now_at_end=now_x > width / 2,
        hours=tuple(
            Label(x=coordinate(place(at)), text=_clock(at, day, zone))
            for hour in range(0, hours + 1, every)
            if (at := day.starts_at + timedelta(hours=hour)) <= day.ends_at
        ),
        used=tuple(coordinate(place(c.at) - 4) for c in charges if c not in given_back),
        refunded=tuple(coordinate(place(c.at) - 4) for c in given_back),
    )


def _clock(at: datetime, day: Day, zone: ZoneInfo) -> str:
    """What the clocks show, which on a day of 23 or 25 hours is not the hours since midnight."""
    return "24:00" if at == day.ends_at else f"{at.astimezone(zone):%H:%M}"
