"""Agreement: each number beside where it was worked out by hand, or printed by its author."""

import math

import numpy as np
import pytest

from scoring.statistics import agreement
from scoring.statistics.agreement import Estimate, drawn, estimate

T, F = True, False


def once(number: int) -> agreement.Numbers:
    return np.ones((1, number))


def counted(yes_yes: int, yes_no: int, no_yes: int, no_no: int) -> tuple[list[bool], list[bool]]:
    """What people and the judge said, from the four cells of their table."""
    cells = [(T, T)] * yes_yes + [(T, F)] * yes_no + [(F, T)] * no_yes + [(F, F)] * no_no
    return [one for one, _ in cells], [other for _, other in cells]


def test_cohens_kappa() -> None:
    # 35 of 50 agree: 0.7; chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5; (0.7 - 0.5) / 0.5.
    people, judge = counted(20, 5, 10, 15)
    assert agreement.cohen_kappa(people, judge, once(50))[0] == pytest.approx(0.4)
    assert agreement.cohen_kappa([T, F], [T, F], once(2))[0] == pytest.approx(1)
    assert agreement.cohen_kappa([T, F], [F, T], once(2))[0] == pytest.approx(-1)
    assert math.isnan(agreement.cohen_kappa([T, T], [T, T], once(2))[0])
    assert math.isnan(agreement.cohen_kappa([], [], once(0))[0])


def test_of_what_people_call_yes_and_no() -> None:
    people, judge = counted(6, 2, 1, 3)
    weights = once(12)
    # 6/8 of the yes and 3/4 of the no are found.
    assert agreement.balanced_accuracy(people, judge, weights)[0] == pytest.approx(0.75)
    assert agreement.recall_of_no(people, judge, weights)[0] == pytest.approx(0.75)
    assert math.isnan(agreement.recall_of_no([T], [T], once(1))[0])
    assert math.isnan(agreement.balanced_accuracy([T], [T], once(1))[0])


def test_krippendorffs_alpha_of_two_raters() -> None:
    # Section A of Krippendorff's 2011 paper prints 0.095.
    one = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    other = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    units = [[bool(a), bool(b)] for a, b in zip(one, other, strict=True)]
    assert agreement.krippendorff_alpha(units, once(10))[0] == pytest.approx(0.095, abs=5e-4)


def test_krippendorffs_alpha_of_more_raters_with_gaps() -> None:
    # Three units of (T T T), (T T F), (F F), one lone label that pairs with nothing.
    # Coincidences: TT 3 + 1, TF and FT 1 each, FF 2; n = 8, T 5, F 3.
    # Disagreement 2/8 over chance 2*5*3/(8*7): 1 - (7 * 2) / (2 * 15) = 16/30.
    units = [[T, T, T], [T, T, F], [F, F], [F]]
    assert agreement.krippendorff_alpha(units, once(4))[0] == pytest.approx(16 / 30)
    assert math.isnan(agreement.krippendorff_alpha([[T, T], [T, T]], once(2))[0])


def test_correlations() -> None:
    # Ranks 1 2.5 2.5 4 and 1 2 3.5 3.5: 3.75 / 4.5.
    x, y = [1, 2, 2, 3], [1, 2, 3, 3]
    assert agreement.spearman(x, y, once(4))[0] == pytest.approx(3.75 / 4.5)
    # Six pairs, one tied in each, the other four agree: 4 / sqrt(5 * 5).
    assert agreement.kendall_tau_b(x, y, once(4))[0] == pytest.approx(0.8)
    assert agreement.kendall_tau_b(x, y[::-1], once(4))[0] == pytest.approx(-0.8)
    for statistic in (agreement.spearman, agreement.kendall_tau_b):
        assert math.isnan(statistic([1, 1], [1, 2], once(2))[0])


def test_whole_clusters_are_drawn_from_a_seed() -> None:
    weights = drawn(["a", "a", "b", "c"], resamples=50)
    assert weights.shape == (51, 4)
    assert (weights[0] == 1).all()
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 1:].sum(axis=1) == 3).all()  # as many clusters as there are
    assert (weights == drawn(["a", "a", "b", "c"], resamples=50)).all()
    assert (weights != drawn(["a", "a", "b", "c"], seed=1, resamples=50)).any()
    assert drawn([], resamples=50).shape == (51, 0)


def test_an_interval_holds_its_number_and_narrows_with_more_clusters() -> None:
    widths = []
    for pairs in (10, 100):
        # Every other dialogue is judged right in all, the next in half of its four items.
        right, half = counted(2, 0, 0, 2), counted(1, 1, 1, 1)
        people, judge = ((right[side] + half[side]) * pairs for side in (0, 1))
        clusters = [place // 4 for place in range(8 * pairs)]
        found = estimate(agreement.cohen_kappa(people, judge, drawn(clusters, resamples=400)))
        assert found.value == pytest.approx(0.5)  # 6 of 8 agree, chance is a half
        assert found.low < 0.5 < found.high
        widths.append(found.high - found.low)
    assert widths[1] < widths[0] / 2  # ten times the dialogues: about a third


def test_no_interval_where_most_resamples_have_no_value() -> None:
    values = np.array([0.5, np.nan, np.nan, 0.4])
    assert estimate(values) == Estimate(0.5)
    assert estimate(np.array([np.nan, 0.1])) == Estimate(None)
    assert estimate(np.array([0.5])) == Estimate(0.5)
