"""Drawings, computed on the server as coordinates; templates/charts/ writes them as inline SVG.

Colours come from the style sheet. Wide drawings exist twice, so that a label of 12 px stays 12 px
on a phone.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import accumulate, pairwise
from math import ceil, floor, log10
from types import SimpleNamespace
from typing import NamedTuple
from zoneinfo import ZoneInfo

from leaderboard.boards.distribution import Bin, Histogram
from leaderboard.boards.shake_up import Shaken
from leaderboard.competitions.schedule import Day
from leaderboard.submissions.ledger import LedgerLine

Drawing = SimpleNamespace
"""What a template writes. `kind` is a class in the style sheet, `anchor` SVG's text-anchor; `name`
tells the drawings of one page apart."""


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


def day_strips(
    lines: Sequence[LedgerLine], day: Day, now: datetime, zone: ZoneInfo
) -> tuple[Drawing, Drawing]:
    """A day's uses and what is left, midnight to midnight, drawn wide and again for a phone."""
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
) -> Drawing:
    length = day.ends_at - day.starts_at
    hours = ceil(length / timedelta(hours=1))

    def place(at: datetime) -> float:
        share = min(max((at - day.starts_at) / length, 0.0), 1.0)
        return margin + (width - 2 * margin) * share

    refunded_ids = {line.entry.submission_id for line in lines if line.entry.kind == "refund"}
    charges = [line.entry for line in lines if line.entry.kind == "charge"]
    given_back = [c for c in charges if c.submission_id in refunded_ids]
    now_x = place(now)
    return Drawing(
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
            Drawing(x=coordinate(place(at)), text=_clock(at, day, zone))
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


def contest_days(taken: Mapping[date, int], first: date, today: date) -> list[tuple[date, int]]:
    """Every day from the first of the contest to today with its number, at most the newest 60.

    >>> contest_days({date(2026, 11, 17): 2}, date(2026, 11, 16), date(2026, 11, 17))
    [(datetime.date(2026, 11, 16), 0), (datetime.date(2026, 11, 17), 2)]
    """
    first = min([first, *taken])
    count = max((today - first).days + 1, 0)
    days = [first + timedelta(days=place) for place in range(max(count - DAYS_SHOWN, 0), count)]
    return [(day, taken.get(day, 0)) for day in days]


def day_bars(days: Sequence[tuple[date, int]], today: date) -> tuple[Drawing, ...]:
    """The bars drawn wide, and once more for a phone; nothing when nothing came in.

    The bar of today is marked; `top` is the highest bar with its number.
    """
    if not any(number for _, number in days):
        return ()
    return (
        _bars("wide", days, today, width=1208, every=max(1, len(days) // 10)),
        _bars("narrow", days, today, width=340, every=max(1, len(days) // 4)),
    )


def _bars(
    name: str, days: Sequence[tuple[date, int]], today: date, *, width: int, every: int
) -> Drawing:
    left, right, base, ceiling = 20.0, width - 20.0, 112.0, 20.0
    step = min((right - left) / len(days), 48.0)
    most = max(number for _, number in days)

    def middle(place: int) -> float:
        return left + step * (place + 0.5)

    def rise(number: int) -> float:
        return (base - ceiling) * number / most

    highest = next(place for place, (_, number) in enumerate(days) if number == most)
    return Drawing(
        name=name,
        width=width,
        height=134,
        left=coordinate(left),
        right=coordinate(right),
        base=coordinate(base),
        bars=tuple(
            Drawing(
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
            Drawing(x=coordinate(middle(place)), text=f"{days[place][0]:%m-%d}")
            for place in range(0, len(days), every)
        ),
        top=Drawing(x=coordinate(middle(highest)), text=str(most), y=coordinate(ceiling - 6)),
    )


def histogram(
    source: Histogram, *, name: str = "card", width: int = 330, height: int = 150
) -> Drawing | None:
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
    return Drawing(
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


def _stack(one: Bin, x: float, width: float, base: float, rise: float) -> list[Drawing]:
    """The squares of one bin, the own team's at the bottom; or one bar of the same height."""

    def box(y: float, height: float, *, own: bool) -> Drawing:
        return Drawing(
            x=coordinate(x),
            y=coordinate(y),
            width=coordinate(width),
            height=coordinate(height),
            kind="dme" if own else "d",
        )

    if rise > SMALLEST:
        return [
            box(base - rise * (level + 1), max(rise - 2, 1), own=one.has_own and level == 0)
            for level in range(one.teams)
        ]
    bar = [box(base - rise * one.teams, rise * one.teams, own=False)] if one.teams else []
    return [*bar, box(base - SMALLEST, SMALLEST, own=True)] if one.has_own else bar


def _axis(source: Histogram, left: float, right: float) -> tuple[Drawing, ...]:
    """Low, middle and high of the axis, in as many decimals as tell them apart."""
    span = source.high - source.low
    decimals = 2 if span >= 0.05 else 4
    points = [(0.0, "start"), (0.5, "middle"), (1.0, "end")] if span > 0 else [(0.5, "middle")]
    return tuple(
        Drawing(
            x=coordinate(left + (right - left) * share),
            text=f"{source.low + span * share:.{decimals}f}",
            anchor=anchor,
        )
        for share, anchor in points
    )


POINTS_SHOWN = 30  # the newest so many submissions
DATES = 4


class Point(NamedTuple):
    """One scored submission: when it came in and what it reached, as printed."""

    at: datetime
    total: str


def history(points: Sequence[Point], zone: ZoneInfo) -> tuple[Drawing, ...]:
    """The history drawn wide, and once more for a phone; nothing for fewer than two points.

    `points` are in the order in which they were received.
    """
    shown = list(points)[-POINTS_SHOWN:]
    if len(shown) < 2:
        return ()
    return (
        _draw("wide", shown, zone, width=760, height=240, left=52, right=682, labels=DATES),
        _draw("narrow", shown, zone, width=340, height=200, left=46, right=280, labels=DATES - 1),
    )


class _Scale(NamedTuple):
    """Where an instant and a total are drawn."""

    left: float
    right: float
    top: float
    bottom: float
    low: float
    high: float
    first: datetime
    last: datetime

    def x(self, at: datetime) -> str:
        share = (at - self.first) / ((self.last - self.first) or timedelta(1))
        return coordinate(self.left + (self.right - self.left) * share)

    def y(self, value: float) -> str:
        span = (self.high - self.low) or 1
        return coordinate(self.bottom - (self.bottom - self.top) * (value - self.low) / span)


def _draw(
    name: str,
    points: Sequence[Point],
    zone: ZoneInfo,
    *,
    width: int,
    height: int,
    left: float,
    right: float,
    labels: int,
) -> Drawing:
    values = [float(point.total) for point in points]
    ticks = _ticks(min(values), max(values))
    low, high = min(*ticks, *values), max(*ticks, *values)
    base = height - 34.0
    scale = _Scale(left, right, 20.0, base - 12, low, high, points[0].at, points[-1].at)
    best = list(accumulate(values, max))
    return Drawing(
        name=name,
        width=width,
        height=height,
        left=coordinate(left),
        right=coordinate(right),
        base=coordinate(base),
        ticks=tuple(
            Drawing(x=coordinate(left - 8), y=scale.y(tick), text=text, anchor="end")
            for tick, text in zip(ticks, _tick_texts(ticks), strict=True)
        ),
        dates=_dates(zone, scale, labels),
        line=_line(points, best, scale),
        dots=_dots(points, best, scale),
        best=Drawing(
            x=coordinate(right + 10),
            y=scale.y(best[-1]),
            text=next(point.total for point in points if float(point.total) == best[-1]),
        ),
        first=points[0].total,
        last=points[-1].total,
        count=len(points),
    )


def _line(points: Sequence[Point], best: Sequence[float], scale: _Scale) -> str:
    """Level to each point, then up to it."""
    ends = zip(points[1:], best[1:], strict=True)
    steps = [f"H{scale.x(point.at)}V{scale.y(value)}" for point, value in ends]
    return f"M{scale.x(points[0].at)} {scale.y(best[0])}" + "".join(steps)


def _dots(points: Sequence[Point], best: Sequence[float], scale: _Scale) -> tuple[Drawing, ...]:
    """One for each point; those that were better than all before look different."""
    rises = [True, *(now > before for before, now in pairwise(best))]
    return tuple(
        Drawing(
            x=scale.x(point.at),
            y=scale.y(float(point.total)),
            radius="3.5",
            kind="dme" if better else "dno",
        )
        for point, better in zip(points, rises, strict=True)
    )


def _ticks(low: float, high: float) -> list[float]:
    """Two to six round values that span the data: steps of 1, 2 or 5 times a power of ten."""
    span = (high - low) or max(abs(high), 1) * 0.01
    power = 10.0 ** floor(log10(span / 3))
    step = next(power * times for times in (1, 2, 5, 10) if span / (power * times) <= 5)
    return [step * number for number in range(ceil(low / step), floor(high / step) + 1)]


def _tick_texts(ticks: Sequence[float]) -> list[str]:
    """With as many decimals as the step between two needs."""
    if len(ticks) < 2:
        return [f"{tick:.4f}" for tick in ticks]
    decimals = max(0, min(4, -floor(log10((ticks[1] - ticks[0]) or 1))))
    return [f"{tick:.{decimals}f}" for tick in ticks]


def _dates(zone: ZoneInfo, scale: _Scale, labels: int) -> tuple[Drawing, ...]:
    """A few instants of the axis, evenly apart: their dates, or the times within one day."""
    ends = scale.first.astimezone(zone), scale.last.astimezone(zone)
    shown = "%H:%M" if ends[0].date() == ends[1].date() else "%m-%d"
    found: dict[str, Drawing] = {}
    for n in range(labels):
        at = scale.first + (scale.last - scale.first) * n / (labels - 1)
        text = f"{at.astimezone(zone):{shown}}"
        found.setdefault(text, Drawing(x=scale.x(at), text=text))
    return tuple(found.values())


CURVES_SHOWN = 25  # teams that have a curve; with more of them nobody can follow one
WIDTH, ROW = 432, 24
NAMES, RANKS, LEFT, RIGHT = 168, 192, 200, 424
NAME_WIDTH = 24  # in Latin letters; a Hangul syllable is as wide as two


def slope(rows: Sequence[Shaken], far: int) -> Drawing | None:
    """The curves of the first teams of a table; None for fewer than two teams with both ranks.

    What is to stand on top comes last.

    `far`: who moved so many ranks or more is drawn dark. Baselines have a row and no curve.
    """
    ends = {move.team_id: place for place, move in enumerate(rows)}
    moved = [move for move in rows if move.climbed is not None][:CURVES_SHOWN]
    if len(moved) < 2:
        return None
    starts = sorted(moved, key=lambda move: (move.public_rank or 0, ends[move.team_id]))
    curves = [
        _curve(move, start, ends[move.team_id], far=abs(move.climbed or 0) >= far)
        for start, move in enumerate(starts)
    ]
    order = ("ln", "ln2", "lme")
    return Drawing(
        width=WIDTH,
        height=ROW * (ends[moved[-1].team_id] + 1),
        curves=tuple(sorted(curves, key=lambda curve: order.index(curve.line))),
    )


def _curve(move: Shaken, start: int, end: int, *, far: bool) -> Drawing:
    here, there = (coordinate(ROW * (place + 0.5)) for place in (start, end))
    baseline = coordinate(ROW * (start + 0.5) + 4)
    if move.is_own:
        line, text, number = "lme", "tme", "tme"
    else:
        line, text, number = ("ln2", "t1", "") if far else ("ln", "t2", "")
    return Drawing(
        name=Drawing(x=coordinate(NAMES), y=baseline, text=shortened(move.team_name)),
        rank=Drawing(x=coordinate(RANKS), y=baseline, text=str(move.public_rank)),
        path=f"M{LEFT} {here}C302 {here} 316 {there} {RIGHT} {there}",
        line=line,
        text=text,
        number=number,
    )


def shortened(name: str, width: int = NAME_WIDTH) -> str:
    """A name that fits the margin of the drawing; the whole one is in the table.

    >>> shortened("한 줄 요정"), shortened("Late Night Decoders", 14)
    ('한 줄 요정', 'Late Night De…')
    """
    used = 0
    for place, sign in enumerate(name):
        used += 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        if used > width:
            return name[: max(place - 1, 0)].rstrip() + "…"
    return name
