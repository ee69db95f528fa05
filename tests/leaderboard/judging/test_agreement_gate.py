"""A judge that looks at nothing leaves no gate open, in whatever way it answers."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from leaderboard.judging.agreement_report import (
    ENOUGH_KAPPA,
    ENOUGH_RECALL,
    JudgedItems,
)
from scoring.judges.labels import PersonsLabel
from scoring.statistics import agreement
from tests.leaderboard.judging.reports import report

# Of a hundred items of a kind, how many people call yes.
YES = {"claim": 88, "question": 60, "content": 12, "adherence": 70}
DIALOGUES, SUBMISSIONS, ITEMS = 50, ("A", "B", "C"), 3
PREFIX = {"claim": "c", "question": "q", "content": "k", "adherence": "a0-"}

Judge = Callable[[PersonsLabel], bool]


def labels(
    people: Callable[[str, int, Random], bool], dialogues: int = DIALOGUES
) -> list[PersonsLabel]:
    """450 items of each kind; `people` say yes or no of a kind and a place."""
    random = Random(7)
    return [
        PersonsLabel(submission, f"t{number}", kind, f"{PREFIX[kind]}{place}", "kim", value)
        for kind in YES
        for number in range(dialogues)
        for submission in SUBMISSIONS
        for place in range(1, ITEMS + 1)
        for value in [float(people(kind, place, random))]
    ]


def by_kind(kind: str, place: int, random: Random) -> bool:
    return random.randrange(100) < YES[kind]


def by_place(kind: str, place: int, random: Random) -> bool:
    """The first item is nearly always there, the last hardly ever."""
    return random.randrange(100) < {1: 97, 2: 50, 3: 3}[place]


def kinds(given: list[PersonsLabel], judge: Judge, resamples: int = 200) -> dict[str, Any]:
    found = report(
        given, JudgedItems({one.about: judge(one) for one in given}, {}), resamples=resamples
    )
    return {one.kind: one for one in found.kinds}


LABELS = labels(by_kind)
FIRST_YES = labels(by_place)


def place(one: PersonsLabel) -> int:
    return int(one.item_id[-1])


def base_rate(seed: int) -> Judge:
    random = Random(seed)
    return lambda one: random.randrange(100) < YES[one.kind]


CONSTANT: dict[str, Judge] = {
    "always yes": lambda one: True,
    "always no, or never sure": lambda one: False,
    "yes to claims and questions, no to contents": lambda one: one.kind != "content",
    "what most people say of the kind": lambda one: YES[one.kind] > 50,
    "the first item yes": lambda one: place(one) == 1,
    "one submission yes": lambda one: one.submission == "A",
    **{f"by chance at the base rate, seed {seed}": base_rate(seed) for seed in range(2)},
}


@pytest.mark.parametrize("given", [LABELS, FIRST_YES], ids=["any-place", "first-yes"])
@pytest.mark.parametrize("judge", CONSTANT.values(), ids=CONSTANT)
def test_a_constant_judge_leaves_the_gate_of_each_kind_closed(
    judge: Judge, given: list[PersonsLabel]
) -> None:
    found = kinds(given, judge)
    assert set(found) == set(YES)
    for one in found.values():
        assert not one.is_open, one
        # No agreement beyond chance: 0 but for what chance gives over 450 items.
        assert one.kappa.value is None or abs(one.kappa.value) < 0.2


def mistaken(often: float, seed: int = 3) -> Judge:
    """Says what people say, but for this share of the items."""
    random = Random(seed)
    return lambda one: bool(one.value) is not (random.random() < often)


@pytest.mark.parametrize("given", [LABELS, FIRST_YES], ids=["any-place", "first-yes"])
def test_a_judge_that_reads_opens_each_gate(given: list[PersonsLabel]) -> None:
    for one in kinds(given, mistaken(0.02)).values():
        assert one.is_open, one
        assert ENOUGH_KAPPA <= one.kappa.low < 1


def test_kappa_at_the_bar_is_not_above_it() -> None:
    """The number alone may be high enough; its lower end has to be."""
    found = kinds([one for one in LABELS if one.kind == "question"], mistaken(0.18))["question"]
    assert found.kappa.value > ENOUGH_KAPPA
    assert not found.is_open


def test_a_judge_that_misses_half_of_the_rare_no_is_stopped_by_its_recall() -> None:
    """Of 60 claims that people call no it finds 37, and it is right on every yes."""
    given = [
        PersonsLabel(
            "A", f"t{number}", "claim", f"c{item}", "kim", float(item > 1 or number % 10 > 0)
        )
        for number in range(600)
        for item in (1, 2, 3)
    ]
    rare = [one.about for one in given if not one.value]
    assert len(rare) == 60
    found = kinds(given, lambda one: one.about not in rare[:37], resamples=400)["claim"]
    # c1: 23 disagreements, by chance (540 * 37 + 60 * 563) / 600.
    assert found.kappa.value == pytest.approx(1 - 23 / 89.6)
    assert found.kappa.low >= ENOUGH_KAPPA
    assert found.recall_of_no.value == pytest.approx(37 / 60)
    assert found.recall_of_no.low < ENOUGH_RECALL
    assert not found.is_open


@pytest.mark.parametrize("dialogues", [1, 5])
def test_a_few_items_prove_nothing_though_all_agree(dialogues: int) -> None:
    """Drawing three dialogues again says 1.00 to 1.00; the score interval does not."""
    few = [one for one in labels(by_kind, dialogues) if one.submission == "A"]
    for one in kinds(few, mistaken(0)).values():
        assert not one.is_open, one


def test_a_kind_that_nobody_labelled_is_closed() -> None:
    verdicts = {one.about: bool(one.value) for one in LABELS}
    claims = [one for one in LABELS if one.kind == "claim"]
    found = report(claims, JudgedItems(verdicts, {}), resamples=50).kinds
    assert [(one.kind, one.compared > 0, one.is_open) for one in found] == [
        ("claim", True, True),
        ("adherence", False, False),
        ("content", False, False),
        ("question", False, False),
    ]


def test_wilsons_interval_is_as_published() -> None:
    """Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662, 0 of 20 ends at 0.1611."""
    assert agreement.at_most(81, 263) == pytest.approx(0.3662, abs=5e-5)
    assert 1 - agreement.at_most(263 - 81, 263) == pytest.approx(0.2553, abs=5e-5)
    assert agreement.at_most(0, 20) == pytest.approx(0.1611, abs=5e-5)
    assert agreement.at_most(20, 20) == pytest.approx(1)


def test_kappa_within_strata_by_hand() -> None:
    # c1: 3 of 4 agree (yes yes, yes yes, no no, yes no): chance of disagreement (3*2 + 1*2)/4 = 2.
    # c2: no no, no no, no yes, yes yes: (1*2 + 3*2)/4 = 2. One disagreement each: 1 - 2/4.
    people = [True, True, False, True, False, False, False, True]
    judge = [True, True, False, False, False, False, True, True]
    once = agreement.drawn(["t"] * 8, resamples=0)
    assert agreement.cohen_kappa(people, judge, once, ["c1"] * 4 + ["c2"] * 4)[0] == 0.5
