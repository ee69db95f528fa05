"""docs/organizing.md, in both languages, walked in a real browser on a real stack."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.utils.translation.trans_real import DjangoTranslation
from playwright.sync_api import Browser

from tests.browser import organizing_after as after
from tests.browser import organizing_before as before
from tests.browser import organizing_during as during
from tests.browser.organizer import Walk, walking
from tests.servers import ROOT
from tests.stack import Stack

DOCS = ROOT / "docs"
GUIDE, KOREAN = DOCS / "organizing.md", DOCS / "organizing.ko.md"
GUIDES = (GUIDE, KOREAN, DOCS / "participating.md", DOCS / "participating.ko.md")
STEPS: dict[str, Callable[[Walk], None]] = {
    "1. An account that may make contests": before.get_an_account,
    "2. Make the contest": before.make_the_contest,
    "3. Write the pages, set the limits": before.write_pages_and_limits,
    "4. Set the dates": before.set_the_dates,
    "5. Give out data files": before.give_out_data_files,
    "6. Upload the golds and make them live": before.upload_the_golds,
    "7. Release a dev set": before.release_a_dev_set,
    "8. Decide how people join": before.decide_how_people_join,
    "9. Share the work": before.share_the_work,
    "10. Enrol a class": before.enrol_a_class,
    "11. Announce the opening": before.announce_the_opening,
    "12. Look at the overview": during.look_at_the_overview,
    "13. Pause, resume, move dates": during.pause_and_move_dates,
    "14. Help a team": during.help_a_team,
    "15. Take something off the board": during.take_something_off_the_board,
    "16. Show a baseline": during.show_a_baseline,
    "17. Score again what failed": during.score_again_what_failed,
    "18. Correct the golds": during.correct_the_golds,
    "19. The freeze": after.freeze_the_board,
    "20. Hold the reveal": after.hold_the_reveal,
    "21. Look for copies": after.look_for_copies,
    "22. Take everything out": after.take_everything_out,
    "23. The close: verify": after.close_and_verify,
    "24. The reveal": after.reveal,
    "25. Read the log": after.read_the_log,
    "26. Begin the next contest": after.begin_the_next,
    "27. Archive it, or delete it": after.archive_and_delete,
}


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


def test_each_section_of_the_guide_is_a_step_of_the_walk() -> None:
    assert list(sections(GUIDE)) == list(STEPS)
    numbers = [title.partition(".")[0] for title in STEPS]
    assert [title.partition(".")[0] for title in sections(KOREAN)] == numbers


@pytest.mark.parametrize("name", ["organizing", "participating"])
def test_both_languages_say_the_same_steps(name: str) -> None:
    """Section by section they name the same buttons and pages, and number as many steps."""
    english, korean = sections(DOCS / f"{name}.md"), sections(DOCS / f"{name}.ko.md")
    assert len(english) == len(korean)
    for (title, one), (_, other) in zip(english.items(), korean.items(), strict=True):
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


@pytest.fixture(scope="module")
def empty_stack() -> Iterator[Stack]:
    with Stack() as stack:
        yield stack


@pytest.mark.browser
@pytest.mark.slow  # waits for the clock of a real contest: freeze, close and reveal
def test_the_guide_can_be_followed_as_written(empty_stack: Stack, chromium: Browser) -> None:
    with walking(empty_stack, chromium) as walk:
        for title, step in STEPS.items():
            try:
                step(walk)
            except BaseException as error:
                number = title.partition(".")[0]
                error.add_note(f"in section {number} of {GUIDE.name} and {KOREAN.name}")
                raise
        assert walk.complaints == []
