"""Which words of two texts differ."""

import pytest

from leaderboard.submissions.queries import differing_ids, differing_row


def marked(text: tuple[tuple[str, bool], ...] | None) -> str | None:
    return None if text is None else " ".join(f"[{t}]" if changed else t for t, changed in text)


def sides(before: str | None, after: str | None) -> tuple[str | None, str | None]:
    texts = [{} if text is None else {"talk_1": text} for text in (before, after)]
    row = differing_row("talk_1", *texts)
    left, right = (
        None if side is None else marked(tuple((piece.text, piece.changed) for piece in side))
        for side in (row["before"], row["after"])
    )
    return left, right


@pytest.mark.parametrize(
    ("before", "after", "left", "right"),
    [
        (
            "민수는 내일 지우를 만난다.",
            "민수는 모레 지우를 만난다.",
            "민수는 [내일] 지우를 만난다.",
            "민수는 [모레] 지우를 만난다.",
        ),
        ("가 나", "가 나 다 라", "가 나", "가 나 [다 라]"),
        ("가 나 다", "다", "[가 나] 다", "다"),
        ("가", "나", "[가]", "[나]"),
        (None, "가 나", None, "[가 나]"),
        ("가", None, "[가]", None),
        ("", "가", "", "[가]"),
    ],
)
def test_words_of_one_side_alone_are_marked(
    before: str | None, after: str | None, left: str | None, right: str | None
) -> None:
    assert sides(before, after) == (left, right)


def test_texts_that_differ_in_spaces_alone_say_so() -> None:
    row = differing_row("talk_1", {"talk_1": "가 나"}, {"talk_1": "가  나 "})
    assert row["only_spaces"]
    assert not differing_row("talk_1", {"talk_1": "가 나"}, {"talk_1": "가나"})["only_spaces"]
    assert not differing_row("talk_1", {}, {"talk_1": ""})["only_spaces"]


def test_ids_are_ordered_by_their_numbers() -> None:
    before = {"talk_9": "가", "talk_10": "나", "talk_2": "다", "dev": "라", "same": "마"}
    after = {"talk_9": "나", "talk_10": "가", "dev": "바", "same": "마", "talk_02b": "사"}
    assert differing_ids(before, after) == ["dev", "talk_2", "talk_02b", "talk_9", "talk_10"]


def test_texts_made_to_be_slow_are_not() -> None:
    """Words that repeat make difflib cubic; the longest cell of any contest has 5000 of them."""
    left, right = "가 나 " * 2500, "나 나 가 " * 1666
    row = differing_row("talk_1", {"talk_1": left}, {"talk_1": right})
    assert row["before"] is not None
    kept = sum(len(piece.text.split()) for piece in row["before"] if not piece.changed)
    assert 2500 <= kept < 5000
