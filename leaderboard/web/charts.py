"""Geometry of the drawings, computed on the server. Colours come from the style sheet.

A chart is a frozen dataclass of coordinates; the templates under `templates/charts/` write it as
inline SVG. Wide drawings exist twice, so that a label of 12 px stays 12 px on a phone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from zoneinfo import ZoneInfo

from leaderboard.boards.results import Histogram
from leaderboard.competitions.schedule import Day
from leaderboard.submissions.ledger import LedgerLine


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
    """A short text at x; `anchor` is SVG's text-anchor."""

    x: str
    text: str
    anchor: str = "middle"


@dataclass(frozen=True)
class HistogramDrawing:
    """How many teams reached which total, in stacked squares, with the own one marked."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    labels: tuple[Label, ...]
    base: str
    right: str
    label_y: str
    own_x: str | None
    own_top: str
    own_text_x: str
    own_anchor: str
    low: str
    high: str
    bins: tuple[tuple[str, str, int], ...]


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


def _n(value: float) -> str:
    """A coordinate with at most one decimal, so that the same data draws the same bytes."""
    return f"{value:.1f}".removesuffix(".0")


def histogram(source: Histogram, *, width: int = 330, height: int = 150) -> HistogramDrawing | None:
    """Squares stacked per bin; when a bin is tall, one square stands for several teams' height.

    None when there is nothing to draw.
    """
    if not source.bins:
        return None
    left, right, base, top = 14.0, width - 14.0, height - 26.0, 28.0
    step = (right - left) / len(source.bins)
    tallest = max(one.teams for one in source.bins) or 1
    # Twelve pixels a team, less when the tallest stack would leave the drawing.
    rise = min(12.0, (base - top) / tallest)
    boxes: list[Box] = []
    own_x = None
    own_top = base
    middle = (left + right) / 2
    for place, one in enumerate(source.bins):
        x = left + step * place
        for level in range(one.teams):
            own = one.has_own and level == 0
            boxes.append(
                Box(
                    x=_n(x + step * 0.1),
                    y=_n(base - rise * (level + 1)),
                    width=_n(step * 0.8),
                    height=_n(max(rise - 2, 1)) if rise > 3 else _n(rise),
                    kind="dme" if own else "d",
                )
            )
        if one.has_own:
            own_x = x + step / 2
            own_top = base - rise * max(one.teams, 1)
    return HistogramDrawing(
        width=width,
        height=height,
        boxes=tuple(boxes),
        labels=_axis(source, left, right),
        base=_n(base),
        label_y=_n(height - 8.0),
        right=_n(right),
        own_x=None if own_x is None else _n(own_x),
        own_top=_n(own_top - 1),
        own_text_x=_n(middle if own_x is None else min(max(own_x, left), right)),
        own_anchor=_anchor(own_x, left, right),
        low=f"{source.low:.4f}",
        high=f"{source.high:.4f}",
        bins=tuple((f"{one.low:.4f}", f"{one.high:.4f}", one.teams) for one in source.bins),
    )


def _axis(source: Histogram, left: float, right: float) -> tuple[Label, ...]:
    """Low, middle and high of the axis, in as many decimals as tell them apart."""
    span = source.high - source.low
    decimals = 2 if span >= 0.05 else 4
    points = [(0.0, "start"), (0.5, "middle"), (1.0, "end")] if span > 0 else [(0.5, "middle")]
    return tuple(
        Label(
            x=_n(left + (right - left) * share),
            text=f"{source.low + span * share:.{decimals}f}",
            anchor=anchor,
        )
        for share, anchor in points
    )


def _anchor(x: float | None, left: float, right: float) -> str:
    """Which way a label at x grows so that it stays inside the drawing."""
    if x is None:
        return "middle"
    share = (x - left) / (right - left)
    return "start" if share < 0.2 else "end" if share > 0.8 else "middle"


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
        left=_n(margin),
        right=_n(width - margin),
        span=_n(width - 2 * margin),
        now_x=_n(now_x),
        now_span=_n(width - margin - now_x),
        now_text=f"{now.astimezone(zone):%H:%M}",
        now_at_end=now_x > width / 2,
        hours=tuple(
            Label(x=_n(place(day.starts_at + timedelta(hours=hour))), text=f"{hour:02d}:00")
            for hour in range(0, hours + 1, every)
        ),
        used=tuple(_n(place(c.at) - 4) for c in charges if c not in given_back),
        refunded=tuple(_n(place(c.at) - 4) for c in given_back),
    )
