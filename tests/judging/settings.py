"""All settings by name, for the type checker: it cannot see what an app reads by itself."""

from leaderboard.judging.settings import *  # noqa: F403
from tests.settings import *  # noqa: F403
