"""Judge columns put straight into the tables, for tests of what shows them."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from leaderboard.boards.queries import LeaderboardEntry
from leaderboard.competitions.models import Competition
from leaderboard.judging.models import ColumnValue, JudgeConfig, Judging, Judgment
from leaderboard.references.models import DialogueSet
from leaderboard.submissions.models import Submission
from tests.leaderboard.builders import NOON, user


def judge(contest: Competition, *, label: str = "시험 심사") -> JudgeConfig:
    """An active config, its columns shown. On the contest's own dialogues, if it has any."""
    held = DialogueSet.objects.filter(competition=contest).first()
    dialogues = held or DialogueSet.objects.create(
        competition=contest,
        sha256="0" * 64,
        rows=4,
        file_name="d.csv",
        uploaded_by=user("olivia"),
        uploaded_at=NOON,
    )
    Competition.objects.filter(pk=contest.pk).update(shows_other_columns=True)
    contest.refresh_from_db()
    return JudgeConfig.objects.create(
        competition=contest,
        number=1,
        label=label,
        state="active",
        dialogue_set=dialogues,
        endpoint="default",
        model="none",
        config_hash="ab" * 32,
        created_by=user("olivia"),
        created_at=NOON,
    )


def give(
    config: JudgeConfig,
    submission: Submission,
    values: Mapping[str, tuple[float | None, int, int]],
    *,
    board: str = "public",
    state: str = "complete",
) -> Judging:
    """A judging with (mean, rows with a score, rows) by metric."""
    judging = Judging.objects.create(
        config=config,
        submission=submission,
        board=board,
        state=state,
        requested_at=NOON,
        day=date(2026, 11, 20),
    )
    for metric, (mean, scored, rows) in values.items():
        ColumnValue.objects.create(
            judging=judging, metric=metric, mean=mean, scored=scored, rows=rows, low=0.1, high=0.9
        )
    return judging


def give_rows(judging: Judging, scores: Mapping[str, Mapping[str, float | None]]) -> Judging:
    """Rows with these scores by metric and id; None: the judge was never heard."""
    for example_id in sorted({name for rows in scores.values() for name in rows}):
        found = {metric: rows[example_id] for metric, rows in scores.items() if example_id in rows}
        Judgment.objects.create(
            judging=judging,
            example_id=example_id,
            status="infra_error" if None in found.values() else "scored",
            results={
                metric: {"status": "infra_error" if score is None else "scored", "score": score}
                for metric, score in found.items()
            },
        )
    return judging


def judge_again(config: JudgeConfig) -> JudgeConfig:
    """The same config a second time, retired."""
    return JudgeConfig.objects.create(
        competition=config.competition,
        number=2,
        label="옛 심사",
        state="retired",
        dialogue_set=config.dialogue_set,
        endpoint="default",
        model="none",
        created_by=config.created_by,
        created_at=NOON,
    )


def cells_of(entry: LeaderboardEntry) -> list[Any]:
    """What the judge's columns hold in a row of a board."""
    return [cell.value for cell in entry.cells if cell.column.is_reference]
