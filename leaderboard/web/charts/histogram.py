"""How many teams reached which value, in stacked squares, with the own one marked."""

from dataclasses import dataclass

from leaderboard.boards.distribution import Bin, Histogram
from leaderboard.web.charts.shapes import Box, Label, anchor_at, coordinate


@dataclass(frozen=True)
class HistogramDrawing:
    """How many teams reached which value; `name` tells the drawings of one page apart."""

    name: str
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
