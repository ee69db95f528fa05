"""One cause is one entry with its lines, and what is odd about a good file is said beforehand."""

from collections.abc import Mapping

import pytest

from scoring.findings import InvalidSubmission, Problem, ranges
from scoring.predictions import SAMPLE_TEXTS, read

IDS = [f"test_{number}" for number in range(60)]
TEXTS = {name: f"{name}의 요약" for name in IDS}
DEV = [f"dev_{number}" for number in range(10)]


def written(cells: Mapping[str, str], header: str = "fname,summary") -> bytes:
    return "".join([header, "\n", *(f"{name},{text}\n" for name, text in cells.items())]).encode()


def problems(data: bytes) -> tuple[list[Problem], int]:
    with pytest.raises(InvalidSubmission) as caught:
        read(data, IDS, dev_ids=lambda: DEV)
    return list(caught.value.problems), caught.value.total


def notices(data: bytes) -> list[tuple[str, str]]:
    return [(one.code, one.message("en")) for one in read(data, IDS, dev_ids=lambda: DEV).notices]


def test_the_same_cause_on_forty_lines_is_one_entry_with_its_lines() -> None:
    found, total = problems(written({**TEXTS, **dict.fromkeys(IDS[:40], "")}))
    assert [one.code for one in found] == ["empty_summary"]
    (one,) = found
    assert (one.lines, one.places, one.times) == (tuple(range(2, 42)), "2–41", 40)
    assert (one.line, one.id, one.excerpt) == (2, None, "test_0,")
    assert total == 40


def test_different_causes_and_what_can_be_mended_stay_apart() -> None:
    data = written({**TEXTS, "test_3": "", "test_5": "", "test_7": "a,b", "test_9": "a,b,c"})
    found, _ = problems(data + b"nobody,x\nTEST_0,x\n")
    assert [(one.code, one.places, one.fixable) for one in found] == [
        ("empty_summary", "5, 7", False),
        ("too_many_fields", "9, 11", True),
        ("unknown_id", "62–63", False),
    ]
    assert found[1].message("en").startswith("3–4 fields, 2 expected")
    assert found[2].message("ko") == "알 수 없는 id nobody, TEST_0 (→ test_0?)"


def test_a_duplicate_is_one_problem_with_all_its_lines() -> None:
    again = [*TEXTS.items(), ("test_1", TEXTS["test_1"]), ("test_1", TEXTS["test_1"])]
    data = "fname,summary\n" + "".join(f"{name},{text}\n" for name, text in again)
    found, total = problems(data.encode())
    assert [(one.code, one.id, one.lines, one.fixable) for one in found] == [
        ("duplicate_id", "test_1", (3, 62, 63), True)
    ]
    assert total == 1
    found, total = problems((data + "test_2,anders\n").encode())
    assert [(one.places, one.fixable) for one in found] == [("3, 62–63", True), ("4, 64", False)]
    assert total == 2


def test_predictions_of_the_dev_split_are_said_to_be_that_and_nothing_else() -> None:
    found, total = problems(written(dict.fromkeys(DEV, "요약")))
    assert [(one.code, one.places) for one in found] == [("dev_split", "2–11")]
    assert "dev_0, dev_1" in found[0].message("ko")
    assert total == 10
    mixed, _ = problems(written({**TEXTS, "dev_0": "요약", "nobody": "요약"}))
    assert [one.code for one in mixed] == ["dev_split", "unknown_id"]
    half, _ = problems(written({"test_0": "요약", "dev_0": "요약"}))
    assert [one.code for one in half] == ["dev_split", "missing_ids"]


def test_an_id_of_both_splits_is_taken() -> None:
    assert read(written(TEXTS), IDS, dev_ids=lambda: IDS[:3]).rows == 60


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04[Content_Types].xml",
        written(dict.fromkeys(IDS[:3], "x")),
        written(TEXTS) + b"," * 3_000_000,
        written(dict.fromkeys(map(str, range(10_001)), "x")),
    ],
    ids=["empty", "not CSV", "missing ids", "columns", "rows"],
)
def test_what_concerns_the_whole_file_quotes_no_line_of_it(data: bytes) -> None:
    found, _ = problems(data)
    whole = ("empty_file", "not_csv", "missing_ids", "too_many_columns", "too_many_rows")
    assert found[-1].code in whole
    assert [one.excerpt for one in found if one.code in whole] == [""]


def test_the_untouched_sample_is_noticed_in_both_languages_and_row_by_row() -> None:
    for sentence in SAMPLE_TEXTS.values():
        assert [code for code, _ in notices(written(dict.fromkeys(IDS, sentence)))] == [
            "sample_text"
        ]
    one = notices(written({**TEXTS, "test_4": SAMPLE_TEXTS["ko"]}))
    assert one == [("sample_text", "The sample file's sentence was left in 1 rows.")]


def test_one_text_for_most_rows_is_noticed_and_for_half_of_them_is_not() -> None:
    most = {**TEXTS, **dict.fromkeys(IDS[:31], "같은 요약")}
    assert notices(written(most)) == [
        ("same_text", "31 summaries are the same text. Is that intended?")
    ]
    assert notices(written({**TEXTS, **dict.fromkeys(IDS[:30], "같은 요약")})) == []


def test_an_id_column_read_as_fname_is_noticed() -> None:
    assert notices(written(TEXTS, "id,summary")) == [
        ("header_spelling", "The header id was read as fname.")
    ]
    assert notices(written(TEXTS)) == []


def test_lines_are_written_as_ranges() -> None:
    assert ranges([2, 3, 4, 9, 11, 12], 20) == "2–4, 9, 11–12"
    assert ranges(range(2, 100, 2), 3) == "2, 4, 6 …"
    assert ranges([], 3) == ""
