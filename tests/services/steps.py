"""The steps of the random walk, with those of apps that may be left out: each its `walk` here."""

from importlib import import_module
from pathlib import Path

from tests.services.walk_boards import BoardSteps
from tests.services.walk_forum import ForumSteps
from tests.services.walk_merges import MergeSteps
from tests.services.walk_people import PeopleSteps
from tests.services.walk_regrouping import RegroupingSteps
from tests.services.walk_telling import TellingSteps
from tests.services.walker import Walker

OTHERS = [
    import_module(f"tests.services.{file.parent.name}.walk")
    for file in sorted(Path(__file__).parent.glob("*/walk.py"))
]
STEPS: list[type[Walker]] = [
    BoardSteps,
    ForumSteps,
    PeopleSteps,
    RegroupingSteps,
    MergeSteps,
    TellingSteps,
    *(other.Steps for other in OTHERS),
]
WEIGHTS = {name: weight for steps in STEPS for name, weight in steps.WEIGHTS.items()}
Everything = type("Everything", tuple(STEPS), {"WEIGHTS": WEIGHTS})
