"""Reading dialogues: what is kept and what is refused, with its line."""

import pytest

from scoring.dialogues import InvalidDialogues, read
from scoring.findings import Limits


def test_lines_within_a_dialogue_stay_and_other_columns_are_left() -> None:
    data = '\ufefffname,topic,dialogue\nt_1,학교,"가: 안녕\n나: 응"\n\nt_2,,끝\n'.encode()
    assert read(data).texts == {"t_1": "가: 안녕\n나: 응", "t_2": "끝"}


def test_the_hash_is_blind_to_the_order_of_rows() -> None:
    one, other = (read(f"fname,dialogue\n{rows}".encode()) for rows in ("a,1\nb,2\n", "b,2\na,1\n"))
    assert one.sha256 == other.sha256 != read(b"fname,dialogue\na,1\nb,3\n").sha256


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"fname,summary\na,1\n", [("missing_column", 1)]),
        (b"fname,dialogue\n", [("no_dialogues", None)]),
        (b"fname,dialogue\n,1\na,2,3\na\n", [("empty_id", 2), ("too_many_fields", 3)]),
        (b"fname,dialogue\na,1\na,2\n", [("duplicate_id", 3)]),
        (b"fname,dialogue\na, \n", [("blank_dialogue", 2)]),
        (b"fname,dialogue\na,12345\n", [("dialogue_too_long", 2)]),
        (b"fname,dialogue\na,1\nb,2\nc,3\nd,4\n", [("too_many_rows", 5)]),
    ],
)
def test_refused(data: bytes, found: list[tuple[str, int | None]]) -> None:
    with pytest.raises(InvalidDialogues) as caught:
        read(data, Limits(max_cell=4, max_rows=3))
    assert [(one.code, one.line) for one in caught.value.problems][: len(found)] == found
