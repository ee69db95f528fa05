"""Whether what a board says of its own noise is true: simulated contests whose truth is known.

Rows are skewed (gamma) and share how hard they are and which family of models a file is of, with
the spreads measured on DialogSum's three annotators: a row's total deviates by 0.45, and correlates
at 0.60 between families and at 0.85 within one. `python -m benchmarks.believable` prints every bar
and returns 1 if one is missed.
"""

import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.insight.tuning_gap import best_of, deviation_of, gap_in_errors
from scoring.statistics import ERROR_RATE, RESAMPLES
from scoring.statistics.bands import UNITS, Bands, bands
from scoring.statistics.pairs import spread

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
LEAK_DRAWS = 500  # of the bands: their noise is the same for all files, as it is on a board


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
        shown.append(round(_luck_line(totals[: file // A_DAY * A_DAY]), 2))
    return np.array(shown)


def _thresholds(dice: np.random.Generator, totals: Numbers) -> Numbers:
    """Of the board on which each file stands, computed again for it, with the same draws."""
    others = 1.0 + 0.45 * dice.normal(size=(FIELD, totals.shape[1]))
    found = [bands(np.vstack([file, others]), seed=1, resamples=LEAK_DRAWS) for file in totals]
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


Numbers = NDArray[np.float64]

SEED = 20260216
ROW_DEVIATION = 0.45
SHARED, OF_FAMILY = 0.60, 0.25
FAMILY = 5  # files of one family of models
SHAPE = 4  # of the gamma: skewness 1
FAR = 0.05  # apart in truth: a pair that should be found
SIMULATIONS, PAIRS, TEAMS, CONTESTS = 600, 2000, 400, 40
MOST_ERRORS = 4  # of a fall, before it has a light; as `leaderboard.insight.flags` has it
# Fewer than a board has, in a fifth of the time. The threshold varies a little more by it, so what
# is measured is no better than what a board shows.
DRAWS = 2000


def rows_of(dice: np.random.Generator, truths: Numbers, rows: int) -> Numbers:
    """Totals of rows, files x rows, of files whose true totals are these."""

    def skewed(*shape: int) -> Numbers:
        return (dice.gamma(SHAPE, size=shape) - SHAPE) / np.sqrt(SHAPE)

    files = len(truths)
    family = skewed(-(-files // FAMILY), rows)[np.arange(files) // FAMILY]
    own = 1 - SHARED - OF_FAMILY
    together = np.sqrt(SHARED) * skewed(1, rows) + np.sqrt(OF_FAMILY) * family
    moved: Numbers = together + np.sqrt(own) * skewed(files, rows)
    return truths[:, None] + ROW_DEVIATION * moved


@dataclass(frozen=True)
class Field:
    """A column of the table: how the true totals of its files lie, and over how many rows."""

    name: str
    truths: Callable[[np.random.Generator], Numbers]
    rows: int


def equal(files: int) -> Callable[[np.random.Generator], Numbers]:
    """Files that are all as good."""
    return lambda _dice: np.full(files, 1.0)


def mixed(dice: np.random.Generator) -> Numbers:
    """95 files as good as a contest's are, and five that answer nothing."""
    return np.concatenate([dice.normal(1.0, 0.06, size=95), np.full(5, 0.3)])


FIELDS = (
    Field("20 equal files, 250 rows", equal(20), 250),
    Field("100 equal files, 250 rows", equal(100), 250),
    Field("20 equal files, 50 rows", equal(20), 50),
    Field("20 equal files, 20 rows", equal(20), 20),
    Field("2 equal files, 20 rows", equal(2), 20),
    Field("20 files 0.01 apart, 250 rows", lambda _dice: 1.0 + 0.01 * np.arange(20), 250),
    Field("95 mixed and 5 junk files, 250 rows", mixed, 250),
)


@dataclass(frozen=True)
class Held:
    """coverage: contests without one false order. power: of pairs truly far apart, those found."""

    coverage: float
    power: float | None
    threshold: float


def held(field: Field, simulations: int, draws: int = DRAWS) -> Held:
    """Bands over many contests of one kind."""
    dice = np.random.default_rng(SEED)
    right, powers, thresholds = 0, [], []
    for number in range(simulations):
        truths = field.truths(dice)
        found = bands(rows_of(dice, truths, field.rows), seed=number, resamples=draws)
        gaps = truths[:, None] - truths
        better = above(found)
        right += not (better & (gaps <= 0)).any()
        far = gaps >= FAR - 1e-9
        if far.any():
            powers.append(better[far].mean())
        thresholds.append(found.threshold)
    power = float(np.mean(powers)) if powers else None
    return Held(right / simulations, power, float(np.median(thresholds)))


def above(found: Bands) -> NDArray[np.bool_]:
    """files x files: whether the one of the line is said to be better than that of the column."""
    totals = np.array(found.totals)
    return totals[:, None] - totals > np.rint(found.threshold * UNITS)


def steadiness(seeds: int) -> tuple[float, float]:
    """The smallest and the largest threshold over seeds of six files, two of them near-duplicates.

    The two are equal but in four rows of a hundred; the others lie apart, so whoever looks at the
    pairs that are not told apart is left with these two.
    """
    dice = np.random.default_rng(SEED)
    values = rows_of(dice, np.array([1.0, 1.1, 0.9, 0.8, 0.7]), 250)
    moved = (dice.random(250) < 0.04) * dice.normal(0, 0.1, size=250)
    values = np.vstack([values, values[0] + moved])
    found = [bands(values, seed=seed, resamples=DRAWS).threshold or 0.0 for seed in range(seeds)]
    return min(found), max(found)


def false_borders(files: int, rows: int, simulations: int) -> float:
    """The share of contests where a judge's groups have a border between files all as good.

    A judge's score of a row is a share of five questions; how hard a row is all files share.
    """
    dice, found = np.random.default_rng(SEED), 0
    for number in range(simulations):
        hard = dice.beta(4, 2, size=rows)
        scores = dice.binomial(5, hard, size=(files, rows)) / 5
        found += max(bands(scores, seed=number, resamples=DRAWS).groups()) > 1
    return found / simulations


def called_different(rows: int, pairs: int, *, apart: float, alike: bool) -> float:
    """Of pairs of files whose true totals are so far apart; `alike`: of one family."""
    dice, found = np.random.default_rng(SEED), 0
    places = [0, 1] if alike else [0, FAMILY]
    for number in range(pairs):
        one, other = rows_of(dice, np.ones(FAMILY + 1), rows)[places]
        differences = spread((one + apart - other).tolist(), number)
        found += differences is not None and differences.p <= ERROR_RATE
    return found / pairs


def called_different_leaning(
    draw: Callable[[np.random.Generator, int], Numbers], rows: int, pairs: int
) -> float:
    """The same of pairs as good as each other whose differences lean to one side."""
    dice = np.random.default_rng(SEED)
    found = [spread(draw(dice, rows).tolist(), number) for number in range(pairs)]
    return sum(one is not None and one.p <= ERROR_RATE for one in found) / pairs


def exponential(dice: np.random.Generator, rows: int) -> Numbers:
    """Many small losses and a few large gains: skewness 2."""
    return dice.exponential(size=rows) - 1


def log_normal(dice: np.random.Generator, rows: int) -> Numbers:
    """The same, skewness 6."""
    return dice.lognormal(size=rows) - np.exp(0.5)


def false_falls(teams: int, *, alike: bool) -> float:
    """Teams with a light for their fall though nothing is fitted; a field of 20 other families.

    Each hands in five files all as good: of one family, `alike`, or as unlike as other teams' are.
    """
    dice, found = np.random.default_rng(SEED), 0
    places = np.arange(FAMILY) * (1 if alike else FAMILY)
    for _ in range(teams):
        values = rows_of(dice, np.ones(25 * FAMILY), 499)
        falls = values[:, :250].mean(axis=1) - values[:, 250:].mean(axis=1)
        deviation = deviation_of(values[places])
        assert deviation is not None
        usual = float(np.median(falls[::FAMILY]))
        errors = gap_in_errors(float(falls[0]), usual, deviation, rows=250, other_rows=249)
        found += errors is not None and errors > MOST_ERRORS
    return found / teams


class Flattered(NamedTuple):
    """Means over teams, in points: how far the best of their files fell, and the luck line."""

    gap: float
    line: float


def _luck_line(totals: Numbers) -> float:
    """By how much the best of these files (files x rows) is expected to be flattered."""
    files, rows = totals.shape
    return best_of(deviation_of(totals) or 0.0, files=files, rows=rows) if files > 1 else 0.0


def flattered(files: int, teams: int) -> Flattered:
    """Independent tries, all as good; the best by 250 public rows falls on 249 private ones.

    Less what all of them fall: public rows may be easier than private ones, which flatters nobody.
    """
    dice, gaps, lines = np.random.default_rng(SEED), [], []
    for _ in range(teams):
        values = 1 + 0.34 * dice.normal(size=499) + 0.30 * dice.normal(size=(files, 499))
        public = values[:, :250]
        falls = public.mean(axis=1) - values[:, 250:].mean(axis=1)
        gaps.append(falls[public.mean(axis=1).argmax()] - falls.mean())
        lines.append(_luck_line(public))
    return Flattered(float(np.mean(gaps)), float(np.mean(lines)))


class Bar(NamedTuple):
    """One measured number, and where it should lie; without limits it is shown alone."""

    name: str
    value: float
    lowest: float | None = None
    highest: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether it lies there."""
        too_low = self.lowest is not None and self.value < self.lowest
        return not too_low and (self.highest is None or self.value <= self.highest)

    def __str__(self) -> str:
        limits = ((">=", self.lowest), ("<=", self.highest))
        goals = [f"{sign} {limit:g}" for sign, limit in limits if limit is not None]
        mark = ("ok" if self.is_met else "MISS") if goals else ""
        goal = f"   goal {', '.join(goals)}" if goals else ""
        return f"{mark:<5}{self.name:<64}{self.value:>7.3f}{goal}"


def noise() -> Iterator[Bar]:
    """Bands, groups and pairs."""
    for field in FIELDS:
        found = held(field, SIMULATIONS)
        yield Bar(f"coverage, {field.name}", found.coverage, 0.94)
        if found.power is not None:
            yield Bar(f"power, {field.name}", found.power, 0.45 if field is FIELDS[-1] else None)
        yield Bar(f"threshold, {field.name}, median", found.threshold)
    for files in (10, 20):
        share = false_borders(files, 250, SIMULATIONS)
        yield Bar(f"false border in a judge's groups, {files} equal files", share, None, 0.07)
    for rows in (20, 50, 250):
        share = called_different(rows, PAIRS, apart=0, alike=False)
        yield Bar(f"equal files called different, {rows} rows", share, 0.035, 0.07)
    smallest, largest = steadiness(60)
    yield Bar("threshold of six files, two near-duplicates, smallest of 60 seeds", smallest, 0.03)
    yield Bar("that, the largest less the smallest", largest - smallest, None, 0.005)
    for name, draw, highest in (("a little", exponential, 0.10), ("much", log_normal, 0.17)):
        for rows in (20, 50, 250):
            share = called_different_leaning(draw, rows, PAIRS)
            yield Bar(f"the same, leaning {name} to one side, {rows} rows", share, None, highest)
    share = called_different(250, PAIRS, apart=FAR, alike=True)
    yield Bar("files 0.05 apart found, 250 rows, one family of models", share, 0.80)
    share = called_different(250, PAIRS, apart=FAR, alike=False)
    yield Bar("files 0.05 apart found, 250 rows, two families", share)


def choice() -> Iterator[Bar]:
    """The luck line, and what the numbers of a board leak."""
    for files in (2, 5, 12, 60, 156):
        # Of few files the fall is small beside its chance, so it takes more teams.
        found = flattered(files, TEAMS * (5 if files < 10 else 1))
        yield Bar(f"best of {files} equal tries falls by", found.gap)
        yield Bar(f"luck line against that, {files} tries", found.line / found.gap, 0.9, 1.1)
    yield Bar(
        "lights for falls of nothing, unlike files", false_falls(PAIRS, alike=False), None, 0.003
    )
    yield Bar(
        "lights for falls of nothing, files of one family",
        false_falls(PAIRS, alike=True),
        None,
        0.012,
    )
    for files, section_3 in ((60, 0.68), (156, 0.80)):
        told = leak(files, CONTESTS, SEED)
        name = f"{files} files, AUC of the split"
        yield Bar(f"{name}, a team tries, by the total", told.tried[0])
        yield Bar(f"{name}, and by the metrics", told.tried[1])
        yield Bar(f"{name}, and by lift, luck, bands", told.tried[2], None, section_3 + 0.02)
        yield Bar(f"{name}, golds known, by the total", told.known[0])
        more = told.known[2] - told.known[0]
        yield Bar(f"{name}, golds known, more by all others", more, None, 0.02)
        yield Bar(f"{files} files, public gain of the attack", told.gain[0])
        ratio = told.gain[1] / told.gain[0]
        yield Bar(f"{files} files, that by all numbers against it", ratio, None, 1.1)
        yield Bar(f"{files} files, private gain of it", abs(told.private_gain), None, 0.01)


def cost() -> Iterator[Bar]:
    """Time of the processor, of all cores together, and the memory of the whole process."""
    dice = np.random.default_rng(SEED)
    for files, rows, seconds in ((1000, 250, 2.0), (1000, 500, 2.0), (10_000, 500, 10.0)):
        truths = np.split(dice.normal(1.0, 0.1, size=files), 10)
        values = np.concatenate([rows_of(dice, part, rows).astype(np.float32) for part in truths])
        began = time.process_time()
        bands(values, seed=SEED)
        spent = time.process_time() - began
        name = f"bands of {files:,} files, {rows} rows, {RESAMPLES:,} draws"
        yield Bar(f"{name}, s", spent, None, seconds)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield Bar("memory of the whole bench, GB", memory, None, 0.5)


def main() -> int:
    """Every bar, as it is measured; 1 if one is missed."""
    missed = 0
    for part in (noise, choice, cost):
        for bar in part():
            print(bar, flush=True)
            missed += not bar.is_met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
