"""This app's part of the contest that crawls walk through, and of what they expect there."""

import random
from types import ModuleType
from typing import Any
from uuid import UUID

import pytest

from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import SplitScore
from leaderboard.insight import paired_test, trivial_baselines
from leaderboard.insight.models import BoardBands, FileLift
from leaderboard.insight.trivial_baselines import Lines
from leaderboard.references.models import ScoringVersion
from scoring.insight.trivial_baselines import LINES
from tests.leaderboard.web.stage import Stage

FACTS: tuple[str, ...] = ()
NO_FORM = {"desk_closing": "a button of a revealed contest: see test_closing_page"}
NO_RULE: dict[str, str] = {}
SETTINGS: dict[str, Any] = {}
UPLOADS: tuple[Any, ...] = ()


def build(contest: Competition, elsewhere: Competition) -> dict[str, Any]:
    """Workers make all rows of this app."""
    return {}


def hide_private() -> None:
    """Give the lines of private rows totals that no real one equals."""
    chance = random.Random(20261121)
    _set_private_lines([round(chance.uniform(0.3, 2.8), 8) for _ in LINES])


def private_scores() -> list[SplitScore]:
    """The lines of the private rows of `talk`, as scores."""
    totals = (_live().self_check or {})["lines"]["splits"]["private"].values()
    return [SplitScore(total=total, metrics={}) for total in totals if total is not None]


def _live() -> ScoringVersion:
    return ScoringVersion.objects.get(competition__slug="talk", state="live")


def _set_private_lines(totals: list[float]) -> None:
    version = _live()
    version.self_check["lines"]["splits"]["private"] = dict(zip(LINES, totals, strict=True))
    version.save(update_fields=["self_check"])


def permute_private() -> None:
    """Hand round the lines of private rows."""
    totals = [line.total for line in private_scores()]
    _set_private_lines([*totals[1:], totals[0]])


def forget_derived() -> None:
    """Leave what is made of rows to be made anew."""
    for derived in (BoardBands, FileLift):
        derived.objects.all().delete()


def values(on: Stage) -> dict[str, object]:
    """No address of this app has parameters of its own."""
    return {}


def strange(on: Stage, nobody: UUID) -> dict[str, dict[str, object]]:
    return {}


def forms() -> dict[str, dict[str, object]]:
    return {}


def unsettle(on: Stage) -> None:
    """No rule of this app says no."""


def table(words: ModuleType) -> dict[str, Any]:
    """The rows of this app's addresses in the table of roles and answers, in its `words`."""
    Row, answers = words.Row, words.answers  # noqa: N806
    login_first, desk_read, visitor = words.login_first, words.DESK_READ, words.VISITOR
    return {
        # Nothing before the reveal, for anybody.
        "closing_page": Row(get=answers("404")),
        "closing_bundle": Row(get=answers("404")),
        "desk_closing": login_first(get=desk_read, post=answers("404", login=visitor)),
        **dict.fromkeys(
            ("desk_lights", "desk_compare"), login_first(desk_read, answers("405", login=visitor))
        ),
        # Without two files it is nobody's.
        "desk_duplicates": login_first(
            get=desk_read,
            post={**answers("404", login=visitor), **dict.fromkeys(words.EDITORS, "400")},
        ),
        "desk_pair": login_first(
            get=answers("404", login=visitor), post=answers("405", login=visitor)
        ),
    }


def _show_lines_of_private_rows(patch: pytest.MonkeyPatch) -> None:
    honest = Lines.of
    patch.setattr(trivial_baselines, "may_see_other_columns", lambda *_: True)
    patch.setattr(Lines, "of", lambda viewer, _: honest(viewer, "private"))


def _compare_row_by_row(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(paired_test, "may_see", lambda viewer, board: True)


# Each makes an answer depend on private rows, and has to be found.
FAULTS = (_show_lines_of_private_rows, _compare_row_by_row)
