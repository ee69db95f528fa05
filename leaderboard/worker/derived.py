"""What a worker makes of what is stored while no file waits."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from leaderboard.boards.figures import due_figures, make_next_figures


class Derived(NamedTuple):
    """Something that is made of what is stored, whenever it is missing or was made of other rows.

    `lacks`: whether something is to be made, at an instant; with a second one, of files that were
    scored from then on alone. `make`: makes some of it; False where nothing lacks it.
    """

    make: Callable[[datetime], bool]
    lacks: Callable[[datetime, datetime | None], object]
    of_files: bool = False


DERIVED = [Derived(make_next_figures, lambda at, _since: due_figures(at))]
"""In the order in which readers wait for them: each is asked only if those before had nothing. An
app above puts its own in, in its `ready()`."""
