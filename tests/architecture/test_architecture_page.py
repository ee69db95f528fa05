"""The page to read first is true: what it names is there, and no layer is missing on it."""

import re

from tests.architecture import rules

PAGE = (rules.ROOT / "docs" / "architecture.md").read_text()


def test_every_file_the_page_names_exists() -> None:
    named = re.findall(r"`((?:leaderboard|scoring|templates)/[\w/.-]*)`", PAGE)
    assert len(named) > 12
    assert [name for name in named if not (rules.ROOT / name).exists()] == []


def test_every_app_stands_on_the_page() -> None:
    apps = set(rules.layers()) - {"urls"}
    table = PAGE.split("## The road")[0].split("## Layers")[1]
    rows = "\n".join(line.split("|")[1] for line in table.splitlines() if line.startswith("|"))
    assert {app for app in apps if f"`{app}`" not in rows} <= {"api"}  # not built yet
