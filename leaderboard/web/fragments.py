"""What apps above these pages show on them and let people do there.

An app appends to a list, or adds to a dict, in its `ready()`.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from leaderboard.actions.checks import Practice
from leaderboard.boards.queries import BoardPage
from leaderboard.boards.results import ResultCard
from leaderboard.boards.visibility import Viewer
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from leaderboard.web.lookups import WebRequest


class Step(NamedTuple):
    """Something that organizers do on one of their pages, by the name of its address.

    `part`: what follows the address. Nobody can submit before a `required` one is done.
    """

    page: str
    label: StrOrPromise
    done: bool = False
    required: bool = False
    part: str = ""


TO_DO: list[Callable[[Viewer], Iterable[Step]]] = []
"""Steps of the organizers' first page."""

SUBMISSION: list[Callable[[WebRequest, Viewer, Submission, ResultCard], SafeString]] = []
"""How a submission's score was made, for its team; empty where there is nothing to show."""

DESK_SUBMISSION: list[Callable[[WebRequest, Viewer, Submission, bool], SafeString]] = []
"""Sections of a submission's page on the desk; the last argument: whether it counts on a board."""

DESK_VERBS: dict[str, Callable[[WebRequest, Submission], str]] = {}
"""More that an organizer decides about a submission, by the button's value; what to say after it.
Raises Refused."""

BOARD: list[Callable[[Viewer, str], str]] = []
"""Sentences below a board, before the link to what is behind it; empty where there is nothing."""

RANKING: list[Callable[[WebRequest, Viewer, BoardPage], SafeString]] = []
"""Sections of the page behind the ranking of a board."""

SHAKE_UP: list[Callable[[WebRequest, Viewer], SafeString]] = []
"""Sections below the shake-up."""

VERSION: list[Callable[[WebRequest, ScoringVersion], SafeString]] = []
"""Lines of a version's checks on the desk."""

LAB: list[Callable[[WebRequest, Competition, Practice], SafeString]] = []
"""Sections of a file that was scored in the dev lab."""

LAB_SECOND: list[Callable[[WebRequest, Viewer, Practice, str, Upload], SafeString]] = []
"""Compare the file, by its name, with a second one that was sent along. Without one of these the
lab takes no second file. Raises InvalidFile or Refused."""

COMPARISON: list[Callable[[WebRequest, Viewer, Submission, Submission], SafeString]] = []
"""Sections of the page that compares two submissions of a team."""

SENTENCES: dict[str, str | Promise] = {
    "dialogues": _(
        "Used in the dev lab; no ROUGE score depends on them. Every id of the live references or "
        "of the dev set needs its dialogue."
    ),
    "contest_file": _(
        "Both contain the references, so do not share them. They have no scores, passwords, "
        "joining codes, mail addresses or log. The log records who exported."
    ),
    "clone": _(
        "A new competition with the same pages, rules and references. It has no people or "
        "submissions. Its references are a draft that you can replace."
    ),
    "cloned": _(
        "The new competition was created. Its references are a draft: "
        "check them, then make them live."
    ),
}
"""What is said otherwise where an app above adds to what it is about."""
