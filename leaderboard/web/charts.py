"""Drawings, computed on the server as coordinates; templates/charts/ writes them as inline SVG.

Colours come from the style sheet. Wide drawings exist twice, so that a label of 12 px stays 12 px
on a phone.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import accumulate, pairwise
from math import ceil, floor, log10
from types import MappingProxyType, SimpleNamespace
from typing import NamedTuple
from zoneinfo import ZoneInfo

Drawing = SimpleNamespace
"""What a template writes. `kind` is a class in the style sheet; `name` tells the drawings of one
page apart."""


def coordinate(value: float) -> str:
    """A coordinate with at most one decimal, so that the same data draws the same bytes.

    >>> coordinate(12.0), coordinate(3.14159)
    ('12', '3.1')
    """
    return f"{value:.1f}".removesuffix(".0")


POINTS_SHOWN = 30  # the newest so many submissions
DATES = 4


class Point(NamedTuple):
    """One scored submission: when it came in and what it reached, as printed."""

    at: datetime
    total: str


def history(
    points: Sequence[Point], zone: ZoneInfo, levels: Mapping[str, str] = MappingProxyType({})
) -> tuple[Drawing, ...]:
    """The history drawn wide, and once more for a phone; nothing for fewer than two points.

    `points` are in the order in which they were received; `levels`: totals of others, by a name.
    """
    shown = list(points)[-POINTS_SHOWN:]
    if len(shown) < 2:
        return ()
    of = shown, levels, zone
    return (
        _draw("wide", *of, width=760, height=240, left=52, right=660, labels=DATES),
        _draw("narrow", *of, width=340, height=200, left=46, right=262, labels=DATES - 1),
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
    levels: Mapping[str, str],
    zone: ZoneInfo,
    *,
    width: int,
    height: int,
    left: float,
    right: float,
    labels: int,
) -> Drawing:
    values = [float(point.total) for point in points]
    heights = [*values, *map(float, levels.values())]
    ticks = _ticks(min(heights), max(heights))
    low, high = min(*ticks, *heights), max(*ticks, *heights)
    base = height - 34.0
    scale = _Scale(left, right, 20.0, base - 12, low, high, points[0].at, points[-1].at)
    best = list(accumulate(values, max))
    # Level to each point, then up to it; what was better than all before looks different.
    ends = zip(points[1:], best[1:], strict=True)
    steps = [f"H{scale.x(point.at)}V{scale.y(value)}" for point, value in ends]
    rises = [True, *(now > before for before, now in pairwise(best))]
    return Drawing(
        name=name,
        width=width,
        height=height,
        left=coordinate(left),
        right=coordinate(right),
        base=coordinate(base),
        ticks=tuple(
            Drawing(x=coordinate(left - 8), y=scale.y(tick), text=text)
            for tick, text in zip(ticks, _tick_texts(ticks), strict=True)
        ),
        dates=_dates(zone, scale, labels),
        line=f"M{scale.x(points[0].at)} {scale.y(best[0])}" + "".join(steps),
        dots=tuple(
            Drawing(x=scale.x(point.at), y=scale.y(value), kind="dme" if better else "dno")
            for point, value, better in zip(points, values, rises, strict=True)
        ),
        levels=_levels(levels, best[-1], scale),
        best=Drawing(
            x=coordinate(right + 10),
            y=scale.y(best[-1]),
            text=next(point.total for point in points if float(point.total) == best[-1]),
        ),
        first=points[0].total,
        last=points[-1].total,
        count=len(points),
    )


LINE = 14.0  # so far apart stand two labels beside each other's lines


def _levels(levels: Mapping[str, str], best: float, scale: _Scale) -> tuple[Drawing, ...]:
    """Each with the place of its label, which keeps clear of the team's own best."""
    own, found = float(scale.y(best)), []
    for name, total in levels.items():
        y = float(scale.y(float(total)))
        clear = max(y, own + LINE) if y >= own else min(y, own - LINE)
        found.append(Drawing(name=name, y=coordinate(y), text_y=coordinate(clear)))
    return tuple(found)


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
