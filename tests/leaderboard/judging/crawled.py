"""The judge's part of the contest that crawls walk through, and of what they expect there."""

import random
from types import ModuleType
from typing import Any
from uuid import UUID

import pytest

from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import SplitScore
from leaderboard.judging import board as judge_board
from leaderboard.judging import pairs
from leaderboard.judging.models import JudgeConfig, Judging
from leaderboard.submissions.models import Submission
from tests.leaderboard.builders import NOON, SPLITS
from tests.leaderboard.judging import configs, judged
from tests.leaderboard.web import addresses, stage
from tests.leaderboard.web.stage import Stage

# Tables whose rows are facts: even a superuser only reads them.
FACTS = ("circuit", "judgeconfig", "judging", "reservation")
NO_FORM = {
    "judge_request": "a button of a judge that is asked on demand: see test_judged_pages",
    "desk_judge": "needs a judge's server: see test_judge_desk",
}
NO_RULE = {
    "desk_judge_agreement": "the file is read first",
}

# Forms that change what is stored: the fields of `test_two_organizers.Settings`.
SETTINGS = {
    "desk_judge_config edit": ("submissions_per_team_day", "7", "9", ("price_input", "3")),
}


def build(contest: Competition, elsewhere: Competition) -> dict[str, JudgeConfig]:
    """Rows of this app, by the names under which the stage keeps them."""
    _judge(contest)
    return {
        "judge": JudgeConfig.objects.get(competition=contest),
        "elsewhere_judge": configs.draft(elsewhere, by="oscar", at=NOON),
    }


def _judge(contest: Competition) -> None:
    """Judge columns for what is scored. Those of private rows the product would not have made."""
    config = judged.judge(contest)
    config.dialogue_set = configs.dialogues(contest, dict.fromkeys(stage.GOLDS, "가: 만날까?"))
    config.save()
    chance = random.Random(20261121)
    scored = Submission.objects.filter(team__competition=contest, evaluations__state="done")
    for submission in scored.order_by("received_at"):
        for board in ("public", "private"):
            values = {
                metric: (round(chance.uniform(0.1, 0.9), 8), 1 + chance.randrange(2), 2)
                for metric in ("summarization", "alignment", "coverage")
            }
            judging = judged.give(config, submission, values, board=board)
            ids = [name for name, split in SPLITS.items() if split == board]
            scores: dict[str, dict[str, float | None]] = {}
            for metric in values:
                scores[metric] = {name: round(chance.random(), 8) for name in ids}
            judged.give_rows(judging, scores)


def hide_private() -> None:
    """What a judge said of private rows occurs nowhere else as it is."""


def private_scores() -> list[SplitScore]:
    """A judge's values are no scores."""
    return []


def forget_derived() -> None:
    """What a judge said is no copy of anything."""


def permute_private() -> None:
    """Hand round what a judge said of private rows: means, single rows, and how far it is."""
    judgings = list(Judging.objects.filter(board="private").order_by("submission__received_at"))
    values = [list(judging.values.values("metric", "mean", "scored")) for judging in judgings]
    states = [(judging.state, judging.rows_done) for judging in judgings]
    for judging, given, (state, done) in zip(
        judgings, [*values[1:], values[0]], [*states[1:], states[0]], strict=True
    ):
        for value in given:
            judging.values.filter(metric=value["metric"]).update(**value)
        Judging.objects.filter(pk=judging.pk).update(state=state, rows_done=done)
    for example_id in {name for name, split in SPLITS.items() if split == "private"}:
        rows = [judging.judgments.get(example_id=example_id) for judging in judgings]
        results = [row.results for row in rows]
        for row, given_row in zip(rows, [*results[1:], results[0]], strict=True):
            row.results = given_row
            row.save()


def values(on: Stage) -> dict[str, object]:
    """What parameters of this app's addresses stand for."""
    return {"judge_id": on.more["judge"].pk}


def strange(on: Stage, nobody: UUID) -> dict[str, dict[str, object]]:
    """The same, naming what is not theirs to see."""
    return {"judge_id": {"another contest's": on.more["elsewhere_judge"].pk, "nobody's": nobody}}


def forms() -> dict[str, dict[str, object]]:
    """What a browser sends to this app's addresses when all is well."""
    return {
        "desk_judge_config": {"verb": "retire", "reason": "다시 만듭니다"},
        "desk_judge_items": {"verb": "approve"},
        "desk_judge_agreement": {"file": addresses.csv_file(b"example_id,kind\n", "labels.csv")},
    }


def unsettle(on: Stage) -> None:
    """Let rules say no."""
    JudgeConfig.objects.filter(pk=on.more["judge"].pk).update(state="reviewing")


def table(words: ModuleType) -> dict[str, Any]:
    """The rows of this app's addresses in the table of roles and answers, in its `words`."""
    Row, answers, refused = words.Row, words.answers, words.refused  # noqa: N806
    login_first, desk_read = words.login_first, words.DESK_READ
    visitor, editors, members = words.VISITOR, stage.EDITORS, words.MEMBERS
    return {
        "judge_request": Row(get=refused(), post=answers("404", to_submission=members)),
        # Without a judge's server nothing can be drafted; a file without labels meets no row.
        "desk_judge": login_first(
            get=desk_read, post=answers("404", login=visitor, invalid=editors)
        ),
        "desk_judge_config": login_first(
            get=desk_read, post=answers("404", login=visitor, to_desk_judge_config=editors)
        ),
        "desk_judge_copy": login_first(
            get=answers("405", login=visitor),
            post=answers("404", login=visitor, conflict=editors),
        ),
        "desk_judge_items": login_first(
            get=desk_read, post=answers("404", login=visitor, conflict=editors)
        ),
        "desk_judge_flags": login_first(get=desk_read, post=answers("405", login=visitor)),
        "desk_judge_compare": login_first(get=desk_read, post=answers("405", login=visitor)),
        "desk_judge_agreement": login_first(
            get=desk_read, post=answers("404", login=visitor, invalid=editors)
        ),
        # Nothing was judged that could be labelled: said where it was asked for.
        "desk_judge_labels": login_first(
            get=answers("404", login=visitor, to_desk_judge_agreement=editors),
            post=answers("405", login=visitor),
        ),
    }


def _show_what_a_judge_said_of_private_rows(patch: pytest.MonkeyPatch) -> None:
    honest = judge_board.judge_cells

    def of_private(config: Any, board: str, submissions: Any, **more: bool) -> Any:
        return honest(config, "private", submissions, **more)

    patch.setattr(judge_board, "judge_cells", of_private)


def _compare_what_a_judge_said_of_private_rows(patch: pytest.MonkeyPatch) -> None:
    honest = pairs.paired

    def of_private(config: Any, board: str, before: Any, after: Any) -> Any:
        return honest(config, "private", before, after)

    patch.setattr(pairs, "paired", of_private)


# Each makes an answer depend on private rows, and has to be found.
FAULTS = (_show_what_a_judge_said_of_private_rows, _compare_what_a_judge_said_of_private_rows)
# Addresses that take a file: what a visitor is answered, and who has no part in the contest.
UNKNOWN = "/c/talk/desk/judge/00000000-0000-4000-8000-000000000001"
UPLOADS = ((f"{UNKNOWN}/agreement", "/accounts/login/?next=", 404),)
