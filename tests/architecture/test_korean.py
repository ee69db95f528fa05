"""Particles in Korean sentences fit the word before them; none is left to the reader to choose."""

import ast
import gettext
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scoring.formula import describe
from scoring.messages import Language
from scoring.profile import PRESETS

ROOT = Path(__file__).resolve().parents[2]
CATALOGUES = (
    ROOT / "locale/ko/LC_MESSAGES/django.mo",
    ROOT / "scoring/locale/ko/LC_MESSAGES/scoring.mo",
)
HANGUL = re.compile("[가-힣]")
HOLE = "\0"
PLACEHOLDER = re.compile(r"%\([a-z_]+\)[a-z]|\{[a-z_]*(?::[^}가-힣]*)?\}")
# `{found:을,를}` and `josa` choose by the word; these leave it to the reader.
UNDECIDED = re.compile(r"[이을은와]\((?:가|를|는|과)\)|[가를는과]\((?:이|을|은|와)\)|\(으\)로")
VARYING = "으로|로|이|가|을|를|은|는|와|과"
GUESSED = re.compile(f"{HOLE}[’”\"']? ?(?:{VARYING})(?![가-힣])")
APART = re.compile(f"{HOLE}[’”\"']? (?:에|에서|에게|의|도|만|부터|까지|보다)(?![가-힣])")
LOOSE = re.compile("^(?:으로|로|을|를|은|는|와|과|에서|의) ")
LANGUAGES: tuple[Language, ...] = ("ko", "en")
ALL = {"undecided": UNDECIDED, "guessed": GUESSED, "set apart": APART, "loose": LOOSE}


def catalogues() -> Iterator[tuple[str, str]]:
    """Every text that a catalogue knows, in both languages."""
    for catalogue in CATALOGUES:
        with catalogue.open("rb") as file:
            known = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        for key, translated in known.items():
            text = key[0] if isinstance(key, tuple) else key
            yield catalogue.name, text.rsplit("\x04", 1)[-1]
            yield catalogue.name, translated


def in_python() -> Iterator[tuple[str, str]]:
    for folder in ("leaderboard", "scoring"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in file.parts:
                for line, text in literals(ast.parse(file.read_text())):
                    yield f"{file.relative_to(ROOT)}:{line}", text


def literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Texts of a module but its docstrings, with a hole for whatever an f-string fills in."""
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inside.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            inside.update(map(id, node.values))
            parts = (one.value if isinstance(one, ast.Constant) else HOLE for one in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and id(node) not in inside:
            yield node.lineno, str(node.value)


@cache
def sentences() -> list[tuple[str, str]]:
    found = [*catalogues(), *in_python()]
    return [(where, PLACEHOLDER.sub(HOLE, text)) for where, text in found if HANGUL.search(text)]


@pytest.mark.parametrize("wrong", ALL.values(), ids=ALL)
def test_no_particle_is_left_to_the_reader_guessed_or_set_apart(wrong: re.Pattern[str]) -> None:
    every = sentences()
    assert len(every) > 2000  # the catalogue and the sentences of the code
    assert [(where, text) for where, text in every if wrong.search(text)] == []


def test_the_forum_calls_a_reply_by_one_word() -> None:
    assert [text for _, text in catalogues() if "댓글" in text] == []


def test_nobody_is_told_of_bytes_or_of_letters_with_an_underscore() -> None:
    odd = re.compile(r"바이트|\bbytes?\b|\b[a-z]_i\b")
    every = [text for _, text in catalogues()]
    for profile in PRESETS.values():
        for language in LANGUAGES:
            words = describe(profile, language=language)
            every += [words.formula, words.explanation, words.legend]
    assert len(every) > 4000
    assert [text for text in every if odd.search(text)] == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{name}이(가) 없습니다.", UNDECIDED),
        ("%(name)s으로 로그인했습니다.", GUESSED),
        ("id {shown} 은 없습니다.", GUESSED),
        ("‘{kept}’로 적어야 합니다.", GUESSED),
        ("{count}번 까지", None),
        ("{limit} 까지 받습니다.", APART),
        ("으로 들어왔습니다.", LOOSE),
        ("{found:을,를} {read:으로,로} 읽었습니다.", None),
        ("이전 팀(%(name)s)은 남습니다.", None),
    ],
)
def test_the_patterns_find_what_they_are_for(text: str, wrong: re.Pattern[str] | None) -> None:
    told = [one for one in ALL.values() if one.search(PLACEHOLDER.sub(HOLE, text))]
    assert wrong in told if wrong else told == []
