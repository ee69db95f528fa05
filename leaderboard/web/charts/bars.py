"""Boxes on an axis: a contest day, its days, how many teams reached which value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from zoneinfo import ZoneInfo

from leaderboard.boards.distribution import Bin, Histogram
from leaderboard.competitions.schedule import Day
from leaderboard.submissions.ledger_lines import LedgerLine


@dataclass(frozen=True)
class Box:
    """One rectangle; `kind` is its class in the style sheet."""

    x: str
    y: str
    width: str
    height: str
    kind: str


@dataclass(frozen=True)
class Label:
    """A short text at (x, y); `anchor` is SVG's text-anchor."""

    x: str
    text: str
    anchor: str = "middle"
    y: str = ""


@dataclass(frozen=True)
class Dot:
    """One circle; `kind` is its class in the style sheet."""

    x: str
    y: str
    radius: str
    kind: str


@dataclass(frozen=True)
class Drawing:
    """What a drawing with an axis has; `name` tells those of one page apart."""

    name: str
    width: int
    height: int
    right: str
    base: str


def coordinate(value: float) -> str:
    """A coordinate with at most one decimal, so that the same data draws the same bytes.

    >>> coordinate(12.0), coordinate(3.14159)
    ('12', '3.1')
    """
    return f"{value:.1f}".removesuffix(".0")


def anchor_at(x: float | None, left: float, right: float) -> str:
    """Which way a label at x grows so that it stays inside the drawing."""
    if x is None:
        return "middle"
    share = (x - left) / (right - left)
    return "start" if share < 0.2 else "end" if share > 0.8 else "middle"


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

    refunded_ids = {line.entry.submission_id for line in lines if line.entry.kind == "refund"}
    charges = [line.entry for line in lines if line.entry.kind == "charge"]
    given_back = [c for c in charges if c.submission_id in refunded_ids]
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


DAYS_SHOWN = 60  # the newest so many days


@dataclass(frozen=True)
class DayBars(Drawing):
    """The bar of today is marked; `top` is the highest bar with its number."""

    left: str
    bars: tuple[Box, ...]
    dates: tuple[Label, ...]
    top: Label


def contest_days(taken: Mapping[date, int], first: date, today: date) -> list[tuple[date, int]]:
    """Every day from the first of the contest to today with its number, at most the newest 60.

    >>> contest_days({date(2026, 11, 17): 2}, date(2026, 11, 16), date(2026, 11, 17))
    [(datetime.date(2026, 11, 16), 0), (datetime.date(2026, 11, 17), 2)]
    """
    first = min([first, *taken])
    count = max((today - first).days + 1, 0)
    days = [first + timedelta(days=place) for place in range(max(count - DAYS_SHOWN, 0), count)]
    return [(day, taken.get(day, 0)) for day in days]


