"""What apps above these pages show on them and let people do there.

An app appends to a list, or adds to a dict, in its `ready()`.
"""

from collections.abc import Callable

from django.utils.safestring import SafeString

from leaderboard.boards.visit import Visit
from leaderboard.submissions.models import Submission
from leaderboard.web.find import WebRequest

SUBMISSION: list[Callable[[WebRequest, Visit, Submission], SafeString]] = []
"""Sections of a scored submission's page, for its team; empty where there is nothing to show."""

DESK_SUBMISSION: list[Callable[[WebRequest, Visit, Submission, bool], SafeString]] = []
"""Sections of a submission's page on the desk; the last argument: whether it counts on a board."""

DESK_VERBS: dict[str, Callable[[WebRequest, Submission], str]] = {}
"""More that an organizer decides about a submission, by the button's value; what to say after it.
Raises Refused."""

COMPARISON: list[Callable[[WebRequest, Visit, Submission, Submission], SafeString]] = []
"""Sections of the page that compares two submissions of a team."""
