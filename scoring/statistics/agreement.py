"""How far a judge and people agree, or two orders: statistics with intervals.

Every statistic takes weights of shape (resamples, units), how often each unit was drawn, and
returns one value a resample, NaN where it is not defined. The first row of weights is all ones:
the units as they are. Whole clusters (dialogues) are drawn, because what one dialogue holds is
alike. All labels are booleans: `unsure` is not `yes`, as in the scores.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

RESAMPLES = 2_000
SEED = 20_261_120
LEVEL = (2.5, 97.5)  # percentiles
NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval; None where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None


def drawn(clusters: Sequence[Hashable], *, seed: int = SEED, resamples: int = RESAMPLES) -> Numbers:
    """Weights: one row of ones, then one row a resample of whole clusters with replacement.

    `clusters` names the cluster of each unit. Shape (1 + resamples, units).
    """
    places = {name: place for place, name in enumerate(dict.fromkeys(clusters))}
    if not places:
        return np.ones((1 + resamples, 0))
    counts = np.random.default_rng(seed).multinomial(
        len(places), [1 / len(places)] * len(places), size=resamples
    )
    return np.vstack([np.ones((1, len(clusters))), counts[:, [places[name] for name in clusters]]])


def estimate(values: Numbers) -> Estimate:
    """The first value with the percentiles of the others.

    No interval where under half of the resamples have a value.
    """
    point, others = values[0], values[1:]
    others = others[np.isfinite(others)]
    value = float(point) if np.isfinite(point) else None
    if value is None or len(others) * 2 < len(values) - 1 or not len(others):
        return Estimate(value)
    low, high = np.percentile(others, LEVEL)
    return Estimate(value, float(low), float(high))


# --- Items: booleans -----------------------------------------------------------------------------


def _table(
    people: Sequence[bool] | NDArray[np.bool_],
    judge: Sequence[bool] | NDArray[np.bool_],
    weights: Numbers,
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Weighted counts of both yes, of people's yes and the judge's no, the reverse, and both no."""
    a, b = np.array(people, dtype=float), np.array(judge, dtype=float)
    return (
        weights @ (a * b),
        weights @ (a - a * b),
        weights @ (b - a * b),
        weights @ (1 - a - b + a * b),
    )


def _share(part: Numbers, whole: Numbers) -> Numbers:
    return np.divide(part, whole, out=np.full_like(whole, np.nan), where=whole > 1e-12)


def cohen_kappa(
    people: Sequence[bool],
    judge: Sequence[bool],
    weights: Numbers,
    strata: Sequence[Hashable] | None = None,
) -> Numbers:
    """Agreement of two raters beyond chance (Cohen 1960).

    With `strata`, the stratum of each unit, chance is counted within each of them: who answers by
    the stratum alone has 0, however well the strata foretell the answer. Small strata pull the
    value down, never up. Not defined where both say the same of everything in each stratum.
    """
    wrong, by_chance = _disagreements(people, judge, weights, strata)
    return 1 - _share(wrong, by_chance)


def _disagreements(
    people: Sequence[bool],
    judge: Sequence[bool],
    weights: Numbers,
    strata: Sequence[Hashable] | None,
) -> tuple[Numbers, Numbers]:
    """How many there are, and how many there would be by chance."""
    a, b = np.array(people, dtype=bool), np.array(judge, dtype=bool)
    places: dict[Hashable, list[int]] = {}
    for place, name in enumerate(strata if strata is not None else [None] * len(a)):
        places.setdefault(name, []).append(place)
    wrong, by_chance = np.zeros((2, len(weights)))
    for those in places.values():
        yes_yes, yes_no, no_yes, no_no = _table(a[those], b[those], weights[:, those])
        n = yes_yes + yes_no + no_yes + no_no
        yes = (yes_yes + yes_no) * (yes_no + no_no)
        no = (no_yes + no_no) * (yes_yes + no_yes)
        wrong += yes_no + no_yes
        by_chance += np.divide(yes + no, n, out=np.zeros_like(n), where=n > 0)
    return wrong, by_chance


def kappa_of(
    people: Sequence[bool], judge: Sequence[bool], weights: Numbers, strata: Sequence[Hashable]
) -> Estimate:
    """Kappa with chance within strata; its lower end is the lower of two.

    Drawing dialogues again tells nothing where few items leave nothing to vary: three items and no
    disagreement would be certainty. So the other is Wilson's of the share of disagreements, with
    chance taken as known.
    """
    wrong, by_chance = _disagreements(people, judge, weights, strata)
    found = estimate(1 - _share(wrong, by_chance))
    if found.value is None:
        return found
    low = 1 - at_most(wrong[0], len(people)) * len(people) / by_chance[0]
    return _no_surer(found, float(low))


