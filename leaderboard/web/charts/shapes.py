"""The pieces that drawings are made of, with their coordinates as text."""

from dataclasses import dataclass


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
