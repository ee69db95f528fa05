"""How many teams reached which total, in stacked squares, with the own one marked."""

from dataclasses import dataclass

from leaderboard.boards.results import Histogram
from leaderboard.web.charts.shapes import Box, Label, anchor_at, coordinate


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
                    x=coordinate(x + step * 0.1),
                    y=coordinate(base - rise * (level + 1)),
                    width=coordinate(step * 0.8),
                    height=coordinate(max(rise - 2, 1)) if rise > 3 else coordinate(rise),
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
        base=coordinate(base),
        label_y=coordinate(height - 8.0),
        right=coordinate(right),
        own_x=None if own_x is None else coordinate(own_x),
        own_top=coordinate(own_top - 1),
        own_text_x=coordinate(middle if own_x is None else min(max(own_x, left), right)),
        own_anchor=anchor_at(own_x, left, right),
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
            x=coordinate(left + (right - left) * share),
            text=f"{source.low + span * share:.{decimals}f}",
            anchor=anchor,
        )
        for share, anchor in points
    )
