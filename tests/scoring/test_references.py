"""Golds: reading, refusing, hashing, splitting."""

import unicodedata
from collections.abc import Iterator
from dataclasses import replace

import pytest

from scoring import dialogues, predictions, references, table
from scoring.findings import Findings, InvalidFile, InvalidReferences, Limits
from scoring.predictions import repair
from scoring.references import ReferenceRow, References

WIDE = (
    "fname,summary1,summary2,summary3,split,topic\n"
    "test_10,가 나,가 다,나,private,여행\n"
    "test_2,하나,,둘,public,학교\n"
    'test_1,"쉼표, 하나","줄\n바꿈",NA,public,학교\n'
)


def read(*files: str) -> References:
    return references.read([(f"{n}.csv", text.encode()) for n, text in enumerate(files)])


def refused(*files: str) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidReferences) as error:
        read(*files)
    problems = error.value.problems
    assert error.value.total == sum(problem.times for problem in problems)
    return [
        (line, problem.code)
        for problem in problems
        for line in (problem.lines if problem.times > 1 else [problem.line])
    ]


def test_a_wide_file() -> None:
    golds = read(WIDE)
    assert golds.ids == ("test_1", "test_2", "test_10")
    assert golds.examples[0] == ReferenceRow(
        "test_1", ("쉼표, 하나", "줄\n바꿈", "NA"), "public", "학교"
    )
    assert golds.examples[1].references == ("하나", "둘")
    assert golds.ngolds == (2, 3)
    assert golds.split_sizes == {"all": 3, "public": 2, "private": 1}
    assert [notice.code for notice in golds.notices] == ["literal_nan_gold"]


WAYS = [
    ('"fname"\t"summary1"\t"summary2"\n"a"\t"가, 나"\t"다"\n', ["other_delimiter"]),
    ("fname|summary1|summary2\n||\na|가, 나|다\n||\n", ["other_delimiter", "blank_line"]),
    ("sep=;\nfname;summary1;summary2\na;가, 나;다\n", ["sep_line_skipped", "other_delimiter"]),
    ('sep=,\r\n\r\nfname,summary1,summary2\r\na,"가, 나",다\r\n', ["sep_line_skipped"]),
    ('\ufeff\ufeff"fname","summary1","summary2"\na,"가, 나",다\n', []),
]


@pytest.mark.parametrize(("text", "notices"), WAYS)
def test_golds_are_read_however_their_columns_are_separated(text: str, notices: list[str]) -> None:
    golds = read(text)
    assert golds.sha256 == read('fname,summary1,summary2\na,"가, 나",다\n').sha256
    assert [notice.code for notice in golds.notices] == notices
    dialogue = text.replace("summary1", "dialogue")
    assert dialogues.read(dialogue.encode()).texts == {"a": "가, 나"}


@pytest.mark.parametrize("word", ["nan", " None "])
def test_golds_that_are_a_word_for_nothing_are_told(word: str) -> None:
    golds = read(f"fname,summary1\na,가\nb,{word}\nc,{word}\n")
    (notice,) = (one for one in golds.notices if one.code == "literal_nan_gold")
    assert (notice.line, notice.values["count"]) == (3, 2)


BLANKS = 'fname, summary1, summary2\na, "가, 나", "다"\nb,"라"\t,"마"\n'
ROUNDED = 'fname,summary1\n2.03E+07,가\n"1,03e+10",나\n'


def test_what_was_taken_once_is_read_as_it_was() -> None:
    taken = Limits.unlimited(taken=True)
    spaced = BLANKS.replace("\t", "")
    found = references.read([("g.csv", spaced.replace("가, 나", "가").encode())], limits=taken)
    assert found.examples[0].references == (' "가"', ' "다"')
    assert references.read([("g.csv", ROUNDED.encode())], limits=taken).ids == (
        "1,03e+10",
        "2.03E+07",
    )


def test_several_files_with_one_gold_each() -> None:
    golds = read(
        "fname,summary\na,첫째\nb,둘째\n",
        "id,gold1\nb,둘\na,하나\n",
        ",fname,reference\n0,a,일\n1,b,이\n",
    )
    assert golds.examples[0].references == ("첫째", "하나", "일")
    assert golds.ngolds == (3, 3)
    assert not golds.is_split
    assert golds.split_sizes == {"all": 2}


