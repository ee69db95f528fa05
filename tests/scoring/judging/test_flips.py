"""How often a verdict turns, counted by hand; and the order in which items are asked."""

import pytest

from scoring.judges import flips, walking
from scoring.judges.flips import Flips
from scoring.judges.records import Question, Rubric, SourceContent

Y, N = True, False


def test_an_item_flips_when_its_samples_are_not_all_equal() -> None:
    found = flips.among([[Y] * 5, [N] * 5, [Y, Y, Y, Y, N], [Y, N, Y, N, N]])
    # Two of four turned; 0, 0, 1/5 and 2/5 of their samples differ from the majority.
    assert (found.items, found.flipped, found.rate) == (4, 2, 0.5)
    assert found.disagreement == pytest.approx((0 + 0 + 1 / 5 + 2 / 5) / 4)
    assert not found.is_steady


def test_one_sample_says_nothing_and_a_tie_is_a_flip() -> None:
    assert flips.among([[Y], []]) == Flips(0, 0, None)
    assert flips.among([]).rate is None
    assert not flips.among([]).is_steady
    assert flips.among([[Y, N]]) == Flips(1, 1, 0.5)
    assert flips.majority([N, Y]) is N
    assert flips.majority([Y, N, N, Y]) is Y


@pytest.mark.parametrize(("turned", "steady"), [(5, True), (6, False)])
def test_five_percent_is_steady(turned: int, steady: bool) -> None:
    items = [[Y, N, Y]] * turned + [[Y, Y, Y]] * (100 - turned)
    assert flips.among(items).is_steady is steady


def test_another_order_is_held_against_the_majority() -> None:
    found = flips.against([([Y, Y, N], N), ([Y, Y, N], Y), ([N], Y), ([N, Y], N)])
    assert (found.items, found.flipped, found.rate) == (4, 2, 0.5)


def test_every_list_of_several_items_is_asked_in_another_order_under_its_own_ids() -> None:
    given = walking.given(
        questions=[Question(f"q{n}", f"{n}?") for n in range(3)],
        rubrics=[Rubric("r1", "", "", "?"), Rubric("a1", "", "지시", "?")],
        contents=[SourceContent(f"k{n}", "r1", f"{n}") for n in range(2)],
    )
    values = {**given, "P1.claims": [{"id": f"c{n}", "point": f"{n}"} for n in range(2)]}
    moved = walking.reordered(values, seed="1")
    assert moved == walking.reordered(values, seed="1")
    for before, after in (
        (values["questions"], moved["questions"]),
        (values["P1.claims"], moved["P1.claims"]),
        (values["contents"][0]["contents"], moved["contents"][0]["contents"]),
    ):
        assert before != after
        assert sorted(map(str, before)) == sorted(map(str, after))
    assert moved["instructions"] == values["instructions"]  # there is one
    orders = {str(walking.reordered(values, seed=str(n))["questions"]) for n in range(20)}
    assert len(orders) == 5  # all of the six but the one it has
