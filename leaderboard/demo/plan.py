"""Who submits what, and when, in the two demo contests: `steps.csv`, one line an upload.

A submission takes each summary from one of five imaginary systems. Its `Mix` says in what shares,
so a team that works on its system moves its shares to the right. A team that tunes to the public
board has somewhat worse shares on the rows which that board does not show: enough to fall a few
ranks, as in real contests, whose two boards mostly agree. Scores are never written here.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import time
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import NamedTuple

DIALOGUES = "dialogues.csv"
GOLDS = "golds.csv"
SYSTEMS = "systems.csv"
DEV_DIALOGUES = "dev_dialogues.csv"
DEV_GOLDS = "dev_golds.csv"
FINISHED_DIALOGUES = "finished_dialogues.csv"
FINISHED_GOLDS = "finished_golds.csv"
FINISHED_SYSTEMS = "finished_systems.csv"
RUNNING_SLUG = "daily-dialogue"
FINISHED_SLUG = "short-calls"

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class PlannedSubmission:
    """One upload; `day_offset` is negative, in days before now, the time is the contest's own."""

    team: str
    day_offset: int
    hour: int
    minute: int
    file_name: str
    note: str
    method_name: str
    texts: Mapping[str, str]
    final: bool = False


class Mix(NamedTuple):
    """Percentages of the rows that come from each system; they add up to 100."""

    lead: int = 0
    short: int = 0
    literal: int = 0
    good: int = 0
    better: int = 0

    @classmethod
    def of(cls, words: str) -> "Mix":
        """Read `good=70 better=30`."""
        return cls(
            **{name: int(share) for name, share in (one.split("=") for one in words.split())}
        )


class PlannedStep(NamedTuple):
    """One upload of a team: the day before now, the time, and the shares of its texts."""

    day_offset: int
    hour: int
    minute: int
    mix: Mix
    method_name: str
    note: str
    hidden: Mix | None = None  # the shares on private rows, where they are others
    final: bool = False


def read(name: str) -> bytes:
    """One of the demo's files."""
    return (FOLDER / name).read_bytes()


def load_csv(name: str) -> list[dict[str, str]]:
    """Its rows by column name."""
    return list(csv.DictReader(io.StringIO(read(name).decode(), newline="")))


def steps(slug: str) -> dict[str, list[PlannedStep]]:
    """What each team of a demo contest does, in its order."""
    found: dict[str, list[PlannedStep]] = {}
    for row in load_csv("steps.csv"):
        if row["contest"] == slug:
            at = time.fromisoformat(row["time"])
            step = PlannedStep(
                *(int(row["day"]), at.hour, at.minute, Mix.of(row["mix"])),
                method_name=row["method"],
                note=row["note"],
                hidden=Mix.of(row["hidden"]) if row["hidden"] else None,
                final=bool(row["final"]),
            )
            found.setdefault(row["team"], []).append(step)
    return found


def planned(
    teams: Mapping[str, Sequence[PlannedStep]], systems: str, golds: str
) -> list[PlannedSubmission]:
    """What the teams' steps hand in, oldest first. systems, golds: files of the demo."""
    rows = load_csv(systems)
    private = frozenset(gold["fname"] for gold in load_csv(golds) if gold["split"] == "private")
    uploads = [
        PlannedSubmission(
            team=team,
            day_offset=step.day_offset,
            hour=step.hour,
            minute=step.minute,
            file_name=f"output_{number:02d}.csv",
            note=step.note,
            method_name=step.method_name,
            texts=_texts(team, number, step, rows, private),
            final=step.final,
        )
        for team, steps in teams.items()
        for number, step in enumerate(steps, start=1)
    ]
    return sorted(uploads, key=lambda one: (one.day_offset, one.hour, one.minute, one.team))


def _texts(
    team: str,
    number: int,
    step: PlannedStep,
    rows: Sequence[Mapping[str, str]],
    private: frozenset[str],
) -> Mapping[str, str]:
    # Rows keep their place in a team's order, so a better mix changes few of them for the worse;
    # the jitter lets a later submission lose a little now and then, as real ones do.
    ranked = Random(team)  # noqa: S311
    jitter = Random(f"{team} {number}")  # noqa: S311
    texts = {}
    for row in rows:
        place = ranked.random() * 100 + jitter.uniform(-6, 6)
        mix = step.hidden if step.hidden and row["fname"] in private else step.mix
        texts[row["fname"]] = row[_system(place, mix)]
    return MappingProxyType(texts)


def _system(place: float, mix: Mix) -> str:
    """The system whose share covers `place`, counted from the best one.

    >>> _system(30, Mix(short=60, good=40)), _system(70, Mix(short=60, good=40))
    ('good', 'short')
    """
    edge = 0
    chosen = Mix._fields[0]
    for name, share in reversed([*zip(Mix._fields, mix, strict=True)]):
        if share == 0:
            continue
        chosen, edge = name, edge + share
        if place < edge:
            break
    return chosen