def test_cp949_and_a_mark_are_read() -> None:
    plain = read(WIDE).sha256
    for data in (WIDE.encode("cp949"), WIDE.encode("utf-16"), ("\ufeff" + WIDE).encode()):
        assert references.read([("gold.csv", data)]).sha256 == plain


HEADER = "fname,summary1,summary2,split\n"
BAD = [
    ("", [(None, "empty_file")]),
    ("\n\n", [(1, "no_header")]),
    (HEADER, [(None, "no_rows")]),
    ("fname,text\na,b\n", [(1, "missing_column")]),
    ("summary1\na\n", [(1, "missing_column")]),
    (HEADER + "a,가,나\n", [(2, "too_few_fields")]),
    (HEADER + "a,가,나,public,x\n", [(2, "too_many_fields")]),
    (HEADER + 'a,"가"나,다,public\n', [(2, "text_after_quote")]),
    (HEADER + 'a,"가\n', [(2, "unclosed_quote")]),
    (BLANKS, [(2, "blank_at_quote"), (3, "blank_at_quote")]),
    (ROUNDED, [(2, "rounded_id"), (3, "rounded_id")]),
    ('[{"fname": "a", "summary1": "가"}]', [(None, "not_csv")]),
    ('{"fname": "a", "summary1": "가"}\n', [(None, "not_csv")]),
    ("fname,dialogue\na,가\n", [(1, "missing_column")]),
    (HEADER + "a,,,public\nb, ,\u3000,public\n", [(2, "no_gold"), (3, "no_gold")]),
    (HEADER + "a,가,\u200b,public\n", [(2, "blank_gold")]),
    (HEADER + "a,가,나\0,public\n", [(2, "nul_in_gold")]),
    (HEADER + ",가,나,public\n", [(2, "empty_id")]),
    (HEADER + "a,가,나,public\na,다,라,public\n", [(3, "duplicate_id")]),
    (HEADER + "a,가,나,dev\nb,가,나,public\n", [(2, "bad_split")]),
    (HEADER + "a,가,나,\nb,가,나,public\n", [(2, "split_missing")]),
    ("fname,summary1\na," + "가" * 10_001 + "\n", [(2, "cell_too_long")]),
]


@pytest.mark.parametrize(("text", "problems"), BAD)
def test_what_is_refused_and_where(text: str, problems: list[tuple[int | None, str]]) -> None:
    assert refused(text) == problems


def test_several_files_name_the_one_that_is_wrong() -> None:
    good = "fname,summary,split\na,첫째,public\n"
    assert refused(good, good.replace("public", "private")) == [(2, "column_disagrees")]
    with pytest.raises(InvalidReferences) as error:
        read(good, "fname,summary1,summary2\na,b,c\n")
    assert error.value.problems[0].message("en").startswith("1.csv: ")
    assert refused() == [(None, "no_files")]


@pytest.mark.parametrize("first", ["\n,\n", ",,\n,,,,\n\n"])
def test_blank_lines_before_the_header_are_no_header(first: str) -> None:
    assert read(f"{first}fname,summary1\na,가\n") == read("fname,summary1\na,가\n")


def test_no_message_contains_a_gold() -> None:
    secret = "비밀정답문장"
    for text in (
        HEADER + f"a,{secret},{secret}\n",
        HEADER + f'a,"{secret}"{secret},x,public\n',
        HEADER + f"a,{secret}\0,x,public\n",
        HEADER + f"a,{secret},\u200b,public\na,{secret},x,dev\n",
        f"fname,summary1\na,{secret * 5000}\n",
    ):
        with pytest.raises(InvalidReferences) as error:
            read(text)
        assert secret not in str(error.value)
        assert secret not in repr(error.value.problems) + repr(error.value.notices)


def test_notices_for_the_organizer() -> None:
    rows = "".join(f"r{n},{'가' * 50},{'나' * 50},public\n" for n in range(30))
    golds = read(HEADER + rows)
    found = {notice.code: notice.line for notice in golds.notices}
    assert found == {"one_sided_split": None}


def test_the_hash_is_blind_to_order_and_form_but_not_to_content() -> None:
    golds = read(WIDE)
    examples = list(golds.examples)
    shuffled = [replace(one, references=one.references[::-1]) for one in reversed(examples)]
    decomposed = [
        replace(one, references=tuple(unicodedata.normalize("NFD", g) for g in one.references))
        for one in examples
    ]
    assert References.from_examples(shuffled).sha256 == golds.sha256
    assert References.from_examples(decomposed).sha256 == golds.sha256
    no_topic = [replace(one, topic=None) for one in examples]
    assert References.from_examples(no_topic).sha256 == golds.sha256
    for changed in (
        replace(examples[0], references=("다른", *examples[0].references[1:])),
        replace(examples[0], references=examples[0].references[:-1]),
        replace(examples[0], split="private"),
        replace(examples[0], example_id="test_3"),
    ):
        assert References.from_examples([changed, *examples[1:]]).sha256 != golds.sha256


