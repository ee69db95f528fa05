"""The guides for organizers and participants, which name everything as the pages do."""

import re
from pathlib import Path

import pytest
from django.utils.translation.trans_real import DjangoTranslation

from tests.servers import ROOT

DOCS = ROOT / "docs"
GUIDE, KOREAN = DOCS / "organizing.md", DOCS / "organizing.ko.md"
GUIDES = (GUIDE, KOREAN, DOCS / "participating.md", DOCS / "participating.ko.md")
# **라벨** (Label): words of the product, and what the English pages say for them.
LABEL = re.compile(r"\*\*([^*]+)\*\*(?:\s*\(([A-Z][^);]*)[);])?")


def sections(guide: Path) -> dict[str, str]:
    """The text below each heading, by the heading."""
    _, *parts = re.split(r"^## ", guide.read_text("utf-8"), flags=re.MULTILINE)
    return dict(part.split("\n", 1) for part in parts)


def labels(text: str) -> list[tuple[str, str]]:
    """What the text calls things of the product, and what it says for it in English, if it does."""
    found = [(_plain(korean), _plain(said)) for korean, said in LABEL.findall(text)]
    return [(korean, said) for korean, said in found if not korean.isascii()]


@pytest.mark.parametrize("name", ["organizing", "participating"])
def test_both_languages_say_the_same_steps(name: str) -> None:
    """Section by section they name the same buttons and pages, and number as many steps."""
    english, korean = sections(DOCS / f"{name}.md"), sections(DOCS / f"{name}.ko.md")
    assert len(english) == len(korean)
    for (title, one), (other_title, other) in zip(english.items(), korean.items(), strict=True):
        numbers = [each.partition(".")[0] for each in (title, other_title) if "." in each]
        assert len(set(numbers)) <= 1, title
        named = [{label for label, _ in labels(text)} for text in (one, other)]
        assert named[0] == named[1], title
        steps = [re.findall(r"^(\d+)\. ", text, re.MULTILINE) for text in (one, other)]
        assert steps[0] == steps[1], title
        codes = [{*re.findall("`([^`]+)`", text)} for text in (one, other)]
        assert codes[0] == codes[1], title


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_the_guide_calls_everything_what_the_pages_call_it(guide: Path) -> None:
    names = _names()
    found = labels(guide.read_text("utf-8"))
    assert len(set(found)) > (60 if guide in (GUIDE, KOREAN) else 15)
    assert [korean for korean, _ in found if korean not in names] == []
    assert [
        (korean, said, names[korean])
        for korean, said in found
        if said and said not in names[korean]
    ] == []


def _names() -> dict[str, set[str]]:
    """What the Korean pages say, and the English ones for it, whatever the context."""
    found: dict[str, set[str]] = {}
    for key, text in DjangoTranslation("ko")._catalog.items():  # type: ignore[attr-defined]
        english = (key[0] if isinstance(key, tuple) else key).rpartition("\x04")[2]
        found.setdefault(_plain(text), set()).add(_plain(english))
    return found


def _plain(text: str) -> str:
    """In one line, with every number and every place for one the same, in one kind of quotes."""
    quoted = re.sub(r"(?<=%\})|(?=\{% endblocktranslate)", '"', text)
    return re.sub(r"%\(\w+\)[sd]|\{\{ \w+ \}\}|\d+", "0", " ".join(quoted.split()))
