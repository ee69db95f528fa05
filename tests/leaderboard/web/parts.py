"""What apps that may be left out add to the contest of the crawls, and to what is expected there.

Such an app has a module `crawled` beside its tests; see that of the judge for what stands in it.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from django.apps import apps


@cache
def parts() -> list[ModuleType]:
    """The modules `crawled` of the installed apps."""
    own = [app.name for app in apps.get_app_configs() if app.name.startswith("leaderboard.")]
    tests = [f"tests.{app}" for app in own if find_spec(f"tests.{app}")]
    return [import_module(f"{one}.crawled") for one in tests if find_spec(f"{one}.crawled")]