def test_the_hash_of_a_known_set() -> None:
    """SHA-256 of `[["a","public",["가","나"]],["b","private",["다"]]]`, computed by sha256sum."""
    golds = References.from_examples(
        [ReferenceRow("b", ("다",), "private"), ReferenceRow("a", ("나", "가"), "public")]
    )
    assert golds.sha256 == "0b67539585d1c0cc051edd8332d66d233f34a879c76184f372e5de4fe6ef6486"


@pytest.mark.parametrize(
    "examples",
    [
        [],
        [ReferenceRow("a", ("가",)), ReferenceRow("a", ("나",))],
        [ReferenceRow("a", ())],
        [ReferenceRow("a", ("",))],
        [ReferenceRow("a", ("가",), "public"), ReferenceRow("b", ("가",))],
        [ReferenceRow("a", ("가",), "dev")],
    ],
)
def test_rows_that_make_no_set(examples: list[ReferenceRow]) -> None:
    with pytest.raises(ValueError, match=r"."):
        References.from_examples(examples)


def test_a_limit_on_rows_and_bytes() -> None:
    for limits, code in (
        (Limits(max_rows=2), "too_many_rows"),
        (Limits(max_bytes=9), "file_too_large"),
    ):
        with pytest.raises(InvalidReferences) as error:
            references.read([("gold.csv", WIDE.encode())], limits=limits)
        assert error.value.problems[0].code == code


@pytest.mark.parametrize("end", ["", "\r\n \t\r\n", "\n,\n", "\n" * 5_000])
def test_blank_lines_at_the_end_are_no_rows(end: str) -> None:
    limits = Limits(max_rows=2, max_columns=9, max_cell=99)
    golds = 'fname,summary1\ntalk_1,"가\n"\ntalk_2,나' + end
    found = references.read([("gold.csv", golds.encode())], limits=limits)
    assert [one.example_id for one in found.examples] == ["talk_1", "talk_2"]
    data = golds.replace("summary1", "dialogue").encode()
    assert list(dialogues.read(data, limits).texts) == ["talk_1", "talk_2"]


@pytest.mark.parametrize("end", ["\n\ntalk_3,다", "\n\n.\n\n"])
def test_blank_lines_before_a_row_too_many_are_counted(end: str) -> None:
    limits = Limits(max_rows=2, max_columns=9, max_cell=99)
    golds = "fname,summary1\ntalk_1,가\ntalk_2,나" + end
    with pytest.raises(InvalidFile) as error:
        references.read([("gold.csv", golds.encode())], limits=limits)
    assert [(one.code, one.line) for one in error.value.problems] == [("too_many_rows", 4)]
    with pytest.raises(InvalidFile) as error:
        dialogues.read(golds.replace("summary1", "dialogue").encode(), limits)
    assert [(one.code, one.line) for one in error.value.problems] == [("too_many_rows", 4)]


@pytest.mark.parametrize("line", ["\n", ",\n", "talk_1,a,b,c,d\n"])
@pytest.mark.parametrize("head", ["", "fname,summary1\n"])
def test_no_more_lines_are_looked_at_than_rows_are_taken(
    head: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = 0

    def counted(text: str, limits: Limits, delimiter: str = ",") -> Iterator[table.Record]:
        nonlocal looked
        for record in records(text, limits, delimiter):
            looked += 1
            yield record

    records = table.records
    monkeypatch.setattr(table, "records", counted)
    data = (head + line * 5_000).encode()
    for read in (
        lambda: references.read([("gold.csv", data)], limits=Limits(max_rows=100)),
        lambda: dialogues.read(data.replace(b"summary1", b"dialogue"), Limits(max_rows=100)),
        lambda: predictions.read(data, ["talk_1"], Limits(max_rows=100)),
    ):
        looked = 0
        with pytest.raises(InvalidFile):
            read()
        assert looked <= 102  # the header, the rows, and the one too many
    looked = 0
    repair._repaired(data, Limits(max_rows=100), Findings())
    assert looked <= 102
