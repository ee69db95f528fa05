"""`./run bench`: how fast scoring is, as ratios against peers in one run, and how equal.

Same strings, same process, median of interleaved repeats. Goals stand beside the figures; the exit
code is 1 if one is missed. The fastest peer runs on one thread, as we do.
"""

import argparse
import csv
import gc
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import mecab
import numpy as np
import pandas as pd
from rouge_score.rouge_scorer import RougeScorer
from rouge_score_rs.rouge_scorer import RougeScorer as RustScorer

from benchmarks import material
from benchmarks.material import Material
from scoring import pipeline, predictions, tokenizers
from scoring.findings import Limits
from scoring.metrics import by_class, kernel
from scoring.metrics.metric import RowPredictions
from scoring.profile import Profile

FAMILIES = ["rouge1", "rouge2", "rougeL"]


class _Given:
    """A tokenizer for texts that are tokens already."""

    def tokenize(self, tokens: Sequence[str]) -> Sequence[str]:
        return tokens


class _Morphs:
    """The tokenizer as everyone writes it."""

    def __init__(self) -> None:
        self._mecab = mecab.MeCab()

    def tokenize(self, text: str) -> list[str]:
        return self._mecab.morphs(text)


def mapped(texts: Sequence[Sequence[str]], words: dict[str, str]) -> list[str]:
    """Texts whose tokens are words of ASCII, which the peers' own fast tokenizer keeps apart.

    `words` takes in what is new.
    """
    for token in chain.from_iterable(texts):
        if token not in words:
            words[token] = f"w{len(words)}"
    return [" ".join([words[token] for token in tokens]) for tokens in texts]


class Batch:
    """The fastest road of the fastest peer: all pairs in one call, golds cut and mapped before.

    Bit-equal to one call a pair. It runs on as many threads as RAYON_NUM_THREADS says.
    """

    def __init__(self, golds: Sequence[Sequence[Sequence[str]]]) -> None:
        self._words: dict[str, str] = {}
        self._counts = list(map(len, golds))
        self._golds = [text for row in golds for text in mapped(row, self._words)]
        self._scorer = RustScorer(FAMILIES)

    def mapped(self, predictions: Sequence[Sequence[str]]) -> list[str]:
        """Predictions as the peer's words. New words stay with the file."""
        return mapped(predictions, dict(self._words))

    def score(self, predictions: Sequence[str]) -> list[list[float]]:
        """Rows x metrics of mapped predictions, the best F1 over the golds."""
        texts = [
            text
            for text, count in zip(predictions, self._counts, strict=True)
            for _ in range(count)
        ]
        scores = iter(self._scorer.score_batch(self._golds, texts))
        rows = [[next(scores) for _ in range(count)] for count in self._counts]
        return [[max(one[family].fmeasure for one in row) for family in FAMILIES] for row in rows]


def given_tokens(
    predictions: Sequence[Sequence[str]], golds: Sequence[Sequence[Sequence[str]]], rust: bool
) -> list[list[float]]:
    """Kernel only: rows x metrics, the best F1 over the golds."""
    scorer = (RustScorer if rust else RougeScorer)(FAMILIES, tokenizer=_Given())
    return [
        _best(scorer, prediction, row) for prediction, row in zip(predictions, golds, strict=True)
    ]


def peers_whole_file(material: Material, rust: bool) -> Callable[[], list[list[float]]]:
    """Bytes of a file to values, cutting every text where it is needed."""
    scorer = (RustScorer if rust else RougeScorer)(FAMILIES, tokenizer=_Morphs())

    def run() -> list[list[float]]:
        frame = pd.read_csv(io.BytesIO(material.file))
        texts = dict(zip(frame["fname"], frame["summary"], strict=True))
        return [
            _best(scorer, texts[example.example_id], example.references)
            for example in material.references.examples
        ]

    return run


def whole_file_batch(material: Material) -> Callable[[], list[list[float]]]:
    """Bytes of a file to values by the batch road, golds cut before as ours are."""
    cut = mecab.MeCab().morphs
    ids = material.references.ids
    batch = Batch([list(map(cut, row.references)) for row in material.references.examples])

    def run() -> list[list[float]]:
        frame = pd.read_csv(io.BytesIO(material.file))
        texts = dict(zip(frame["fname"], frame["summary"], strict=True))
        return batch.score(batch.mapped([cut(texts[example_id]) for example_id in ids]))

    return run


