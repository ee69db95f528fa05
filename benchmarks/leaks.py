"""What the numbers of a board tell about its hidden split, to a team that sees them all.

Two attacks. A team tries: each file takes one of two texts for every row, at random; the printed
numbers are regressed on these choices, a row whose choice moves nothing is private, and the text
that moves the total up is kept. Or, at worst, a team knows what each of its rows earned, by golds
as good as the contest's own, and regresses on that. Beside the total the team uses the metrics, the
lift in whole percent, its luck line at 0.01 once a day, and the threshold of the bands at 0.001.
How much each of them says is learnt from other simulated contests, where the split is known, so
nothing an attacker could work out is held back.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.statistics.bands import bands
from scoring.statistics.luck import luck

Numbers = NDArray[np.float64]

ROWS, PUBLIC = 499, 250
METRICS = 3
# Totals of rows deviate by this between a team's files, once shared parts are out.
DEVIATION = 0.20
SAME = 0.85  # how alike the two texts' differences are in two metrics
A_DAY = 12
FIELD = 20  # other files on the board
SHUFFLES = 5
# Of a text under the gold of another row: what it earns, and how much of the choice is seen there.
SHUFFLED, SHUFFLED_CHOICE = 0.7, 0.3
DRAWS = 500  # of the bands: their noise is the same for all files, as it is on a board


@dataclass(frozen=True)
class Attack:
    """known: files x rows, what the team knows of each row of its files.

    gains: rows, half of what the choice of a text moves in the total; 0 where none was chosen.
    printed: files x numbers, as a team reads them; the total is the first.
    """

    known: Numbers
    is_public: NDArray[np.bool_]
    gains: Numbers
    printed: Numbers


def tries(dice: np.random.Generator, files: int) -> Attack:
    """A team takes one of two texts for every row, and knows which."""
    choices = dice.choice([-1.0, 1.0], size=(files, ROWS))
    moved = _moved(dice, 1)
    is_public, printed, _ = _printed(dice, moved * choices)
    return Attack(choices, is_public, moved.sum(axis=0)[0], printed)


def knows(dice: np.random.Generator, files: int) -> Attack:
    """A team writes every row anew, and knows what each earns: so also its mean over all rows.

    What the printed total differs by from that mean is all that the split does.
    """
    is_public, printed, totals = _printed(dice, _moved(dice, files))
    printed[:, : 1 + METRICS] -= totals.mean(axis=1)[:, None] / [1, *[METRICS] * METRICS]
    return Attack(totals, is_public, np.zeros(ROWS), printed)


def _moved(dice: np.random.Generator, files: int) -> Numbers:
    """Metrics x files x rows: alike in all metrics, and in the total of the wanted deviation."""
    shared = dice.normal(size=(1, files, ROWS))
    own = dice.normal(size=(METRICS, files, ROWS))
    moved: Numbers = np.sqrt(SAME) * shared + np.sqrt(1 - SAME) * own
    return moved * DEVIATION / moved.sum(axis=0).std()


def _printed(
    dice: np.random.Generator, moved: Numbers
) -> tuple[NDArray[np.bool_], Numbers, Numbers]:
    """The split, the numbers that a team reads of each file, and the totals of rows."""
    is_public = np.zeros(ROWS, bool)
    is_public[dice.permutation(ROWS)[:PUBLIC]] = True
    metrics = 1 / METRICS + 0.15 * dice.normal(size=ROWS) + moved
    totals = metrics.sum(axis=0)
    public = metrics[:, :, is_public].mean(axis=2)
    printed = [np.round(public.sum(axis=0), 4), *np.round(public, 4)]
    changed = moved.sum(axis=0) / DEVIATION
    printed.append(_lift(dice, totals[:, is_public], changed[:, is_public]))
    printed.append(_luck_by_day(totals[:, is_public]))
    printed.append(_thresholds(dice, totals[:, is_public]))
    return is_public, np.column_stack(printed), totals


def _lift(dice: np.random.Generator, totals: Numbers, changed: Numbers) -> Numbers:
    """In whole percent of the total; the same permutations of public rows for each file."""
    rows = totals.shape[1]
    shuffled = np.zeros(len(totals))
    for _ in range(SHUFFLES):
        elsewhere = dice.permutation(rows)
        moved = SHUFFLED_CHOICE * DEVIATION * dice.normal(size=rows)
        base = SHUFFLED * (1 + 0.3 * dice.normal(size=rows))
        shuffled += (base + moved * changed[:, elsewhere]).mean(axis=1) / SHUFFLES
    total = totals.mean(axis=1)
    return np.round(100 * (total - shuffled) / total)


def _luck_by_day(totals: Numbers) -> Numbers:
    """What stands on the team's page when a file is sent: of all files until the night before."""
    shown = []
    for file in range(len(totals)):
        found = luck(totals[: file // A_DAY * A_DAY])
        shown.append(round(found.luck, 2) if found else 0.0)
    return np.array(shown)


def _thresholds(dice: np.random.Generator, totals: Numbers) -> Numbers:
    """Of the board on which each file stands, computed again for it, with the same draws."""
    others = 1.0 + 0.45 * dice.normal(size=(FIELD, totals.shape[1]))
    found = [bands(np.vstack([file, others]), seed=1, resamples=DRAWS) for file in totals]
    return np.array([each.threshold for each in found])


def coefficients(made: Attack) -> Numbers:
    """Rows x numbers: what each row seems to move, by least squares of smallest length.

    The cut-off drops the direction that the centred files have lost, or its noise would be all.
    """
    printed = made.printed - made.printed.mean(axis=0)
    inverse = np.linalg.pinv(made.known - made.known.mean(axis=0), rcond=1e-8)
    found: Numbers = inverse @ printed
    deviations = found.std(axis=0)
    return found / np.where(deviations > 0, deviations, 1.0)


def auc(scores: Numbers, is_positive: NDArray[np.bool_]) -> float:
    """How often a positive has the higher score; 0.5 is no knowledge. Equal scores count half.

    >>> auc(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]))
    0.5
    """
    positive, negative = scores[is_positive], np.sort(scores[~is_positive])
    below = np.searchsorted(negative, positive, side="left")
    up_to = np.searchsorted(negative, positive, side="right")
    return float((below + up_to).mean() / 2 / len(negative))


@dataclass(frozen=True)
class Leak:
    """Means over contests: by the total alone, by total and metrics, and by all numbers.

    tried, known: the AUC of the public rows, in both attacks. gain: of the texts kept, over the
    public rows, by the total alone and by all numbers; private_gain: over the others, by the total.
    """

    files: int
    tried: tuple[float, ...]
    known: tuple[float, ...]
    gain: tuple[float, float]
    private_gain: float


def leak(files: int, contests: int, seed: int) -> Leak:
    """Half of the contests teach how to read the numbers, the others are attacked."""
    dice = np.random.default_rng(seed)
    tried = [tries(dice, files) for _ in range(contests)]
    known = [knows(dice, files) for _ in range(contests)]
    found = [coefficients(each) for each in tried]
    half = contests // 2
    weights = _fit(found[:half], [each.gains * each.is_public for each in tried[:half]])
    gains, private = [], []
    for each, of in zip(tried[half:], found[half:], strict=True):
        sides = np.sign(np.column_stack([of[:, 0], of @ weights]))
        kept = sides * each.gains[:, None]
        gains.append(kept[each.is_public].mean(axis=0))
        private.append(kept[~each.is_public].mean(axis=0)[0])
    one, other = np.mean(gains, axis=0)
    return Leak(
        files,
        _aucs(tried, [np.abs(of) for of in found]),
        _aucs(known, [coefficients(each) for each in known]),
        (float(one), float(other)),
        float(np.mean(private)),
    )


def _aucs(made: list[Attack], found: list[Numbers]) -> tuple[float, ...]:
    """By the first number, by the first ones, and by all, as half of the contests teaches."""
    half = len(made) // 2
    wanted = [each.is_public.astype(float) for each in made[:half]]
    means = []
    for numbers in (1, 1 + METRICS, found[0].shape[1]):
        known = [each[:, :numbers] for each in found]
        features = [np.column_stack([np.ones(len(each)), each, each**2]) for each in known]
        weights = _fit(features[:half], wanted)
        right = [
            auc(of @ weights, each.is_public)
            for each, of in zip(made[half:], features[half:], strict=True)
        ]
        means.append(float(np.mean(right)))
    return tuple(means)


def _fit(features: list[Numbers], wanted: list[Numbers]) -> Numbers:
    """Least squares on contests whose split is known."""
    found: Numbers = np.linalg.lstsq(np.vstack(features), np.concatenate(wanted))[0]
    return found
