"""A repaired file is the same file, and nothing is guessed."""

import pytest

from scoring import predictions
from scoring.predictions.repair import repair

IDS = ["test_0", "test_1"]
GOOD = 'fname,summary\ntest_0,"가, 나"\ntest_1,다\n'
TEXTS = dict(predictions.read(GOOD.encode(), IDS).texts)

MENDABLE = [
    ("semicolons", b"fname;summary\ntest_0;\xea\xb0\x80, \xeb\x82\x98\ntest_1;\xeb\x8b\xa4\n",
     ["fixed_delimiter"]),
    ("tabs", GOOD.replace(",", "\t").replace("\t 나", ", 나").encode(), ["fixed_delimiter"]),
    ("sep line", ("sep=,\n" + GOOD).encode(), ["fixed_separator_line"]),
    ("unquoted comma", GOOD.replace('"', "").encode(), ["fixed_commas"]),
    ("empty columns", GOOD.replace("\n", ",,\n").replace("summary,,", "summary").encode(), [
        "fixed_commas"]),
    ("repetition", (GOOD + "test_1,다\n").encode(), ["fixed_duplicate"]),
    ("blanks before quotes", GOOD.replace(',"', ', "').encode(), ["fixed_blanks"]),
    ("blanks behind quotes", GOOD.replace('"\n', '"\u3000\n').encode(), ["fixed_blanks"]),
    ("quoted tabs", b'"fname"\t"summary"\n"test_0"\t"\xea\xb0\x80, \xeb\x82\x98"\n"test_1"\t'
     b'"\xeb\x8b\xa4"\n', ["fixed_delimiter"]),
    ("escaped comma", GOOD.replace('"', "").replace(", ", "\\, ").encode(), ["fixed_commas"]),
    ("several", ("sep=;\n\nFname;summary;memo\n" "test_0;가, 나;x\ntest_1;다;\n").encode("cp949"),
     ["fixed_encoding", "fixed_separator_line", "fixed_delimiter", "fixed_header"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "done"), MENDABLE, ids=[row[0] for row in MENDABLE])
def test_what_can_be_repaired(name: str, data: bytes, done: list[str]) -> None:
    if name != "several":
        with pytest.raises(predictions.InvalidSubmission):
            predictions.read(data, IDS)
    repaired = repair(data, IDS)
    assert [notice.code for notice in repaired.done] == done
    assert repaired.left == ()
    again = predictions.read(repaired.data, IDS)
    assert dict(again.texts) == TEXTS
    assert again.notices == ()


def test_what_a_delimiter_split_is_joined_by_it() -> None:
    repaired = repair("fname;summary\ntest_0;가; 나, 다\ntest_1;C:\\;x, y\n".encode(), IDS)
    assert dict(predictions.read(repaired.data, IDS).texts) == {
        "test_0": "가; 나, 다",
        "test_1": "C:;x, y",
    }


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (b"fname,summary\ntest_0,x\n", ["missing_ids"]),
        (b"fname,summary\ntest_0,\ntest_1,x\n", ["empty_summary"]),
        (b"fname,summary\ntest_0,x\nTEST_1,x\n", ["unknown_id", "missing_ids"]),
        (b"fname,summary\ntest_0,x\ntest_1,y\ntest_1,z\n", ["duplicate_id"]),
    ],
)
def test_what_is_left_to_the_author(data: bytes, codes: list[str]) -> None:
    repaired = repair(data, IDS)
    assert [problem.code for problem in repaired.left] == codes
    assert repaired.data is not None


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04", b"\xff", b'fname,summary\ntest_0,"x\n', b"fname,summary\nx\n"]
)
def test_what_cannot_be_read_stays_as_it_is(data: bytes) -> None:
    repaired = repair(data, IDS)
    assert repaired.data is None
    assert repaired.done == ()
    assert repaired.left
