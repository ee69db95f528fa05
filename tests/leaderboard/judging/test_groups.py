"""Teams in groups that a judge cannot tell apart: all pairs at once, by rows drawn again."""

from datetime import timedelta

import pytest

from leaderboard.competitions.models import Competition
from leaderboard.judging.models import ColumnValue, JudgeConfig, Judgment
from leaderboard.judging.pairs import JudgeGroups, judge_groups
from leaderboard.submissions.models import Submission
from tests.leaderboard.builders import hand_in, score_all, team, user, viewer_of
from tests.leaderboard.judging import configs, judged
from tests.leaderboard.material import GOLDS, NOON, REVEALS, SPLITS

pytestmark = pytest.mark.django_db

MORE = {f"row_{n:02}": ("요약이다.",) for n in range(18)}
BOARDS = {**SPLITS, **dict.fromkeys(MORE, "public")}
TEXTS = {name: texts[0] for name, texts in (GOLDS | MORE).items()}
WORSE = {**TEXTS, "row_00": "아무 말"}
PUBLIC = [name for name, board in BOARDS.items() if board == "public"]  # twenty
# Rows go up and down around 0.8, or stand far below it.
LEVELS = {
    "alice": [0.8] * 20,
    "bob": [0.9, 0.6] * 10,  # 0.75: now above Alice's, now below
    "charlie": [0.5] * 20,
    "dora": [0.55, 0.4] * 10,  # 0.475: below Bob, not below Charlie
}


@pytest.fixture
def contest() -> Competition:
    return configs.contest_of({**GOLDS, **MORE}, BOARDS)


@pytest.fixture
def config(contest: Competition) -> JudgeConfig:
    """Every team's one file, judged to the last row."""
    config = judged.judge(contest)
    for name, scores in LEVELS.items():
        give(config, hand_in(team(contest, name), TEXTS), scores)
    score_all()
    return config


def give(
    config: JudgeConfig, submission: Submission, scores: list[float], board: str = "public"
) -> None:
    value = {"summarization": (sum(scores) / len(scores), len(scores), len(scores))}
    rows = dict(zip(PUBLIC, scores, strict=False))
    judging = judged.give(config, submission, value, board=board)
    judged.give_rows(judging, {"summarization": rows})


def seen(config: JudgeConfig, who: str = "olivia") -> tuple[JudgeGroups, ...]:
    return judge_groups(viewer_of(config.competition, user(who), NOON + timedelta(hours=1)), config)


def test_a_group_goes_on_until_a_file_is_distinguishably_below_its_first(
    config: JudgeConfig,
) -> None:
    (found,) = seen(config)
    assert (found.board, found.metric, found.left_out) == ("public", "summarization", 0)
    assert [(row.number, row.is_first, row.mean) for row in found.rows] == [
        (1, True, "0.800"),
        (1, False, "0.750"),
        (2, True, "0.500"),
        (2, False, "0.475"),
    ]
    # Bob's rows move most, by 0.15 up or down: of twenty drawn again, in 4 % of the draws fifteen
    # or more go one way, in 12 % fourteen. So 0.15 x (14 - 6) / 20, widened for twenty rows by
    # sqrt(20 / 19) x (1 + 1.21 / 19), and rounded up.
    assert found.threshold == "0.066"


def test_only_rows_that_all_files_have_are_compared(config: JudgeConfig) -> None:
    """Alice's last row cannot have a value: nineteen are left, which tell nothing apart."""
    row = Judgment.objects.get(judging__submission__team__name="alice", example_id=PUBLIC[-1])
    row.results["summarization"] |= {"status": "not_applicable", "score": None}
    row.save()
    ColumnValue.objects.filter(mean=0.8).update(scored=19, rows=19)
    (found,) = seen(config)
    assert found.threshold == ""
    assert {row.number for row in found.rows} == {1}
    assert [row.is_first for row in found.rows] == [True, False, False, False]


def test_only_complete_files_that_are_on_the_board_are_grouped(
    contest: Competition, config: JudgeConfig
) -> None:
    ColumnValue.objects.filter(mean=0.5).update(scored=19)  # Charlie's waits for a row
    older = hand_in(team(contest, "alice"), WORSE, at=NOON + timedelta(minutes=1))
    give(config, older, [0.99] * 20)  # not Alice's best by the score, so not on the board
    (found,) = seen(config)
    assert [row.mean for row in found.rows] == ["0.800", "0.750", "0.475"]


def test_private_rows_make_groups_only_from_the_reveal_on(
    contest: Competition, config: JudgeConfig
) -> None:
    for submission in Submission.objects.all():
        give(config, submission, [0.3, 0.4], board="private")
    assert [found.board for found in seen(config)] == ["public"]
    revealed = judge_groups(viewer_of(contest, user("olivia"), REVEALS), config)
    assert [found.board for found in revealed] == ["public", "private"]
