"""`python -m benchmarks.memory ROWS`: peak memory of scoring one large file from files on disk."""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import material

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


if __name__ == "__main__":
    print(f"{peak_gigabytes(int(sys.argv[1])):.2f} GB")
