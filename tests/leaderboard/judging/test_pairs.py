"""Two submissions under one config: differences row by row, on the boards that may be seen."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import pytest

from leaderboard.competitions.models import Competition
from leaderboard.judging.models import JudgeConfig, Judgment
from leaderboard.judging.pairs import JudgePair, JudgePairs, judge_pairs
from leaderboard.submissions.models import Submission
from scoring.judges import rows
from scoring.judges.records import RowResult, Status
from tests.leaderboard.builders import hand_in, team, user, viewer_of
from tests.leaderboard.judging import configs, judged
from tests.leaderboard.material import GOLDS, NOON, REVEALS, SPLITS

pytestmark = pytest.mark.django_db

MORE = {f"row_{n:02}": ("요약이다.",) for n in range(36)}
BOARDS = {**SPLITS, **{name: ("public", "private")[int(name[-2:]) % 2] for name in MORE}}
PUBLIC = [name for name, board in BOARDS.items() if board == "public"]  # twenty of each
PRIVATE = [name for name, board in BOARDS.items() if board == "private"]
TEXTS = {name: texts[0] for name, texts in MORE.items()}
Scores = Mapping[str, float | None]


@pytest.fixture
def contest() -> Competition:
    return configs.contest_of({**GOLDS, **MORE}, BOARDS)


@pytest.fixture
def config(contest: Competition) -> JudgeConfig:
    return judged.judge(contest)


@pytest.fixture
def two(contest: Competition) -> tuple[Submission, Submission]:
    alices = team(contest, "alice")
    return hand_in(alices, TEXTS), hand_in(alices, TEXTS, at=NOON + timedelta(minutes=1))


def judge(
    config: JudgeConfig, given: Submission, scores: Scores, board: str = "public", **fields: str
) -> None:
    made = judged.give(config, given, {}, board=board, **fields)
    judged.give_rows(made, {"alignment": scores})


def seen(two: tuple[Submission, Submission], who: str, at: datetime = NOON) -> list[JudgePairs]:
    first, second = (each.pk for each in two)
    contest = Competition.objects.get()
    return list(judge_pairs(viewer_of(contest, user(who), at), first, second))


def only(two: tuple[Submission, Submission]) -> JudgePair:
    (board,) = seen(two, "alice")
    (value,) = board.values
    return value


def test_a_small_steady_gain_is_seen_where_the_two_intervals_overlap(
    config: JudgeConfig, two: tuple[Submission, Submission]
) -> None:
    before = {name: n / 20 for n, name in enumerate(PUBLIC)}
    after = {
        name: score + (0.02 if n % 2 else 0.04) for n, (name, score) in enumerate(before.items())
    }
    judge(config, two[0], before)
    judge(config, two[1], after)
    first, second = (
        rows.column(RowResult("alignment", Status.SCORED, score) for score in each.values())
        for each in (before, after)
    )
    assert second.low < first.mean < second.mean < first.high
    found = only(two)
    # 0.475 is the mean of 0.0, 0.05 … 0.95; ten rows gain 0.02, ten 0.04.
    assert (found.before, found.after, found.difference) == ("0.475", "0.505", "+0.030")
    assert (found.rows, found.verdict) == (20, "higher")
    # No mean of gains of 0.02 and 0.04 lies outside them.
    assert "+0.020" <= found.low < "+0.030" < found.high <= "+0.040"
    turned = only((two[1], two[0]))
    assert (turned.difference, turned.verdict) == ("−0.030", "lower")
    assert (turned.low[0], turned.high[0]) == ("−", "−")


@pytest.mark.parametrize(("number", "verdict"), [(1, "same"), (19, "same"), (20, "higher")])
def test_fewer_than_twenty_rows_say_nothing(
    config: JudgeConfig, two: tuple[Submission, Submission], number: int, verdict: str
) -> None:
    judge(config, two[0], dict.fromkeys(PUBLIC[:number], 0.25))
    judge(config, two[1], dict.fromkeys(PUBLIC[:number], 0.75))
    found = only(two)
    assert (found.difference, found.rows, found.verdict) == ("+0.500", number, verdict)
    assert (found.low, found.high) == (("", "") if number == 1 else ("+0.500", "+0.500"))


def test_means_are_of_the_rows_that_both_have_under_the_live_golds(
    config: JudgeConfig, two: tuple[Submission, Submission]
) -> None:
    one, other, unheard, moved = PUBLIC[:3] + PRIVATE[:1]
    judge(config, two[0], {one: 0.2, other: 0.4, unheard: 1.0, moved: 1.0, "gone": 1.0})
    judge(
        config,
        two[1],
        {one: 0.4, other: 0.0, unheard: None, moved: 0.0, "gone": 0.0},
        state="waiting",
    )
    row = Judgment.objects.get(judging__submission=two[1], example_id=other)
    row.results["alignment"]["status"] = "content_failed"
    row.save()
    (board,) = seen(two, "alice")
    assert board.is_partial
    (found,) = board.values
    # (0.2 + 0.4) / 2 and (0.4 + 0.0) / 2: the file's own failure counts, the server's does not.
    assert (found.before, found.after, found.rows) == ("0.300", "0.200", 2)


def test_private_rows_wait_for_the_reveal_for_everybody(
    config: JudgeConfig, two: tuple[Submission, Submission]
) -> None:
    for board, ids in (("public", PUBLIC), ("private", PRIVATE)):
        for submission in two:
            judge(config, submission, dict.fromkeys(ids, 0.5), board)
    just_before = REVEALS - timedelta(microseconds=1)
    for who in ("alice", "olivia"):
        assert [each.board for each in seen(two, who, just_before)] == ["public"]
        assert [each.board for each in seen(two, who, REVEALS)] == ["public", "private"]


def test_two_configs_are_never_compared(
    config: JudgeConfig, two: tuple[Submission, Submission]
) -> None:
    retired = judged.judge_again(config)
    judge(config, two[0], dict.fromkeys(PUBLIC, 0.5))
    judge(retired, two[1], dict.fromkeys(PUBLIC, 0.5))
    assert seen(two, "alice") == []
    judge(retired, two[0], dict.fromkeys(PUBLIC, 0.1))
    assert seen(two, "alice") == []  # both, but under a config that is not shown
    first, second = (each.pk for each in two)
    owners = viewer_of(config.competition, user("olivia"), NOON)
    (found,) = judge_pairs(owners, first, second, config=retired)
    assert (found.config.number, found.values[0].difference) == (2, "+0.400")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (("mastra", "coverage", "alignment"), ("coverage", "mastra", "alignment", "adherence"),
         ["alignment", "coverage"]),
        (("mastra", "deepeval"), ("mastra", "coverage"), ["mastra"]),
        (("mastra",), ("coverage",), []),
    ],
)  # fmt: skip
def test_columns_of_both_are_compared_in_their_order_or_else_the_system_that_was_run(
    config: JudgeConfig,
    two: tuple[Submission, Submission],
    first: tuple[str, ...],
    second: tuple[str, ...],
    expected: list[str],
) -> None:
    for submission, names in zip(two, (first, second), strict=True):
        made = judged.give(config, submission, {})
        judged.give_rows(made, {name: dict.fromkeys(PUBLIC, 0.5) for name in names})
    found = [value.metric for board in seen(two, "alice") for value in board.values]
    assert found == expected
