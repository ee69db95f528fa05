"""Addresses of the judge's pages on the desk, and a contest that has them."""

from pytest_django import Settings

from leaderboard.competitions.models import Competition
from leaderboard.judging.models import JudgeConfig
from tests.leaderboard.judging import configs
from tests.leaderboard.web.pages import running

JUDGE_DESK = "/c/talk/desk/judge"
# What a browser sends of the settings that may change past the draft.
RUNNING = {
    "policy": "on_demand",
    "currency": "USD",
    "submissions_per_team_day": "3",
    "calls_per_submission": "9",
    "calls_per_team_day": "9",
    "calls_in_all": "9",
}


def judge_page(config: JudgeConfig, end: str = "") -> str:
    """The address of a config's page on the desk, or of one behind it."""
    return f"{JUDGE_DESK}/{config.pk}{end}"


def with_judge(settings: Settings) -> tuple[Competition, JudgeConfig]:
    """A contest that runs now, and a config of it that is switched on."""
    configs.connect(settings)
    contest = running()
    return contest, configs.active(contest)
