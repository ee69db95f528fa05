"""Cells of our own files: what a spreadsheet could take for a formula."""

import pytest

from scoring.table import FORMULA_STARTS, safe, unmarked

UNSEEN = (" ", "\n", "\x85", "\u00a0", "\u200b", "\u202e", "\u2060", "\ufeff", " \u200b\n")


@pytest.mark.parametrize("start", FORMULA_STARTS)
def test_no_cell_begins_like_a_formula(start: str) -> None:
    assert safe(f"{start}1+1") == f"'{start}1+1"


@pytest.mark.parametrize("start", [start for start in FORMULA_STARTS if not start.isspace()])
@pytest.mark.parametrize("unseen", UNSEEN)
def test_no_cell_does_so_behind_what_nobody_sees(unseen: str, start: str) -> None:
    cell = f"{unseen}{start}cmd|' /C calc'!A0"
    assert safe(cell) == f"'{cell}"


@pytest.mark.parametrize("text", ["", "새벽", "3.5", " 새벽", "\u200b새벽", "a=1", "'새벽", "1'=1"])
def test_all_else_stays(text: str) -> None:
    assert safe(text) == text


NAMES = [
    f"{marks}{unseen}{start}{rest}"
    for marks in ("", "'", "''", " '", "' '")
    for unseen in ("", *UNSEEN)
    for start in ("", *FORMULA_STARTS)
    for rest in ("", "x", "'=x")
]


def test_no_two_names_are_written_alike_and_each_is_read_back() -> None:
    names = set(NAMES)
    assert len({safe(name) for name in names}) == len(names)
    assert [unmarked(safe(name)) for name in names] == list(names)
