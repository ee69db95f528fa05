"""The drawings of a closing report: inline SVG without scripts, each with its table below it.

The server's own drawings are templates, which `verify-bundle` cannot make. Shades differ in print
too; the same table gives the same bytes.
"""

import unicodedata
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from scoring.insight.closing.sheets import Sheet

MOST = 30  # lines of a drawing; the tables hold all
_WIDTH, _LINE, _TOP, _NAMES = 420, 20, 24, 112  # legible on a phone, too
STYLE = """
svg{display:block;width:100%;max-width:36rem;height:auto;margin:.6rem 0}
svg{break-inside:avoid;print-color-adjust:exact;-webkit-print-color-adjust:exact}
svg text{font:12px Pretendard,system-ui,sans-serif;fill:#15201c}
svg .ax{stroke:#7a8681;stroke-width:1}
svg .ln{stroke:#0b5d4a;stroke-width:2;fill:none}svg .lo{stroke:#a83716;stroke-width:2;fill:none}
svg .a{fill:#0b5d4a}svg .b{fill:#fff;stroke:#a83716;stroke-width:2}
"""


class Range(NamedTuple):
    """A line of a drawing: a name, a bar from low to high, a dot, and perhaps a ring."""

    name: str
    low: float
    high: float
    dot: float
    ring: float | None = None


def svg(key: str, title: str, about: str, height: float, parts: Sequence[str]) -> str:
    """A drawing with these parts; key tells it from the others of the page."""
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_at(height)}" role="img" '
        f'aria-labelledby="{key}-t {key}-d"><title id="{key}-t">{title}</title>'
        f'<desc id="{key}-d">{about}</desc>' + "".join(parts) + "</svg>"
    )


def slope(shaken: Sheet) -> tuple[float, list[str]]:
    """From the public rank on the left to the private one on the right; green up, red down."""
    columns = (shaken.column(name) for name in ("team", "public_rank", "private_rank"))
    first = [
        (team, int(public), int(private))
        for team, public, private in list(zip(*columns, strict=True))[:MOST]
    ]
    starts = sorted(range(len(first)), key=lambda place: first[place][1])
    left, right = _NAMES + 36, _WIDTH - _NAMES - 36
    parts = []
    for start, end in enumerate(starts):
        team, public, private = first[end]
        here, there = (_TOP + _LINE * place for place in (start, end))
        kind = "lo" if private > public else "ln"
        parts += [
            f'<path class="{kind}" d="M{left} {here}L{right} {there}"/>',
            _text(left - 8, here, f"{_short(team)} {public}", "end"),
            _text(right + 8, there, f"{private} {_short(team)}", "start"),
        ]
    return _TOP + _LINE * len(first), parts


def ranges(rows: Sequence[Range], *, decimals: int, zero: bool) -> tuple[float, list[str]]:
    """One line each over a common axis, whose ends are printed. zero: with a line where 0 is."""
    rows = rows[:MOST]
    known = [end for one in rows for end in (one.low, one.high, one.dot)]
    known += [one.ring for one in rows if one.ring is not None]
    known += [0.0] * zero
    low, high = min(known), max(known)
    span = (high - low) or 1.0
    left, right = _NAMES + 16, _WIDTH - 36

    def across(value: float) -> float:
        return left + (right - left) * (value - low) / span

    base = _TOP + _LINE * len(rows)
    parts = []
    if zero:
        at = _at(across(0))
        parts = [f'<path class="ax" d="M{at} {_TOP - 10}V{base}"/>']
        parts.append(_text(across(0), _TOP - 17, "0", "middle"))
    for place, one in enumerate(rows):
        y = _TOP + _LINE * place
        parts += [
            _text(_NAMES, y, _short(one.name), "end"),
            f'<path class="ln" d="M{_at(across(one.low))} {y}H{_at(across(one.high))}"/>',
            f'<circle class="a" cx="{_at(across(one.dot))}" cy="{y}" r="4"/>',
        ]
        if one.ring is not None:
            parts.append(f'<circle class="b" cx="{_at(across(one.ring))}" cy="{y}" r="4"/>')
    parts.append(f'<path class="ax" d="M{left} {base}H{right}"/>')
    for end in {low: None, high: None}:
        if zero and end == 0:
            continue
        said = f"{round(end, decimals) + 0:.{decimals}f}"  # + 0: not -0
        parts.append(_text(across(end), base + 14, said, "middle"))
    return base + 26, parts


def _text(x: float, y: float, said: str, anchor: str) -> str:
    return f'<text x="{_at(x)}" y="{_at(y + 4)}" text-anchor="{anchor}">{escape(said)}</text>'


def _at(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _short(name: str) -> str:
    """As much of a name as fits beside a drawing."""
    room = float(_NAMES)
    for place, character in enumerate(name):
        is_wide = unicodedata.east_asian_width(character) in "WF"
        room -= 12 if is_wide else 9 if character.isupper() else 7
        if room < 0:
            return name[: max(place - 1, 0)] + "…"
    return name