def recall_of_no_of(people: Sequence[bool], judge: Sequence[bool], weights: Numbers) -> Estimate:
    """Recall of *no*; its lower end is the lower of the one drawn and Wilson's."""
    found = estimate(recall_of_no(people, judge, weights))
    if found.value is None:
        return found
    of = len(people) - sum(people)
    return _no_surer(found, float(1 - at_most((1 - found.value) * of, of)))


def _no_surer(found: Estimate, low: float) -> Estimate:
    """The estimate with its lower end no higher than this; without an interval as it is."""
    return found if found.low is None else replace(found, low=min(found.low, low))


def at_most(count: float, of: int) -> float:
    """The upper end of Wilson's 95 % score interval of a share (1927; Brown, Cai & DasGupta 2001).

    >>> round(at_most(0, 20), 3), round(at_most(2, 20), 3)
    (0.161, 0.301)
    """
    share, z2 = count / of, NORMAL_95**2
    half = math.sqrt(z2 * share * (1 - share) / of + (z2 / (2 * of)) ** 2)
    return min(1.0, (share + z2 / (2 * of) + half) / (1 + z2 / of))


def balanced_accuracy(people: Sequence[bool], judge: Sequence[bool], weights: Numbers) -> Numbers:
    yes_yes, yes_no, no_yes, no_no = _table(people, judge, weights)
    return (_share(yes_yes, yes_yes + yes_no) + _share(no_no, no_no + no_yes)) / 2


def recall_of_no(people: Sequence[bool], judge: Sequence[bool], weights: Numbers) -> Numbers:
    """Of what people call no (rare among claims), the share that the judge calls no."""
    *_, no_yes, no_no = _table(people, judge, weights)
    return _share(no_no, no_no + no_yes)


def krippendorff_alpha(units: Sequence[Sequence[bool]], weights: Numbers) -> Numbers:
    """Agreement of any number of raters, nominal; units with one label count for nothing.

    `units` holds the labels that each unit got (Krippendorff 2011, "Computing Krippendorff's
    alpha reliability").
    """
    yes = np.array([sum(labels) for labels in units], dtype=float)
    no = np.array([len(labels) for labels in units], dtype=float) - yes
    paired = yes + no >= 2
    others = np.where(paired, yes + no - 1, 1)
    apart = weights @ np.where(paired, 2 * yes * no / others, 0)
    all_yes, all_no = (weights @ np.where(paired, count, 0) for count in (yes, no))
    return 1 - _share((all_yes + all_no - 1) * apart, 2 * all_yes * all_no)


# --- Rows and systems: numbers -------------------------------------------------------------------


def spearman(x: Sequence[float], y: Sequence[float], weights: Numbers) -> Numbers:
    n = np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
    dx, dy = (
        ranks - (weights * ranks).sum(axis=1, keepdims=True) / n
        for ranks in (_ranks(x, weights), _ranks(y, weights))
    )
    both = (weights * dx * dy).sum(axis=1)
    return _share(both, np.sqrt((weights * dx * dx).sum(axis=1) * (weights * dy * dy).sum(axis=1)))


def _ranks(values: Sequence[float], weights: Numbers) -> Numbers:
    """Mean ranks of the values when each is there as often as its weight says."""
    _, group = np.unique(np.array(values, dtype=float), return_inverse=True)
    sizes = np.zeros((len(weights), group.max(initial=-1) + 1))
    for place in range(len(group)):
        sizes[:, group[place]] += weights[:, place]
    ranks: Numbers = np.cumsum(sizes, axis=1) - sizes + (sizes + 1) / 2
    return ranks[:, group]


def kendall_tau_b(x: Sequence[float], y: Sequence[float], weights: Numbers) -> Numbers:
    a, b = _signs(x), _signs(y)

    def total(pairs: Numbers) -> Numbers:
        summed: Numbers = ((weights @ pairs) * weights).sum(axis=1)
        return summed

    return _share(total(a * b), np.sqrt(total(np.abs(a)) * total(np.abs(b))))


def _signs(values: Sequence[float]) -> Numbers:
    numbers = np.array(values, dtype=float)
    signs: Numbers = np.sign(numbers[:, None] - numbers[None, :])
    return signs
