"""The CSV of people's labels: what is read, and what is refused with its line."""

from collections.abc import Iterable

import pytest

from scoring.findings import Limits
from scoring.judges import labels as module
from scoring.judges.labels import InvalidLabels, PersonsLabel, read
from scoring.table import FORMULA_STARTS, safe

HEAD = "example_id,submission,kind,item_id,rater,label"
ONE = "0c0ffee0-0000-4000-8000-000000000001"
TWO = "0c0ffee0-0000-4000-8000-000000000002"


def labels(
    *lines: str, head: str = HEAD, submissions: Iterable[str] = (ONE, TWO)
) -> list[PersonsLabel]:
    data = "\n".join([head, *lines]).encode()
    found, _ = read(data, submissions=list(submissions), example_ids=["t1", "t2", "=t3", "'=t4"])
    return list(found)


def problems(*lines: str, **options: object) -> list[tuple[str, int | None]]:
    with pytest.raises(InvalidLabels) as caught:
        labels(*lines, **options)
    return [(one.code, one.line) for one in caught.value.problems]


def test_it_works() -> None:
    found = labels(
        f"t1,{ONE},claim,c1,김,yes",
        f"t1,{ONE.upper()},Claim,c1,이,UNSURE",
        f'"t2",{TWO},content,k1,김,False',
        f"t2,{TWO},row,,김,0.75",
        f"t2,{TWO},row,completeness,김,1",
    )
    assert found == [
        PersonsLabel(ONE, "t1", "claim", "c1", "김", 1.0),
        PersonsLabel(ONE, "t1", "claim", "c1", "이", 0.0),
        PersonsLabel(TWO, "t2", "content", "k1", "김", 0.0),
        PersonsLabel(TWO, "t2", "row", "summarization", "김", 0.75),
        PersonsLabel(TWO, "t2", "row", "completeness", "김", 1.0),
    ]


def test_the_submission_may_be_left_out_where_there_is_one() -> None:
    head = "text,label,rater,item_id,kind,example_id"
    line = '"무엇이든, 읽지 않는다",yes,김,q1,question,t1'
    assert labels(line, head=head, submissions=[ONE])[0].submission == ONE
    assert problems(line, head=head) == [("which_submission", 2)]
    assert problems(line, head=head, submissions=[]) == [("which_submission", 2)]


def test_a_formula_mark_of_our_own_files_is_taken_off() -> None:
    assert labels(f"'=t3,{ONE},claim,'-c1,김,yes")[0].about == (ONE, "=t3", "claim", "-c1")
    assert labels(f"'=t4,{ONE},claim,'＝c1,'＠a,yes")[0].about == (ONE, "'=t4", "claim", "＝c1")
    # As `csv_file` writes an id that itself begins with a mark.
    assert labels(f"''=t4,{ONE},claim,''=c1,''＠a,yes")[0].about == (ONE, "'=t4", "claim", "'=c1")
    for start in filter(str.strip, FORMULA_STARTS):
        assert labels(f"t1,{ONE},claim,{safe(f'{start}c1')},a,yes")[0].item_id == f"{start}c1"


def test_a_row_without_a_label_is_skipped_whatever_else_it_says() -> None:
    lines = [f"t1,{ONE},claim,c1,김,yes", f"t1,{ONE},claim,c2,, ", "t9,x,claims,,,", ",,,,,"]
    data = "\n".join([HEAD, *lines]).encode()
    found, notices = read(data, submissions=[ONE], example_ids=["t1"])
    assert len(found) == 1
    # The last line is blank and no row at all.
    assert [(one.code, one.line) for one in notices] == [("without_label", 3)]
    assert notices[0].message("en") == "Rows without a label were skipped: 2."
    assert problems(f"t1,{ONE},claim,c1,김,") == [("no_labels", None)]
    assert problems(f"t1,{ONE},claim,c1,", f"t1,{ONE},claim,c1,a,yes") == [("too_few_fields", 2)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (f",{ONE},claim,c1,a,yes", ["empty_id"]),
        (f"t9,{ONE},claim,c1,a,yes", ["unknown_id"]),
        ("t1,nobody,claim,c1,a,yes", ["unknown_submission"]),
        (f"t1,{ONE},claims,c1,a,yes", ["bad_kind"]),
        (f"t1,{ONE},claim,,a,yes", ["bad_item_id"]),
        (f"t1,{ONE},claim,c1,,yes", ["bad_rater"]),
        (f"t1,{ONE},claim,c1,a\u202eb,yes", ["bad_rater"]),
        (f"t1,{ONE},claim,c1,a,maybe", ["bad_label"]),
        (f"t1,{ONE},question,q1,a,unsure", ["bad_label"]),
        (f"t1,{ONE},row,style,a,1", ["bad_metric"]),
        (f"t1,{ONE},row,,a,5", ["bad_row_label"]),
        (f"t1,{ONE},row,,a,１", ["bad_row_label"]),
        (f"t1,{ONE},claim,c1,a", ["too_few_fields"]),
        (f"t1,{ONE},claim,c1,a,yes,x", ["too_many_fields"]),
        ("<b>,<i>,<u>,\x00,=cmd|' /C calc'!A0,<script>", [
            "unknown_submission", "unknown_id", "bad_kind", "bad_item_id",
        ]),
    ],
)  # fmt: skip
def test_refused_with_its_line(line: str, found: list[str]) -> None:
    assert sorted(problems(f"t2,{ONE},claim,c1,a,yes", line)) == sorted((code, 3) for code in found)


def test_one_person_labels_an_item_once() -> None:
    line = f"t1,{ONE},claim,c1,김,yes"
    assert problems(line, f"t1,{ONE},claim,c2,김,no", line) == [("labelled_twice", 4)]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"example_id,label\n", [("missing_column", 1)]),
        (HEAD.encode(), [("no_labels", None)]),
    ],
)
def test_refused_as_a_whole(data: bytes, found: list[tuple[str, int | None]]) -> None:
    with pytest.raises(InvalidLabels) as caught:
        read(data, submissions=[ONE], example_ids=["t1"])
    assert [(one.code, one.line) for one in caught.value.problems] == found


def test_there_is_an_end_to_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"t{n % 2 + 1},{(ONE, TWO)[n // 2]},row,,a,1" for n in range(4)]
    data = "\n".join([HEAD, *lines]).encode()
    known = {"submissions": [ONE, TWO], "example_ids": ["t1", "t2"]}
    monkeypatch.setattr(module, "MOST_ROWS", 3)
    with pytest.raises(InvalidLabels) as caught:
        read(data, **known)
    assert [(one.code, one.line) for one in caught.value.problems] == [
        ("too_many_labelled_rows", 5)
    ]
    monkeypatch.setattr(module, "LIMITS", Limits(max_rows=2))
    with pytest.raises(InvalidLabels) as caught:
        read(data, **known)
    assert [(one.code, one.line) for one in caught.value.problems] == [("too_many_rows", 4)]