def _best(scorer: Any, prediction: Any, golds: Sequence[Any]) -> list[float]:
    best = scorer.score_multi(golds, prediction)
    return [best[family].fmeasure for family in FAMILIES]


_SCORE = """
import resource, sys
from scoring.cli import main
code = main(["score", sys.argv[1], sys.argv[2], "--json"])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def peak_gigabytes(rows: int) -> float:
    """Peak resident memory of `python -m scoring score` in a process of its own, golds included."""
    with tempfile.TemporaryDirectory() as folder:
        gold, predicted = Path(folder, "gold.csv"), Path(folder, "predictions.csv")
        _write(rows, gold, predicted)
        done = subprocess.run(
            [sys.executable, "-c", _SCORE, str(gold), str(predicted)],
            capture_output=True,
            text=True,
            check=True,
        )
    kilobytes = int(done.stderr.split()[-1])
    if sys.platform == "darwin":  # counts in bytes there
        kilobytes //= 1024
    return kilobytes / 1024**2


def _write(rows: int, gold: Path, predicted: Path) -> None:
    stuff = material.make(rows)
    predicted.write_bytes(stuff.file)
    with gold.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("fname", "summary1", "summary2", "summary3", "split"))
        for example in stuff.references.examples:
            writer.writerow((example.example_id, *example.references, example.split))


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
    Each runs once unmeasured before its turn: else it would pay for what the one before it put
    into the processor's caches, the one behind the largest most. Nor does one collect the garbage
    of others meanwhile, as in `timeit`.
    """
    spent: dict[str, list[float]] = {name: [] for name in jobs}
    gc.collect()
    gc.disable()
    try:
        for _ in range(repeats):
            for name, job in jobs.items():
                job()
                started = time.process_time()
                job()
                spent[name].append(time.process_time() - started)
    finally:
        gc.enable()
    return {name: statistics.median(times) for name, times in spent.items()}


BOUNDS = [(start, start + pipeline.BLOCK_ROWS) for start in range(0, ROWS, pipeline.BLOCK_ROWS)]


def at_least(name: str, ratio: float, goal: float) -> Figure:
    return Figure(name, f"{ratio:.1f}x", f">= {goal:g}x", ratio >= goal)


def at_most(name: str, value: float, goal: float, unit: str = "x") -> Figure:
    return Figure(name, f"{value:.2f}{unit}", f"<= {goal:g}{unit}", value <= goal)


class Cut(NamedTuple):
    """Tokens of the predictions and of the golds, and what both sides do with them."""

    predictions: list[Sequence[str]]
    golds: list[list[Sequence[str]]]
    jobs: dict[str, Callable[[], Any]]


def kernel_jobs(stuff: material.Material) -> Cut:
    """Tokens given, golds prepared on both sides; mapping tokens counts on both, or on none."""
    cut = tokenizers.get("mecab-ko")
    prepared = pipeline.prepare(stuff.references, Profile())
    ours = [cut(stuff.predictions[example_id]) for example_id in stuff.references.ids]
    golds = [[cut(gold) for gold in example.references] for example in stuff.references.examples]
    batch = Batch(golds)
    words = batch.mapped(ours)

    def numbers() -> list[kernel.NumberedTokens]:
        return [prepared.vocabulary.look_up(ours[start:stop]) for start, stop in BOUNDS]

    def run(tokens: list[kernel.NumberedTokens]) -> None:
        for block, found in zip(prepared.blocks, tokens, strict=True):
            score(block, found)

    given = numbers()
    jobs: dict[str, Callable[[], Any]] = {
        "ours": lambda: run(numbers()),
        "ours, numbers given": lambda: run(given),
        "rouge-score-rs batch": lambda: batch.score(batch.mapped(ours)),
        "  words given": lambda: batch.score(words),
    }
    return Cut(ours, golds, jobs)


def kernel_only(repeats: int) -> list[Figure]:
    """The kernel against every peer."""
    ours, golds, jobs = kernel_jobs(material.make(ROWS))
    spent = medians(
        {
            **jobs,
            "rouge-score-rs": lambda: given_tokens(ours, golds, rust=True),
            "rouge-score": lambda: given_tokens(ours, golds, rust=False),
        },
        repeats,
    )
    show("kernel", spent)
    ratio = spent["  words given"] / spent["ours, numbers given"]
    return [
        at_least("kernel, against rouge-score", spent["rouge-score"] / spent["ours"], 60),
        at_least(
            "kernel, against rouge-score-rs a call a pair",
            spent["rouge-score-rs"] / spent["ours"],
            4,
        ),
        at_least(
            "kernel, against rouge-score-rs batch, both mapping",
            spent["rouge-score-rs batch"] / spent["ours"],
            2.5,
        ),
        at_least("kernel, against rouge-score-rs batch, neither mapping", ratio, 2.5),
    ]


