"""Public and private rows: balanced, and drawn by the seed alone."""

import random
from collections import Counter

import pytest

from scoring.references import ReferenceRow, References, draw_again, draw_splits

SEED = "000102030405060708090a0b0c0d0e0f"


def splits(references: References) -> dict[str, str]:
    return {row.example_id: str(row.split) for row in references.examples}


def test_the_draw_is_the_one_that_is_documented() -> None:
    """Of topic a, `printf topic:d1 | openssl dgst -sha256 -hmac "$SEED"` begins with a3 for d1, 6f
    for d2, 71 for d3: d2 is public, d3 private, d1 left over. With e1 and f1, of `pool:`, d2, 5a
    and 38: f1 and e1 are public."""
    topics = {"d1": "a", "d2": "a", "d3": "a", "e1": "b", "f1": "c"}
    rows = [ReferenceRow(row, ("가",), None, topic) for row, topic in topics.items()]
    assert splits(draw_splits(References.from_examples(rows), seed=SEED)) == {
        **dict.fromkeys(("d2", "e1", "f1"), "public"),
        **dict.fromkeys(("d1", "d3"), "private"),
    }


def test_a_number_of_an_earlier_version_draws_what_it_drew() -> None:
    """By the function as commit 32f41596 has it: (topic, SHA-256 of `seed:id`), alternating."""
    rows = [ReferenceRow(f"r{n}", ("가",), None, "ab"[n % 2]) for n in range(6)]
    found = draw_again(References.from_examples(rows), "7")
    assert [row for row, split in splits(found).items() if split == "public"] == [
        *("r0", "r2", "r5")
    ]


def test_the_order_of_the_rows_and_their_golds_do_not_matter() -> None:
    rows = [ReferenceRow(f"test_{n}", ("가",), None, "ab"[n % 2]) for n in range(30)]
    again = [ReferenceRow(row.example_id, ("나", "다"), None, row.topic) for row in rows[::-1]]
    first, second = (draw_splits(References.from_examples(one), seed=SEED) for one in (rows, again))
    assert splits(first) == splits(second)
    assert splits(draw_again(first, SEED)) == splits(first)


@pytest.mark.parametrize("rows", [2, 9, 40])
def test_each_topic_and_the_whole_are_balanced_within_one_row(rows: int) -> None:
    dice = random.Random(rows)
    for kinds in ("a", "ab", "abcdefghij" * 9):
        topics = [dice.choice(kinds) for _ in range(rows)]
        golds = (ReferenceRow(f"r{n}", ("가",), None, topic) for n, topic in enumerate(topics))
        drawn = draw_splits(References.from_examples(golds), seed=f"{dice.getrandbits(128):032x}")
        for topic in set(topics):
            of_topic = Counter(row.split for row in drawn.examples if row.topic == topic)
            assert abs(of_topic["public"] - of_topic["private"]) <= 1
        assert drawn.split_sizes["public"] - drawn.split_sizes["private"] in (0, 1)
