"""Every verb of `actions`, found by itself: what is tried with all of them misses no new one."""

import inspect
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

Verb = Callable[..., Any]


def verbs(package: str = "leaderboard.actions") -> dict[str, Verb]:
    """The functions of a package that write: those that insist on names of their arguments."""
    found: dict[str, Verb] = {}
    for each in iter_modules(import_module(package).__path__):
        module = import_module(f"{package}.{each.name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            kinds = {one.kind for one in inspect.signature(function).parameters.values()}
            is_own = function.__module__ == module.__name__ and not name.startswith("_")
            if is_own and inspect.Parameter.KEYWORD_ONLY in kinds:
                assert name not in found, f"two verbs are called {name}"
                found[name] = function
    return found


def asked(verb: Verb, *besides: str) -> list[str]:
    """The names of the arguments that have to be given, and those of `besides` that may be."""
    return [
        name
        for name, one in inspect.signature(verb).parameters.items()
        if one.default is one.empty or name in besides
    ]
