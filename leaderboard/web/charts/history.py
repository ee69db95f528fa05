"""A team's public totals over its submissions, with the best so far as a step line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil, floor, log10
from zoneinfo import ZoneInfo

from leaderboard.web.charts.shapes import Dot, Label, coordinate

SHOWN = 30  # the newest so many submissions
DATES = 4


@dataclass(frozen=True)
class Point:
    """One scored submission: when it came in and what it reached, as printed."""

    at: datetime
    total: str


@dataclass(frozen=True)
class HistoryDrawing:
    """The drawing; `line` is the path of the best so far."""

    name: str
    width: int
    height: int
    left: str
    right: str
    base: str
    ticks: tuple[Label, ...]
    dates: tuple[Label, ...]
    line: str
    dots: tuple[Dot, ...]
    best: Label
    first: str
    last: str
    count: int


def history(points: Sequence[Point], zone: ZoneInfo) -> tuple[HistoryDrawing, ...]:
    """The history drawn wide, and once more for a phone; nothing for fewer than two points.

    `points` are in the order in which they were received.
    """
    shown = list(points)[-SHOWN:]
    if len(shown) < 2:
        return ()
    return (
        _draw("wide", shown, zone, width=760, height=240, left=52, right=682, labels=DATES),
        _draw("narrow", shown, zone, width=340, height=200, left=46, right=280, labels=DATES - 1),
    )


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
) -> HistoryDrawing:
    values = [float(point.total) for point in points]
    ticks = _ticks(min(values), max(values))
    top, base = 20.0, height - 34.0
    low, high = min(*ticks, *values), max(*ticks, *values)

    def x(place: int) -> float:
        return left + (right - left) * place / (len(points) - 1)

    def y(value: float) -> float:
        return base - 12 - (base - 12 - top) * (value - low) / ((high - low) or 1)

    path, dots, best = "", [], float("-inf")
    for place, value in enumerate(values):
        better = value > best
        best = max(best, value)
        step = f"H{coordinate(x(place))}V{coordinate(y(best))}"
        path += f"M{coordinate(x(place))} {coordinate(y(best))}" if place == 0 else step
        dots.append(
            Dot(coordinate(x(place)), coordinate(y(value)), "3.5", "dme" if better else "dno")
        )
    decimals = max(0, min(4, -floor(log10((ticks[1] - ticks[0]) or 1)))) if len(ticks) > 1 else 4
    return HistoryDrawing(
        name=name,
        width=width,
        height=height,
        left=coordinate(left),
        right=coordinate(right),
        base=coordinate(base),
        ticks=tuple(
            Label(
                x=coordinate(left - 8), y=coordinate(y(t)), text=f"{t:.{decimals}f}", anchor="end"
            )
            for t in ticks
        ),
        dates=_dates(points, zone, x, labels),
        line=path,
        dots=tuple(dots),
        best=Label(x=coordinate(right + 10), y=coordinate(y(best)), text=_printed(points, best)),
        first=points[0].total,
        last=points[-1].total,
        count=len(points),
    )


def _printed(points: Sequence[Point], value: float) -> str:
    return next(point.total for point in points if float(point.total) == value)


def _ticks(low: float, high: float) -> list[float]:
    """Two to six round values that span the data: steps of 1, 2 or 5 times a power of ten."""
    span = (high - low) or max(abs(high), 1) * 0.01
    power = 10.0 ** floor(log10(span / 3))
    step = next(power * times for times in (1, 2, 5, 10) if span / (power * times) <= 5)
    return [step * number for number in range(ceil(low / step), floor(high / step) + 1)]


def _dates(
    points: Sequence[Point], zone: ZoneInfo, x: Callable[[int], float], labels: int
) -> tuple[Label, ...]:
    """A few dates under the axis, the first and the last among them."""
    last = len(points) - 1
    places = sorted({round(last * n / (labels - 1)) for n in range(labels)})
    return tuple(
        Label(x=coordinate(x(p)), text=f"{points[p].at.astimezone(zone):%m-%d}") for p in places
    )
