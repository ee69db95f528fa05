"""docs/organizing.md, walked in a real browser on a real stack: nothing missing."""

import re
from collections.abc import Callable, Iterator

import pytest
from django.utils.translation.trans_real import DjangoTranslation
from playwright.sync_api import Browser

from tests.browser import organizing_after as after
from tests.browser import organizing_before as before
from tests.browser import organizing_during as during
from tests.browser.organizer import Walk, walking
from tests.servers import ROOT
from tests.stack import Stack

GUIDE = ROOT / "docs" / "organizing.md"
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
}


# **라벨** (Label): words of the product, and what the English pages say for them.
LABEL = re.compile(r"\*\*([^*]+)\*\*(?:\s*\(([A-Z][^);]*)[);])?")


def test_each_section_of_the_guide_is_a_step_of_the_walk() -> None:
    titles = re.findall(r"^## (.+)$", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert titles == list(STEPS)


def test_the_guide_calls_everything_what_the_pages_call_it() -> None:
    names = _names()
    labels = [
        (_plain(korean), _plain(said))
        for korean, said in LABEL.findall(GUIDE.read_text("utf-8"))
        if not korean.isascii()
    ]
    assert len(set(labels)) > 60
    assert [korean for korean, _ in labels if korean not in names] == []
    assert [
        (korean, said, names[korean])
        for korean, said in labels
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
                error.add_note(f"in section {title!r} of {GUIDE.name}")
                raise
        assert walk.complaints == []
