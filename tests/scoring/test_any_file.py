"""Whatever is uploaded ends in a verdict; how a file is written never moves a score."""

import csv
import io
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring import predictions, tokenizers
from scoring.findings import InvalidSubmission
from scoring.pipeline import PreparedReferences, prepare, score
from scoring.predictions import Predictions
from scoring.predictions.repair import repair
from scoring.profile import Profile
from scoring.references import ReferenceRow, References
from scoring.tokenizers import java

SET = References.from_examples(
    ReferenceRow(f"test_{n}", ("나는 밥을 먹었다", "밥을 먹었어요")) for n in range(4)
)
PREPARED = prepare(SET, Profile())
FULL = Profile().full_mark


def read(data: bytes) -> Predictions | InvalidSubmission:
    try:
        return predictions.read(data, SET.ids)
    except InvalidSubmission as refused:
        return refused


cells = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=20
)
HEAD = b"fname,summary\n"
written = st.lists(
    st.sampled_from(
        [
            b"test_0,",
            b"test_1,",
            b"test_2,\xea\xb0\x80\n",
            b'"',
            b"\n",
            b"\r",
            b",",
            b"\0",
            b"\xff",
            b"\xef\xbb\xbf",
            "요약\n".encode(),
            "요약".encode("cp949"),
            b"fname,summary\n",
            b'""',
            b"a b",
        ]
    ),
    max_size=30,
).map(b"".join)


@given(st.one_of(st.binary(max_size=200), written, written.map(lambda rest: HEAD + rest)))
@example(b"\xff\xfe")
@example(b"\xfe\xff\xd8\x00")
@example(b'"\n')
@example(b"fname,summary\ntest_0,\xed\xa0\x80\n")
def test_any_bytes_end_in_a_verdict(data: bytes) -> None:
    started = time.process_time()
    answer = read(data)
    if isinstance(answer, InvalidSubmission):
        assert answer.total >= len(answer.problems) >= 1
        assert all(problem.message("ko") and problem.message("en") for problem in answer.problems)
    else:
        assert 0 <= score(answer, PREPARED).splits["all"].total <= FULL
    assert time.process_time() - started < 2


def write(rows: list[tuple[str, str]], quoting: int, terminator: str) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=quoting, lineterminator=terminator)
    writer.writerow(("fname", "summary"))
    writer.writerows(rows)
    return out.getvalue()


def total(
    text: str, encoding: str = "utf-8", prepared: PreparedReferences = PREPARED
) -> float | None:
    answer = read(text.encode(encoding))
    if isinstance(answer, InvalidSubmission):
        return None
    return score(answer, prepared).splits["all"].total


def spaced(rows: list[tuple[str, str]], delimiter: str, before: str = "", behind: str = "") -> str:
    """Everything in quotes, with blanks beside them."""
    doubled = ([cell.replace('"', '""') for cell in row] for row in (("fname", "summary"), *rows))
    between = f'"{behind}{delimiter}{before}"'
    return "".join(f'"{between.join(row)}"{behind}\n' for row in doubled)


def total_in_the_end(text: str) -> float | None:
    """Of the file, or of the corrected one that is offered where every problem can be corrected."""
    if not isinstance(read(text.encode()), InvalidSubmission):
        return total(text)
    repaired = repair(text.encode(), SET.ids).data
    return total(repaired.decode()) if repaired else None


@given(st.lists(cells, min_size=4, max_size=4))
@example(["\\", ";", "\t", '"'])
@example([' "가"', '가", "나', "가\r나", "|"])
def test_nor_do_blanks_delimiters_and_marks(texts: list[str]) -> None:
    rows = list(zip(SET.ids, texts, strict=True))
    plain = total(write(rows, csv.QUOTE_ALL, "\n"))
    for before, behind in ((" ", ""), ("", "\t"), ("\u3000", "\u00a0")):
        assert total_in_the_end(spaced(rows, ",", before, behind)) == plain
    for delimiter in ";\t|":
        assert total_in_the_end(spaced(rows, delimiter)) == plain
        assert total_in_the_end(f"sep={delimiter}\n" + spaced(rows, delimiter)) == plain
    assert total("\ufeff\ufeff" + spaced(rows, ",")) == plain


@given(st.lists(cells, min_size=4, max_size=4), st.randoms())
def test_how_a_file_is_written_never_moves_a_score(texts: list[str], dice: object) -> None:
    rows = list(zip(SET.ids, texts, strict=True))
    plain = total(write(rows, csv.QUOTE_ALL, "\n"))
    assert total(write(rows, csv.QUOTE_ALL, "\r\n")) == plain
    assert total(write(rows, csv.QUOTE_ALL, "\r")) == plain
    if not any("\r" in text for text in texts):  # which the csv module would leave unquoted
        assert total(write(rows, csv.QUOTE_MINIMAL, "\n")) == plain
    assert total("\ufeff" + write(rows, csv.QUOTE_ALL, "\n")) == plain
    assert total(write(rows, csv.QUOTE_ALL, "\n"), "utf-16") == plain
    dice.shuffle(rows)
    assert total(write(rows, csv.QUOTE_ALL, "\n")) == plain


IN_LINES = (
    "민수는 감기에 걸렸다.\n그래서 집에서 쉬기로 했다.",
    "둘은 토요일에 만나기로 했다.\n\n영화를 본다.\n",
    "회의가 미뤄졌다.  \n \n\t\n요약: 다음 주",
    "\n영희가 자전거를 샀다.\n ",
)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.java] * (name in java.NAMES))
        for name in tokenizers.NAMES
    ],
)
def test_how_lines_end_never_moves_a_score_under_any_analyzer(name: str) -> None:
    golds = (ReferenceRow(row, (text,)) for row, text in zip(SET.ids, IN_LINES, strict=True))
    prepared = prepare(References.from_examples(golds), Profile(tokenizer=name))
    file = write(list(zip(SET.ids, IN_LINES, strict=True)), csv.QUOTE_ALL, "\n")
    for end in ("\n", "\r\n", "\r"):
        assert total(file.replace("\n", end), prepared=prepared) == FULL
