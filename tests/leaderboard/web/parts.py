"""What apps that may be left out add to the contest of the crawls, and to what is expected there.

Such an app has a module `crawled` beside its tests; see that of the judge for what stands in it.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from django.conf import settings


@cache
def parts() -> list[ModuleType]:
    """The modules `crawled` of the installed apps."""
    apps = [app for app in settings.INSTALLED_APPS if app.startswith("leaderboard.")]
    tests = [f"tests.{app}" for app in apps if find_spec(f"tests.{app}")]
    return [import_module(f"{one}.crawled") for one in tests if find_spec(f"{one}.crawled")]
