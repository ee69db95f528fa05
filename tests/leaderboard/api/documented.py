"""The list of operations in docs/api.md, made from the OpenAPI document, and its texts for gettext.

`python -m tests.leaderboard.api.documented` writes both again.
"""

import json
import os
import textwrap
from collections.abc import Iterator

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.utils.translation import override  # noqa: E402

from leaderboard.api import page  # noqa: E402
from leaderboard.api.urls import api  # noqa: E402
from tests.servers import ROOT  # noqa: E402

PAGE = ROOT / "docs/api.md"
WORDING = ROOT / "leaderboard/api/wording.py"
BASE = "/api/v1"
LIST = "\n### "  # where it begins: it has the page's only headings of this kind


def operations() -> str:
    """A table for each tag."""
    with override("en"):
        groups = page.groups(api)
    return "\n".join(line for tag, found in groups.items() for line in _of(tag, found))


def _of(tag: str, found: list[page.OperationText]) -> Iterator[str]:
    yield f"\n### {tag}\n"
    yield "| operation | request | token | what it does |"
    yield "| --- | --- | --- | --- |"
    for one in found:
        request = f"`{one.method} {one.path.removeprefix(BASE)}`"
        yield f"| `{one.name}` | {request} | {one.scope} | {one.summary} |"


def texts() -> list[str]:
    """Every text of the OpenAPI document that `/api` shows, once."""
    with override("en"):
        seen = {field.about for field in page.problem(api)}
        for one in (one for found in page.groups(api).values() for one in found):
            fields = (*one.parameters, *one.body, *one.answer)
            seen |= {one.summary, one.rest, *(field.about for field in fields)}
    return sorted(filter(None, seen))


def wording() -> str:
    """The module that marks them for the catalogue."""
    head, _, _ = WORDING.read_text().partition("TEXTS = (")
    return f"{head}TEXTS = (\n{''.join(map(_marked, texts()))})\n"


def _marked(text: str) -> str:
    if len(text) <= 90:
        return f"    _({_quoted(text)}),\n"
    lines = textwrap.wrap(text, 84, drop_whitespace=False)
    return "    _(\n" + "".join(f"        {_quoted(line)}\n" for line in lines) + "    ),\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    by_hand, _, _ = PAGE.read_text().partition(LIST)
    PAGE.write_text(f"{by_hand.rstrip()}\n{operations()}\n")
    WORDING.write_text(wording())
