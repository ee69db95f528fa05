"""From the public rank to the row of the private table: one curve a team.

The right ends are the rows of the table that stands beside the drawing, so it is as high as they.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.boards.shake_up import Shaken
from leaderboard.web.charts.shapes import Label, coordinate

SHOWN = 25  # teams that have a curve; with more of them nobody can follow one
WIDTH, ROW = 432, 24
NAMES, RANKS, LEFT, RIGHT = 168, 192, 200, 424
NAME_WIDTH = 24  # in Latin letters; a Hangul syllable is as wide as two


@dataclass(frozen=True)
class Curve:
    """One team: its name and public rank on the left, and the path to its row."""

    name: Label
    rank: Label
    path: str
    line: str  # class of the path
    text: str  # class of the name
    number: str  # class of the rank


@dataclass(frozen=True)
class SlopeDrawing:
    """The drawing; what is to stand on top comes last."""

    width: int
    height: int
    curves: tuple[Curve, ...]


def slope(rows: Sequence[Shaken], far: int) -> SlopeDrawing | None:
    """The curves of the first teams of a table; None for fewer than two teams with both ranks.

    `far`: who moved so many ranks or more is drawn dark. Baselines have a row and no curve.
    """
    ends = {move.team_id: place for place, move in enumerate(rows)}
    moved = [move for move in rows if move.climbed is not None][:SHOWN]
    if len(moved) < 2:
        return None
    starts = sorted(moved, key=lambda move: (move.public_rank or 0, ends[move.team_id]))
    curves = [
        _curve(move, start, ends[move.team_id], far=abs(move.climbed or 0) >= far)
        for start, move in enumerate(starts)
    ]
    order = ("ln", "ln2", "lme")
    return SlopeDrawing(
        width=WIDTH,
        height=ROW * (ends[moved[-1].team_id] + 1),
        curves=tuple(sorted(curves, key=lambda curve: order.index(curve.line))),
    )


def _curve(move: Shaken, start: int, end: int, *, far: bool) -> Curve:
    here, there = (coordinate(ROW * (place + 0.5)) for place in (start, end))
    baseline = coordinate(ROW * (start + 0.5) + 4)
    if move.is_own:
        line, text, number = "lme", "tme", "tme"
    else:
        line, text, number = ("ln2", "t1", "") if far else ("ln", "t2", "")
    return Curve(
        name=Label(coordinate(NAMES), shortened(move.team_name), "end", baseline),
        rank=Label(coordinate(RANKS), str(move.public_rank), "end", baseline),
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
