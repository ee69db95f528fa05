"""The two demo contests: their dates in days around today, files and people, and who submits what
when (`steps.csv`, one line an upload).

A submission takes each summary from one of five imaginary systems. Its `Mix` says in what shares,
so a team that works on its system moves its shares to the right. A team that tunes to the public
board has somewhat worse shares on the rows which that board does not show: enough to fall a few
ranks, as in real contests, whose two boards mostly agree. Scores are never written here.
"""

import codecs
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


# What the organizer calls the first system's texts.
BASELINE = "첫 발화 복사"


@dataclass(frozen=True)
class ContestPages:
    """The words of one contest; the formula is not among them, settings print it."""

    slug: str
    title_ko: str
    title_en: str
    introduction_ko: str
    introduction_en: str
    rules_ko: str
    rules_en: str


def pages(slug: str, title_ko: str, title_en: str) -> ContestPages:
    """The pages that stand in the demo's folder, in Markdown; all contests have the same rules."""
    names = (f"{slug}.ko.md", f"{slug}.en.md", "rules.ko.md", "rules.en.md")
    texts = (read(name).decode() for name in names)
    return ContestPages(slug, title_ko, title_en, *texts)


@dataclass(frozen=True)
class DemoFile:
    """A file that participants may download: its name there and its source here."""

    name: str
    source: str
    description_ko: str
    description_en: str

    def read(self) -> bytes:
        """With a BOM: people open it in Excel."""
        return codecs.BOM_UTF8 + read(self.source)


@dataclass(frozen=True)
class DemoAnnouncement:
    """What the organizer told everybody: on that day after the opening's, at that hour."""

    day: int
    hour: int
    text_ko: str
    text_en: str


@dataclass(frozen=True)
class DemoContest:
    """Days are counted from today's midnight in the contest's zone.

    `baseline`: what the organizer calls the first system's texts, put on the board without a rank.
    """

    pages: ContestPages
    opens_day: int
    closes_day: int
    reveals_day: int
    golds: str
    systems: str
    steps: Mapping[str, Sequence[PlannedStep]]
    files: tuple[DemoFile, ...]
    captains: tuple[str, ...]
    dev_golds: str = ""
    dev_dialogues: str = ""
    announcement: DemoAnnouncement | None = None
    baseline: str = ""
    late_entries: bool = False

    def submissions(self) -> list[PlannedSubmission]:
        """What its teams hand in, oldest first."""
        return planned(self.steps, self.systems, self.golds)

    def teams(self) -> list[str]:
        """Team names in the order of their first submission."""
        return list(dict.fromkeys(planned.team for planned in self.submissions()))

    def baseline_texts(self) -> Mapping[str, str]:
        """What a program without a model would hand in: the first turns, as they were said."""
        return {row["fname"]: row["lead"] for row in load_csv(self.systems)}


def as_csv(texts: Mapping[str, str]) -> bytes:
    """Predictions as the file that a team would upload."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["fname", "summary"])
    writer.writerows(texts.items())
    return out.getvalue().encode("utf-8-sig")


CONTESTS = (
    DemoContest(
        pages=pages(RUNNING_SLUG, "일상 대화 요약", "Dialogue Summarization"),
        opens_day=-7,
        closes_day=9,
        reveals_day=10,
        golds=GOLDS,
        systems=SYSTEMS,
        steps=steps(RUNNING_SLUG),
        files=(
            DemoFile(
                "test_dialogues.csv",
                DIALOGUES,
                "요약할 대화 40개입니다. 정답은 들어 있지 않습니다.",
                "The 40 dialogues to summarize, without references.",
            ),
        ),
        captains=("alice", "dabin", "eunwoo", "gahee", "haneul", "ian"),
        dev_golds=DEV_GOLDS,
        dev_dialogues=DEV_DIALOGUES,
        announcement=DemoAnnouncement(
            day=1,
            hour=11,
            text_ko="개발용 대화 10개를 정답과 함께 데이터 탭에 올렸습니다. "
            "개발 실험실에서는 횟수를 쓰지 않고 몇 번이든 채점해 볼 수 있습니다.",
            text_en="The 10 development dialogues are on the data tab, with their references. "
            "In the dev lab you can score them as often as you like without using an attempt.",
        ),
        baseline=BASELINE,
    ),
    DemoContest(
        pages=pages(FINISHED_SLUG, "짧은 통화 요약", "Short Call Summarization"),
        opens_day=-35,
        closes_day=-20,
        reveals_day=-18,
        golds=FINISHED_GOLDS,
        systems=FINISHED_SYSTEMS,
        steps=steps(FINISHED_SLUG),
        files=(
            DemoFile(
                "talk_dialogues.csv",
                FINISHED_DIALOGUES,
                "요약할 통화 24개입니다. 정답은 들어 있지 않습니다.",
                "The 24 calls to summarize, without references.",
            ),
        ),
        captains=("alice", "jiho", "kyungmin", "luna", "minjae", "nari", "seojun", "taeyang"),
        baseline=BASELINE,
        late_entries=True,
    ),
)
