"""Whether the stock `kaggle` command may be pointed here (docs/kaggle.md)."""

from leaderboard.operations import variables
from leaderboard.operations.variables import Env

variables.check({"KAGGLE_FACADE": variables.SWITCH})

env = Env()

KAGGLE_FACADE = env.bool("KAGGLE_FACADE", default=False)
