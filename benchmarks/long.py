"""`./run long`: what takes longer than a push should; resumable, its tables go into `docs/`.

Each step's output is kept under `var/long/<commit>/`, so a run that was interrupted goes on with
the step it was in. When all have ended, `docs/measured.md` holds their tables, between its marks;
what people wrote around them stays. After a change that concerns few steps, `--since COMMIT` keeps
the tables of an earlier run, each named with its commit: `./run long --since abc1234 judge slow`
measures only these two anew; `--since` may be repeated.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "docs" / "measured.md"
NOISE = re.compile(r"^(\{.*|\[\d{4}-.*)$")  # log lines
FOLDER = re.compile(r"(?<=\s)/(?:[^/\s]+/)+")  # of this machine; the file's name stays


class Step(NamedTuple):
    """One part of the long run."""

    name: str
    title: str
    command: list[str]


STEPS = [
    Step("speed", "Speed against peers", ["-m", "benchmarks.bench"]),
    Step("latency", "From a POST to a rank", ["-m", "benchmarks.latency"]),
    Step("board", "A board of ten thousand teams", ["-m", "benchmarks.big_board"]),
    Step("operations", "100,000 teams and a million files", ["-m", "benchmarks.operations"]),
    Step("forum", "A forum of 100,000 posts", ["-m", "benchmarks.forum"]),
    Step("inbox", "An inbox among a million notices", ["-m", "benchmarks.inbox"]),
    Step("rehearsal", "Rehearsing new golds", ["-m", "benchmarks.rehearsal"]),
    Step("believable", "What a board says of its own noise", ["-m", "benchmarks.believable"]),
    Step(
        "judge", "A judge that is dead, slow, lying, or killed", ["-m", "benchmarks.judging.faults"]
    ),
    Step(
        "attacks",
        "Hostile summaries before a judge that obeys",
        ["-m", "benchmarks.judging.attacks"],
    ),
    Step(
        "faults",
        "Killed workers and races",
        ["-m", "pytest", "tests/faults", "-q", "-s", "--no-header", "-p", "no:randomly"],
    ),
    Step("matrix", "Faults in the worst moments", ["-m", "tests.faults.matrix", "--seeds", "3"]),
    Step("kills", "A hundred kills while 60 teams hand in", ["-m", "tests.faults.storm", "kills"]),
    Step("soak", "An hour with a kill every 20 s", ["-m", "tests.faults.storm", "soak"]),
    Step("deadline", "2,000 files in the last minute", ["-m", "benchmarks.rush", "deadline"]),
    Step("watching", "200 people watch, production", ["-m", "benchmarks.rush", "watching"]),
    Step(
        "laptop",
        "200 people watch, one laptop",
        ["-m", "benchmarks.rush", "watching", "--stack", "sqlite-folder"],
    ),
    Step("backup", "A backup under load, restored elsewhere", ["-m", "benchmarks.backup"]),
    Step(
        "slow",
        "Slow tests",
        ["-m", "pytest", "-m", "slow", "-q", "--no-header", "--hypothesis-profile=long"],
    ),
]


def commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "unknown"


def run(step: Step, folder: Path) -> Path | None:
    """Run a step unless it ended before; its table, or None if it failed."""
    kept, half = folder / f"{step.name}.txt", folder / f"{step.name}.part"
    if kept.exists():
        print(f"{step.title}: kept from before")
        return kept
    print(f"{step.title} …", flush=True)
    began = time.monotonic()
    with half.open("w", encoding="utf-8") as out:
        done = subprocess.run(
            [sys.executable, *step.command],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "tests.settings"},
            stdout=out,
            stderr=subprocess.STDOUT,
            check=False,
        )
    ending = "ok" if done.returncode == 0 else "FAILED"
    print(f"{step.title}: {ending} ({time.monotonic() - began:.0f} s)")
    if done.returncode != 0:
        print(half.read_text(encoding="utf-8")[-4000:])
        return None
    return half.replace(kept)


def report(tables: Mapping[str, Path], at_commit: str, page: Path = REPORT) -> None:
    """Put the table of each step, with its commit, in place of its former one on the page."""
    text = page.read_text(encoding="utf-8")
    for step in STEPS:
        table = tables[step.name]
        lines = table.read_text(encoding="utf-8").splitlines()
        kept = [line.rstrip() for line in lines if line.strip() and not NOISE.match(line)]
        shown = FOLDER.sub("", "\n".join(kept))
        earlier = table.parent.name
        machine = f", Python {platform.python_version()}, {os.cpu_count()} cores"
        at = f"At commit {earlier}{machine if earlier == at_commit else ''}."
        text = with_table(text, step, f"{at}\n\n```\n{shown}\n```")
    page.write_text(text, encoding="utf-8")
    print(f"written: {page.name}")


def with_table(text: str, step: Step, table: str) -> str:
    """The page with this table between the step's marks; where there are none, at its end."""
    begin, end = f"<!-- long: {step.name} -->", "<!-- long ends -->"
    before, mark, rest = text.partition(begin)
    if not mark:
        return f"{text.rstrip()}\n\n## {step.title}\n\n{begin}\n{table}\n{end}\n"
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{table}\n{end}{after}"


def main() -> int:
    """All steps in order, then the report; 1 if a step failed."""
    parser = argparse.ArgumentParser(prog="./run long")
    parser.add_argument(
        "--since",
        metavar="COMMIT",
        action="append",
        default=[],
        help="keep this run's tables of other steps; of several, the first that has the table",
    )
    parser.add_argument("steps", nargs="*", help="what to measure anew, with --since")
    options = parser.parse_args()
    at_commit = commit()
    folder, *before = (ROOT / "var" / "long" / name for name in (at_commit, *options.since))
    folder.mkdir(parents=True, exist_ok=True)
    tables: dict[str, Path] = {}
    for step in STEPS:
        there = [each / f"{step.name}.txt" for each in before]
        earlier = next((table for table in there if table.exists()), None)
        keeps = step.name not in options.steps and earlier is not None
        table = earlier if keeps else run(step, folder)
        if table is not None:
            tables[step.name] = table
    if len(tables) < len(STEPS):
        return 1
    report(tables, at_commit)
    return 0


if __name__ == "__main__":
    sys.exit(main())
