"""`./run bench`: how fast scoring is, as ratios against peers in one run, and how equal.

Same strings, same process, median of interleaved repeats. Goals stand beside the figures; the exit
code is 1 if one is missed.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from benchmarks import material, memory, peers
from scoring import kernel, pipeline, predictions, tokenizers
from scoring.problems import Limits
from scoring.profile import Profile

ROWS = 499
REPEATS = 9
EQUALITY_ROWS = 2_000


class Figure(NamedTuple):
    """One printed line: what, how much, the goal, and whether it is met."""

    name: str
    value: str
    goal: str
    met: bool


def medians(jobs: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Median seconds of each job; the jobs take turns, so that a slow moment hits all.

    Seconds of this process (every job runs in one thread), so that a busy machine does not count.
    """
    spent: dict[str, list[float]] = {name: [] for name in jobs}
    for job in jobs.values():
        job()
    for _ in range(repeats):
        for name, job in jobs.items():
            started = time.process_time()
            job()
            spent[name].append(time.process_time() - started)
    return {name: statistics.median(times) for name, times in spent.items()}


def at_least(name: str, ratio: float, goal: float) -> Figure:
    return Figure(name, f"{ratio:.1f}x", f">= {goal:g}x", ratio >= goal)


def at_most(name: str, value: float, goal: float, unit: str = "x") -> Figure:
    return Figure(name, f"{value:.2f}{unit}", f"<= {goal:g}{unit}", value <= goal)


def kernel_only(repeats: int) -> list[Figure]:
    """Tokens given, golds prepared."""
    stuff = material.make(ROWS)
    cut = tokenizers.get("mecab-ko")
    prepared = pipeline.prepare(stuff.references, Profile())
    ours = [cut(stuff.predictions[example_id]) for example_id in stuff.references.ids]
    golds = [[cut(gold) for gold in example.references] for example in stuff.references.examples]
    bounds = list(pipeline.block_bounds(ROWS))

    def run() -> None:
        for block, (start, stop) in zip(prepared.blocks, bounds, strict=True):
            kernel.score(block, prepared.vocabulary.look_up(ours[start:stop]), prepared.profile)

    spent = medians(
        {
            "ours": run,
            "rouge-score-rs": lambda: peers.given_tokens(ours, golds, rust=True),
            "rouge-score": lambda: peers.given_tokens(ours, golds, rust=False),
        },
        repeats,
    )
    show("kernel", spent)
    return [
        at_least("kernel, against rouge-score", spent["rouge-score"] / spent["ours"], 60),
        at_least("kernel, against rouge-score-rs", spent["rouge-score-rs"] / spent["ours"], 4),
    ]


def whole_file(repeats: int) -> list[Figure]:
    """Bytes to report, golds prepared."""
    stuff = material.make(ROWS)
    prepared = pipeline.prepare(stuff.references, Profile())
    texts = list(stuff.predictions.values())

    def run() -> None:
        read = predictions.read(stuff.file, stuff.references.ids)
        pipeline.score(read, prepared)

    def cutting() -> None:
        for text in texts:
            tokenizers.cut_with_lattice(text)

    spent = medians(
        {
            "ours": run,
            "bare cutting": cutting,
            "rouge-score-rs + morphs": peers.whole_file(stuff, rust=True),
            "rouge-score + morphs": peers.whole_file(stuff, rust=False),
        },
        repeats,
    )
    show("whole file", spent)
    ours = spent["ours"]
    return [
        at_least("file, against rouge-score + morphs", spent["rouge-score + morphs"] / ours, 15),
        at_most("file, against bare cutting", ours / spent["bare cutting"], 1.8),
    ]


def growth(largest: int) -> list[Figure]:
    """1x, 10x, 100x rows: the slope of log time over log rows."""
    sizes = [ROWS * factor for factor in (1, 10, 100) if factor <= largest]
    seconds = []
    for rows in sizes:
        stuff = material.make(rows)
        prepared = pipeline.prepare(stuff.references, Profile())
        ids = stuff.references.ids

        def run(file: bytes = stuff.file, prepared: Any = prepared, ids: Any = ids) -> None:
            pipeline.score(predictions.read(file, ids, Limits.unlimited()), prepared)

        seconds.append(medians({"file": run}, 3 if rows <= 10 * ROWS else 1)["file"])
        print(f"  {rows:>7,} rows {seconds[-1] * 1000:>10,.1f} ms")
    slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    return [
        Figure("growth with rows, log-log slope", f"{slope:.3f}", "0.9-1.1", 0.9 <= slope <= 1.1)
    ]


def equality() -> list[Figure]:
    """Every row against rouge-score, given the same tokens."""
    stuff = material.make(EQUALITY_ROWS)
    prepared = pipeline.prepare(stuff.references, Profile())
    report = pipeline.score(stuff.predictions, prepared)
    cut = tokenizers.get("mecab-ko")
    theirs = peers.given_tokens(
        [cut(stuff.predictions[example_id]) for example_id in stuff.references.ids],
        [[cut(gold) for gold in example.references] for example in stuff.references.examples],
        rust=False,
    )
    worst = float(np.abs(report.examples - np.array(theirs)).max())
    name = f"largest difference to rouge-score, {EQUALITY_ROWS:,} rows x {material.GOLDS} golds"
    return [Figure(name, repr(worst), "0.0", worst == 0.0)]


def peak(rows: int) -> list[Figure]:
    """Memory of scoring one large file in a process of its own."""
    gigabytes = memory.peak_gigabytes(rows)
    return [at_most(f"peak memory, {rows:,} rows", gigabytes, 1.0, " GB")]


def show(title: str, spent: Mapping[str, float]) -> None:
    print(f"{title}, {ROWS} rows x {material.GOLDS} golds")
    for name, seconds in spent.items():
        print(f"  {name:<26}{seconds * 1000:>10.2f} ms")


def main() -> int:
    """Print every figure; `--quick` leaves out the two large files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no 50,000 and 100,000 rows")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    asked = parser.parse_args()
    figures = [*kernel_only(asked.repeats), *whole_file(asked.repeats), *equality()]
    print("growth")
    figures += growth(10 if asked.quick else 100)
    if not asked.quick:
        figures += peak(100_000)
    print()
    for figure in figures:
        mark = "ok  " if figure.met else "MISS"
        print(f"{mark} {figure.name:<58}{figure.value:>12}   goal {figure.goal}")
    return 0 if all(figure.met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
