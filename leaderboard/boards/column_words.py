"""What the columns of a board mean, a sentence or two each, as people read it below the board.

Words that everybody knows, at most twenty in a sentence; a test walks all of them. Apps above
say what theirs mean.
"""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ABOUT: dict[str, Promise] = {
    "rank": _("The place by the total alone. A baseline is the organizers' file and has none."),
    "since": _("Places won or lost since midnight."),
    "total": _("The only number that ranks. How it is made stands below."),
    "rouge1": _("How many pieces of words a text and a reference share."),
    "rouge2": _("How many pairs of neighbouring pieces of words a text and a reference share."),
    "rouge3": _("How many rows of three pieces of words a text and a reference share."),
    "rougeL": _("How many pieces of words a text and a reference have in the same order."),
    "chrf": _("How many short runs of letters a text and a reference share."),
    "length": _("How many pieces of words a text of the file has on average."),
    "of_references": _("In brackets: a reference."),
    "entries": _("How many files the team handed in that were scored."),
    "last": _("When the last of these files came in."),
}


def about(*keys: str) -> str:
    """What these say together; nothing of a key that nobody wrote of."""
    return " ".join(str(ABOUT[key]) for key in keys if key in ABOUT)
