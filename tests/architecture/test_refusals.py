"""Every refusal of the code has its sentence, and is given the values that the sentence shows."""

import ast
from collections.abc import Iterator
from string import Formatter

from django.apps import apps
from django.utils.translation import override

from leaderboard.actions.refusals import Refused
from leaderboard.texts import Said
from tests.architecture import rules


def kinds(of: type[Said] = Said) -> Iterator[type[Said]]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def places(kind: type[Said], key: str) -> set[str]:
    with override("ko"):
        texts = [str(text) for text in kind.sentences[key]]
    return {name for text in texts for _, name, _, _ in Formatter().parse(text) if name}


def test_every_refusal_has_its_sentence_and_the_values_it_shows() -> None:
    known = {kind.__name__: kind for kind in kinds() if kind.sentences}
    assert apps.ready
    seen, faults = 0, []
    for file in sorted((rules.ROOT / "leaderboard").rglob("*.py")):
        for node in ast.walk(rules.parsed(file.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
                continue
            kind, key = known.get(node.func.id), node.args[0]
            if kind is None or not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                continue
            seen += 1
            given = {word.arg for word in node.keywords}
            if key.value not in kind.sentences:
                faults.append(f"{file.name}:{node.lineno} {key.value}: no sentence")
            elif None not in given and not places(kind, key.value) <= given:
                faults.append(f"{file.name}:{node.lineno} {key.value}: values are missing")
    assert seen > 100
    assert faults == []


def test_every_status_belongs_to_a_refusal() -> None:
    said = {key for kind in kinds() for key in kind.sentences}
    named = {
        key
        for kind in (Refused, *kinds(Refused))
        for keys in kind.statuses.values()
        for key in keys.split()
    }
    assert named
    assert named <= said
