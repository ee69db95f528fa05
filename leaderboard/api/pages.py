"""The pages for people who write programs.

`/api`: a first call, and what each code of an error means, from the sentences that say it.
`/cli`: the command line and importable client, with this server's address filled in.
"""

import ast
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, override
from django.views.decorators.http import require_safe

from leaderboard.refusals import Forbidden, Invalid, Refused, TooMany, Unknown
from leaderboard.texts import reader_language, say
from leaderboard.web.errors import CODES, INVALID_FILE
from scoring import messages
from scoring.messages import FILE_TEXTS, Language

CODE = Path(__file__).parent.parent
CLIENT = Path(__file__).parent / "client" / "leaderboard_client.py"
UNNAMED = '\nSERVER = ""'
GAP = "(…)"  # where a value would stand


@dataclass(frozen=True)
class CodeText:
    """One code: the statuses it comes with, if it has any, and everything that it can say."""

    code: str
    statuses: list[int]
    sentences: list[str]


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The page that `type` of a problem leads to. Operations are on ninja's own page."""
    language = reader_language()
    found = {"codes": codes(language), "file_codes": file_codes(language)}
    return render(request, "api.html", found)


def codes(language: Language) -> list[CodeText]:
    """Every code that a problem can have, in the order of the alphabet."""
    found: dict[str, tuple[set[int], dict[str, None]]] = {}
    of_statuses = ((one.code, number, one.meaning) for number, one in CODES.items())
    of_files = (INVALID_FILE.code, 422, INVALID_FILE.meaning)
    with override(language):
        for code, status, text in (of_files, *of_statuses, *_refusals()):
            said = gettext(str(text))
            statuses, sentences = found.setdefault(code, (set(), {}))
            statuses.add(status)
            sentences[say(said, language, **_gaps(said))] = None
    return [CodeText(code, sorted(of), list(said)) for code, (of, said) in sorted(found.items())]


def file_codes(language: Language) -> list[CodeText]:
    """Every code of `problems` and notices, in the order of a check: file, header, rows, golds."""
    wanting = {"hint": "", "where": ""}  # what a sentence may do without
    return [
        CodeText(code, [], [messages.say(language, text, **{**_gaps(text), **wanting})])
        for code, text in FILE_TEXTS.items()
    ]


@cache
def _refusals() -> list[tuple[str, int, str]]:
    """Each text of a refusal with its code and status, read where the code says it: a refusal is
    made when it is raised, so no list of them exists while the server runs."""
    sources = (file.read_text(encoding="utf-8") for file in sorted(CODE.rglob("*.py")))
    trees = (
        ast.parse(text) for text in sources if "leaderboard.refusals" in text or "Limit(" in text
    )
    classes: list[type[Refused]] = [Refused, Forbidden, Unknown, Invalid, TooMany]
    kinds = {one.__name__: one.status for one in classes}
    calls = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = []
    for call in calls:
        match call:
            case ast.Call(ast.Name(name), [ast.Constant(str(code)), *texts]) | ast.Call(
                ast.Name("partial"), [ast.Name(name), ast.Constant(str(code)), *texts]
            ) if name in kinds:
                given = {one.arg: ast.unparse(one.value) for one in call.keywords}
                status = int(given.get("status", kinds[name]))
            case ast.Call(ast.Name("Limit"), [ast.Constant(str(code)), _, _, *texts]):
                status = 429
            case _:
                continue
        said = (node for text in texts for node in ast.walk(text))
        found += [
            (code, status, node.value)
            for node in said
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
    return found


def _gaps(text: str) -> dict[str, str]:
    """A gap in place of each value."""
    return {name: GAP for _, name, _, _ in Formatter().parse(text) if name}


@require_safe
def cli(request: HttpRequest) -> HttpResponse:
    """The one file, to be saved under its own name."""
    named = f"\nSERVER = {json.dumps(settings.BASE_URL)}"
    text = CLIENT.read_text(encoding="utf-8").replace(UNNAMED, named, 1)
    response = HttpResponse(text, content_type="text/x-python; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{CLIENT.name}"'
    return response
