"""Settings of a stack whose processes can be held in five places: see `points`."""

from leaderboard.settings import *  # noqa: F403
from leaderboard.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.faults.points.Points"]
