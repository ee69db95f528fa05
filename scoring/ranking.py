"""Rounding as printed, and ranks. Order, ties and print use the same integer."""

import math
from collections.abc import Sequence

DECIMALS = 4


def printed(value: float) -> int:
    """The integer behind the four decimals that a page prints.

    >>> printed(1.02585)
    10258
    """
    if not math.isfinite(value):
        raise ValueError(f"only a finite score can be ranked, not {value!r}")
    return int(format(value, f".{DECIMALS}f").replace(".", ""))


def printed_text(value: int) -> str:
    """The text of a printed integer: 10258 -> `1.0258`."""
    whole, rest = divmod(abs(value), 10**DECIMALS)
    return f"{'-' if value < 0 else ''}{whole}.{rest:0{DECIMALS}d}"


def as_printed(value: float) -> str:
    """A number as the board prints it: 1.02585 -> `1.0258`."""
    return printed_text(printed(value))


def ranks(printed: Sequence[int]) -> list[int]:
    """Competition ranks, the highest first; equal numbers share a rank.

    >>> ranks([30, 20, 20, 10])
    [1, 2, 2, 4]
    """
    first: dict[int, int] = {}
    for place, value in enumerate(sorted(printed, reverse=True), start=1):
        first.setdefault(value, place)
    return [first[value] for value in printed]
