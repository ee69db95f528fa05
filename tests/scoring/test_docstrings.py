"""The examples in the docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import scoring

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(scoring.__path__, "scoring.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
