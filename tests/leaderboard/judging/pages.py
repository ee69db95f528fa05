"""Addresses of the judge's pages on the desk."""

from leaderboard.judging.models import JudgeConfig

JUDGE_DESK = "/c/talk/desk/judge"


def judge_page(config: JudgeConfig, end: str = "") -> str:
    """The address of a config's page on the desk, or of one behind it."""
    return f"{JUDGE_DESK}/{config.pk}{end}"
