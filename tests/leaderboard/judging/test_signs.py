"""A role is found in a summary in linear time, and where a plain pattern finds one."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.judging.signs import ROLE_TAG, summary_flags

# As it was: what it says is easier to see, but it looks at a text from each of its places.
ROLE = re.compile(
    r"<\|?\s*/?\s*(system|assistant|user|im_start|im_end|inst)|\[/?INST\]|"
    r"(^|\n)\s*(system|assistant|user|시스템)\s*:|```|={4,}|#{3,}",
    re.IGNORECASE,
)
PIECES = "user", "System", "INST", "im_end", "<", "|", "/", "[", "]", ":", "\n", " ", "\t", "a"


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_a_role_is_found(text: str) -> None:
    assert (ROLE_TAG in summary_flags(text)) == (ROLE.search(text) is not None)


@pytest.mark.parametrize("text", ["\n", "user\n", "< ", "<" + " " * 50_000])
def test_a_long_text_is_looked_at_once(text: str) -> None:
    """A hundred thousand characters took this process ten seconds and more."""
    began = time.process_time()
    summary_flags(text * (100_000 // len(text)))
    assert time.process_time() - began < 5