def day_bars(days: Sequence[tuple[date, int]], today: date) -> tuple[DayBars, ...]:
    """The bars drawn wide, and once more for a phone; nothing when nothing came in."""
    if not any(number for _, number in days):
        return ()
    return (
        _bars("wide", days, today, width=1208, every=max(1, len(days) // 10)),
        _bars("narrow", days, today, width=340, every=max(1, len(days) // 4)),
    )


def _bars(
    name: str, days: Sequence[tuple[date, int]], today: date, *, width: int, every: int
) -> DayBars:
    left, right, base, ceiling = 20.0, width - 20.0, 112.0, 20.0
    step = min((right - left) / len(days), 48.0)
    most = max(number for _, number in days)

    def middle(place: int) -> float:
        return left + step * (place + 0.5)

    def rise(number: int) -> float:
        return (base - ceiling) * number / most

    highest = next(place for place, (_, number) in enumerate(days) if number == most)
    return DayBars(
        name=name,
        width=width,
        height=134,
        left=coordinate(left),
        right=coordinate(right),
        base=coordinate(base),
        bars=tuple(
            Box(
                x=coordinate(middle(place) - step * 0.35),
                y=coordinate(base - rise(number)),
                width=coordinate(step * 0.7),
                height=coordinate(rise(number)),
                kind="dme" if day == today else "d",
            )
            for place, (day, number) in enumerate(days)
            if number
        ),
        dates=tuple(
            Label(x=coordinate(middle(place)), text=f"{days[place][0]:%m-%d}")
            for place in range(0, len(days), every)
        ),
        top=Label(x=coordinate(middle(highest)), text=str(most), y=coordinate(ceiling - 6)),
    )


@dataclass(frozen=True)
class HistogramDrawing(Drawing):
    """How many teams reached which value."""

    boxes: tuple[Box, ...]
    labels: tuple[Label, ...]
    label_y: str
    own_x: str | None
    own_top: str
    own_text_x: str
    own_anchor: str
    low: str
    high: str
    bins: tuple[tuple[str, str, int], ...]


def histogram(
    source: Histogram, *, name: str = "card", width: int = 330, height: int = 150
) -> HistogramDrawing | None:
    """A square a team, stacked per bin; one bar a bin where the squares would be too small.

    None when there is nothing to draw.
    """
    if not source.bins:
        return None
    left, right, base, top = 14.0, width - 14.0, height - 26.0, 28.0
    step = (right - left) / len(source.bins)
    tallest = max(one.teams for one in source.bins) or 1
    # Twelve pixels a team, less when the tallest stack would leave the drawing.
    rise = min(12.0, (base - top) / tallest)
    place = next((place for place, one in enumerate(source.bins) if one.has_own), None)
    own_x = None if place is None else left + step * (place + 0.5)
    own_top = base if place is None else base - rise * max(source.bins[place].teams, 1)
    return HistogramDrawing(
        name=name,
        width=width,
        height=height,
        boxes=tuple(
            box
            for place, one in enumerate(source.bins)
            for box in _stack(one, left + step * (place + 0.1), step * 0.8, base, rise)
        ),
        labels=_axis(source, left, right),
        base=coordinate(base),
        label_y=coordinate(height - 8.0),
        right=coordinate(right),
        own_x=None if own_x is None else coordinate(own_x),
        own_top=coordinate(own_top - 1),
        own_text_x=coordinate(
            (left + right) / 2 if own_x is None else min(max(own_x, left), right)
        ),
        own_anchor=anchor_at(own_x, left, right),
        low=f"{source.low:.4f}",
        high=f"{source.high:.4f}",
        bins=tuple((f"{one.low:.4f}", f"{one.high:.4f}", one.teams) for one in source.bins),
    )


SMALLEST = 3.0  # pixels; lower squares run together, and thousands of them are a slow page


def _stack(one: Bin, x: float, width: float, base: float, rise: float) -> list[Box]:
    """The squares of one bin, the own team's at the bottom; or one bar of the same height."""

    def box(y: float, height: float, *, own: bool) -> Box:
        kind = "dme" if own else "d"
        return Box(coordinate(x), coordinate(y), coordinate(width), coordinate(height), kind)

    if rise > SMALLEST:
        return [
            box(base - rise * (level + 1), max(rise - 2, 1), own=one.has_own and level == 0)
            for level in range(one.teams)
        ]
    bar = [box(base - rise * one.teams, rise * one.teams, own=False)] if one.teams else []
    return [*bar, box(base - SMALLEST, SMALLEST, own=True)] if one.has_own else bar


def _axis(source: Histogram, left: float, right: float) -> tuple[Label, ...]:
    """Low, middle and high of the axis, in as many decimals as tell them apart."""
    span = source.high - source.low
    decimals = 2 if span >= 0.05 else 4
    points = [(0.0, "start"), (0.5, "middle"), (1.0, "end")] if span > 0 else [(0.5, "middle")]
    return tuple(
        Label(
            x=coordinate(left + (right - left) * share),
            text=f"{source.low + span * share:.{decimals}f}",
            anchor=anchor,
        )
        for share, anchor in points
    )
