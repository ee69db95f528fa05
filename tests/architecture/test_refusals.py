"""Every refusal of the code is given the values that its sentences show."""

import ast
from collections.abc import Iterator
from string import Formatter

from tests.architecture import rules

KINDS = {"Refused", "Forbidden", "Unknown", "Invalid", "TooMany", "LineProblem"}


def texts(call: ast.Call) -> Iterator[str]:
    for given in call.args[1:]:
        for node in ast.walk(given):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_every_refusal_is_given_the_values_it_shows() -> None:
    seen, faults = 0, []
    for file in sorted((rules.ROOT / "leaderboard").rglob("*.py")):
        for node in ast.walk(rules.parsed(file.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id not in KINDS:
                continue
            seen += 1
            given = {word.arg for word in node.keywords}
            shown = {name for text in texts(node) for _, name, _, _ in Formatter().parse(text)}
            if None not in given and not shown - {None} <= given:
                faults.append(f"{file.name}:{node.lineno}: values are missing")
    assert seen > 200
    assert faults == []
