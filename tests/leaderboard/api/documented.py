"""The list of operations in docs/api.md, made from the OpenAPI document.

`python -m tests.leaderboard.api.documented` writes it again.
"""

import os
from collections.abc import Iterator

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from leaderboard.api import page  # noqa: E402
from leaderboard.api.urls import api  # noqa: E402
from tests.servers import ROOT  # noqa: E402

PAGE = ROOT / "docs/api.md"
BASE = "/api/v1"
LIST = "\n### "  # where it begins: it has the page's only headings of this kind


def operations() -> str:
    """A table for each tag."""
    groups = page.groups(api.get_openapi_schema())
    return "\n".join(line for tag, found in groups.items() for line in _of(tag, found))


def _of(tag: str, found: list[page.OperationText]) -> Iterator[str]:
    yield f"\n### {tag}\n"
    yield "| operation | request | token | what it does |"
    yield "| --- | --- | --- | --- |"
    for one in found:
        token = "needed" if one.needs_token else ""
        request = f"`{one.method} {one.path.removeprefix(BASE)}`"
        yield f"| `{one.name}` | {request} | {token} | {one.summary} |"


if __name__ == "__main__":
    by_hand, _, _ = PAGE.read_text().partition(LIST)
    PAGE.write_text(f"{by_hand.rstrip()}\n{operations()}\n")
