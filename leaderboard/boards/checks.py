"""What apps find out of a contest that says how far its leaderboard can be believed.

An app adds to `CHECKS` in its `ready()`, and another one may show what is there.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.utils.functional import Promise

from leaderboard.competitions.models import Competition

PASSED, DOUBT, NOT_RUN = "passed", "doubt", "not_run"


class BoardCheck(NamedTuple):
    """`says`: a sentence for each state. `why`: why the check says something.

    `fact`: what is known of a contest, as JSON keeps it, None: nothing; it is asked again and
    again, so it costs little. `found`: the state that it comes to, and its figure.
    """

    name: Promise
    says: dict[str, Promise]
    why: tuple[Promise, ...]
    fact: Callable[[Competition], object]
    found: Callable[[Any], tuple[str, str]]


CHECKS: dict[str, BoardCheck] = {}