def by_length(repeats: int) -> list[Figure]:
    """The same against the fastest peer, whose lead in set-up shrinks as texts grow."""
    print(f"kernel by length, {ROWS} rows x {material.GOLDS} golds, ms")
    print("  tokens    ours   batch  ratio    mapping given  ratio")
    figures = []
    for length in (12, 19, 38, 72):
        ours, _, jobs = kernel_jobs(material.make(ROWS, length=length))
        mine, given, batch, words = medians(jobs, repeats).values()
        tokens = statistics.mean(map(len, ours))
        print(
            f"  {tokens:>6.0f}{mine * 1000:>8.2f}{batch * 1000:>8.2f}{batch / mine:>6.1f}x"
            f"{given * 1000:>9.2f}{words * 1000:>8.2f}{words / given:>6.1f}x"
        )
        if length == 72:
            name = f"kernel at {tokens:.0f} tokens, against rouge-score-rs batch"
            figures.append(at_least(f"{name}, both mapping", batch / mine, 2.5))
            figures.append(at_least(f"{name}, neither", words / given, 2.5))
    return figures


KINDS = list(by_class(Profile().parsed_metrics))


def score(block: tuple[Any, ...], tokens: kernel.NumberedTokens) -> None:
    """The metrics of one block of rows, tokens numbered."""
    for (kind, chosen, _), prepared in zip(KINDS, block, strict=True):
        kind.score(chosen, prepared, RowPredictions((), tokens), "max")


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
            "rouge-score-rs batch": whole_file_batch(stuff),
            "rouge-score-rs + morphs": peers_whole_file(stuff, rust=True),
            "rouge-score + morphs": peers_whole_file(stuff, rust=False),
        },
        repeats,
    )
    show("whole file", spent)
    stages(stuff, prepared, repeats)
    ours = spent["ours"]
    return [
        at_least("file, against rouge-score + morphs", spent["rouge-score + morphs"] / ours, 15),
        at_most("file, against bare cutting", ours / spent["bare cutting"], 1.25),
    ]


def stages(stuff: material.Material, prepared: pipeline.PreparedReferences, repeats: int) -> None:
    """Where a file's time goes, each stage by itself."""
    cut = [prepared.tokenizer(text) for text in stuff.predictions.values()]
    look_up = prepared.vocabulary.look_up
    tokens = [look_up(cut[start:stop]) for start, stop in BOUNDS]
    blocks = list(zip(prepared.blocks, tokens, strict=True))
    spent = medians(
        {
            "read and check": lambda: predictions.read(stuff.file, stuff.references.ids),
            "cut": lambda: list(map(prepared.tokenizer, stuff.predictions.values())),
            "number the tokens": lambda: [look_up(cut[start:stop]) for start, stop in BOUNDS],
            "score": lambda: [score(*pair) for pair in blocks],
        },
        repeats,
    )
    show("whole file, by stage", spent)


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
    """Every row against the peers, given the same tokens; the batch's are mapped words."""
    stuff = material.make(EQUALITY_ROWS)
    prepared = pipeline.prepare(stuff.references, Profile())
    report = pipeline.score(stuff.predictions, prepared)
    cut = tokenizers.get("mecab-ko")
    ours = [cut(stuff.predictions[example_id]) for example_id in stuff.references.ids]
    golds = [[cut(gold) for gold in example.references] for example in stuff.references.examples]
    batch = Batch(golds)
    figures = []
    for peer, theirs in (
        ("rouge-score", given_tokens(ours, golds, rust=False)),
        ("rouge-score-rs batch", batch.score(batch.mapped(ours))),
    ):
        worst = float(np.abs(report.examples - np.array(theirs)).max())
        name = f"largest difference to {peer}, {EQUALITY_ROWS:,} rows"
        figures.append(Figure(name, repr(worst), "0.0", worst == 0.0))
    return figures


def peak(rows: int) -> list[Figure]:
    """Memory of scoring one large file in a process of its own."""
    gigabytes = peak_gigabytes(rows)
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
    os.environ["RAYON_NUM_THREADS"] = "1"  # read when the peer first scores a batch
    figures = [
        *kernel_only(asked.repeats),
        *by_length(asked.repeats),
        *whole_file(asked.repeats),
        *equality(),
    ]
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
