"""Patterns that strangers' texts meet take linear time, and match what plainer ones match."""

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.community.models import plain

# As they were: what they say is easier to see, but they look at a text from each of its places.
LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
SHORT = settings(max_examples=300)


def of(*pieces: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=14).map("".join)


@SHORT
@given(of("[", "]", "(", ")", "!", "\n", "a", "b"))
def test_a_link_is_its_words(text: str) -> None:
    assert plain(text) == LINK.sub(r"\1", text)


@pytest.mark.parametrize(
    ("look", "text"),
    [
        (plain, "["),
        (plain, "[]("),
    ],
)
def test_a_long_text_is_looked_at_once(look: Callable[[str], object], text: str) -> None:
    """A hundred thousand characters took this process ten seconds and more."""
    began = time.process_time()
    look(text * (100_000 // len(text)))
    assert time.process_time() - began < 5
