"""Likeness of files: what counts as the same answer, and what is set aside before counting."""

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring.insight.near_duplicates import Pair, alike, hash_rows, normalized, similar

IDS = [f"row_{number}" for number in range(100)]


def words(name: str, rows: range | None = None) -> dict[str, str]:
    """Answers that only `name` gives, in these rows or in all."""
    return {IDS[number]: f"{name} 요약 {number}" for number in rows or range(100)}


def compare(
    files: list[tuple[str, dict[str, str]]], baselines: list[dict[str, str]] | None = None
) -> list[Pair]:
    hashes = [hash_rows(texts, IDS) for _, texts in files]
    return similar(
        [owner for owner, _ in files], hashes, [hash_rows(texts, IDS) for texts in baselines or []]
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("민수는 지우를 만난다.", "민수는  지우를\u00a0만난다"),
        ("GPT가 답한다!", "gpt가 답한다"),
        ("“환불” 요청", "'환불' 요청…"),
        ("\u1112\u1161\u11ab글", "한글"),  # decomposed and composed
        ("３시", "３시 "),
    ],
)
def test_case_spaces_punctuation_and_form_do_not_make_another_answer(one: str, other: str) -> None:
    assert normalized(one) == normalized(other) != ""


def test_other_words_are_another_answer() -> None:
    assert normalized("민수는 지우를 만난다") != normalized("민수는 지우를 만났다")
    assert normalized("10시") != normalized("11시")


def test_a_pair_is_read_as_k_of_n_after_m() -> None:
    # 60 rows copied, 40 written anew: 60 of 100.
    [pair] = compare([("a", words("a")), ("b", words("b") | words("a", range(60)))])
    assert (pair.first, pair.second, pair.equal, pair.compared, pair.set_aside) == (
        0,
        1,
        60,
        100,
        0,
    )
    assert (pair.share, pair.whole) == (0.6, False)


def test_the_baseline_itself_from_two_teams_is_no_pair() -> None:
    base = words("기준")
    assert compare([("a", base), ("b", dict(base))], [base]) == []
    # Ten rows of a hundred are the least that a share is told of.
    for number, found in ((9, 0), (10, 1)):
        mine = base | words("a", range(number))
        assert len(compare([("a", mine), ("b", dict(mine))], [base])) == found


@pytest.mark.parametrize(
    ("rows", "left", "found"),
    [(40, 2, 0), (40, 4, 0), (40, 5, 1), (80, 7, 0), (80, 8, 1), (4, 1, 0), (4, 2, 1)],
)
@pytest.mark.parametrize("whole", [True, False])
def test_of_few_rows_that_remain_no_share_is_told(
    rows: int, left: int, found: int, whole: bool
) -> None:
    """Two of two after leaving out 38 are no 100 %."""
    dice = np.random.default_rng(3)
    base = dice.integers(1, 2**40, size=rows, dtype=np.uint64)
    one = base.copy()
    one[:left] += 1
    # Of the rows that remain all are equal, or all but one.
    other = one.copy()
    other[0] += not whole
    assert len(similar(["a", "b"], [one, other], [base])) == found


def test_many_equal_rows_come_before_all_of_few() -> None:
    base = words("기준")
    few = base | words("c", range(10))
    files = [
        ("a", words("a")),
        ("b", words("b") | words("a", range(60))),
        ("c", few),
        ("d", dict(few)),
    ]
    pairs = compare(files, [base])
    assert [(pair.equal, pair.compared) for pair in pairs] == [(60, 100), (10, 10)]


def test_one_and_the_same_file_from_half_a_class_is_found() -> None:
    copied = words("a")
    files = [(str(number), dict(copied)) for number in range(4)]
    files += [(str(number), words(str(number))) for number in range(4, 8)]
    pairs = compare(files)
    assert len(pairs) == 6  # four files, each with each
    assert all(pair.whole and pair.equal == 100 for pair in pairs)


def test_rows_without_words_are_no_answer() -> None:
    empty = dict.fromkeys(IDS, " … ")
    assert compare([("a", empty), ("b", dict(empty))]) == []


def test_it_finds_what_comparing_every_text_would_find() -> None:
    chance = random.Random(7)
    base = words("기준")
    sources = [words(name) | words("쉬움", range(10)) for name in "abcdefgh"]
    files = []
    for number in range(30):
        source = sources[number % 8]
        texts = {
            name: chance.choices([source[name], base[name], str(number)], [6, 1, 2])[0]
            for name in IDS
        }
        files.append((str(number % 12), texts))
    found = {(pair.first, pair.second): pair for pair in compare(files, [base])}
    assert found
    expected = _by_texts(files, base)
    assert {key: (pair.equal, pair.compared) for key, pair in found.items()} == expected


def _by_texts(
    files: list[tuple[str, dict[str, str]]], base: dict[str, str]
) -> dict[tuple[int, int], tuple[int, int]]:
    """The definition written down plainly: every text of every pair."""
    owners = {owner for owner, _ in files}

    def tells(name: str, text: str) -> bool:
        sayers = {owner for owner, texts in files if texts[name] == text}
        return text != base[name] and len(sayers) < max(4, -(-len(owners) // 2))

    found = {}
    for second, (owner, texts) in enumerate(files):
        for first, (other_owner, others) in enumerate(files[:second]):
            rows = [name for name in IDS if tells(name, texts[name]) or tells(name, others[name])]
            equal = sum(texts[name] == others[name] for name in rows)
            if owner != other_owner and len(rows) >= 10 and equal >= max(2, 0.3 * len(rows)):
                found[first, second] = (equal, len(rows))
    return found


def crowd(owners: int, rows: int, said: int) -> NDArray[np.uint64]:
    """Files in which each row's answer is drawn from so many."""
    dice = np.random.default_rng(20260101)
    return dice.integers(1, said + 1, size=(owners, rows), dtype=np.uint64)


def test_what_chance_shares_is_no_copy() -> None:
    # Any two share about a third of the rows, which is more than the threshold.
    files = crowd(60, 100, 3)
    files[7, :90] = files[40, :90]
    [pair] = similar(range(60), list(files))
    assert (pair.first, pair.second) == (7, 40)
    assert pair.equal >= 85
    assert pair.chance == pytest.approx(100 / 3, abs=2)


def test_a_cluster_of_a_large_class_is_found() -> None:
    """A limit of five who say the same would hide the sixth copy and with it all others."""
    files = crowd(60, 200, 2**40)
    files[:12, :190] = files[0, :190]
    assert len(similar(range(60), list(files))) == 66


def test_whoever_wrote_after_fifty_others_shares_nothing() -> None:
    for copied, found in ((50, 50 * 49 // 2), (51, 0)):
        files = crowd(120, 60, 2**40)
        files[:copied, :50] = files[0, :50]
        assert len(similar(range(120), list(files))) == found


def test_rows_that_are_nearly_the_same_are_evidence() -> None:
    one = {"a": "둘은 내일 오후에 도서관에서 만나기로 약속한다.", "b": "비가 온다.", "c": " … "}
    other = {"a": "둘은 모레 오전에 도서관에서 만나기로 약속한다!", "b": "눈이 온다.", "c": "!"}
    assert alike(one, other, ["a", "b", "c"]) == []
    assert alike(one, other | {"a": one["a"] + " 꼭"}, ["a", "b", "c"]) == ["a"]
    assert alike(one, one, ["b", "c", "a"]) == ["b", "a"]
