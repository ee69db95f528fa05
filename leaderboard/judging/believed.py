"""What the panel of a board says of the judge: a check that boards know nothing of without it."""

from django.utils.translation import gettext_lazy as _

from leaderboard.boards import facts, trust, trust_words
from leaderboard.boards.trust import Found, Known, passed
from leaderboard.boards.trust_words import DOUBT, NOT_RUN, PASSED
from leaderboard.judging.board import agreed

KEY = "judge"


def add_check() -> None:
    """Once a process: the check comes last on the page."""
    facts.FROM_ABOVE[KEY] = agreed
    trust.CHECKS[KEY] = agreement
    trust_words.NAMES[KEY] = _("The judge and people")
    trust_words.SAYS[KEY] = {
        PASSED: _("The judge beside the board answers as people do."),
        DOUBT: _("The judge beside the board does not always answer as people do."),
        NOT_RUN: _("No judge beside this board was compared with people."),
    }
    trust_words.WHY[KEY] = (
        _("People answered some of the same questions as the judge."),
        _("The figure says for how many kinds of questions both agree enough."),
        _("The judge never moves a rank."),
    )


def agreement(known: Known) -> Found | None:
    """In how many kinds of items people and judge agree; None of a board without a judge."""
    kinds = known.fact(KEY)
    if kinds is None:
        return None
    if not kinds["compared"]:
        return Found(NOT_RUN)
    same, compared = kinds["agreed"], kinds["compared"]
    return passed(same == compared, f"{same} / {compared}")
