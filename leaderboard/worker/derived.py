"""Figures that a worker computes from stored rows while no submission waits."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from leaderboard.boards.figures import due_figures, make_next_figures


class Derived(NamedTuple):
    """A kind of figure that is computed whenever it is missing or its rows changed.

    `lacks`: whether one is missing at an instant; with a second instant, only submissions that were
    scored since then are asked. `make`: computes some; False if none was missing.
    """

    make: Callable[[datetime], bool]
    lacks: Callable[[datetime, datetime | None], object]
    of_files: bool = False


DERIVED = [Derived(make_next_figures, lambda at, _since: due_figures(at))]
"""The most urgent first: each is asked only if those before it had nothing to compute. An add-on
puts its own in, in its `ready()`."""
