"""The examples in the docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import scoring

MODULES = sorted(
    f"scoring.{module.name}"
    for module in pkgutil.iter_modules(scoring.__path__)
    if not module.name.startswith("__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
