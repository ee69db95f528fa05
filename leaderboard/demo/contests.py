"""The two demo contests: their dates in days around today, files and people, and who submits what
when (`steps.csv`, one line an upload).

A submission takes each summary from one of five imaginary systems. Its `Mix` says in what shares,
so a team that works on its system moves its shares to the right. A team that tunes to the public
board has somewhat worse shares on the rows which that board does not show: enough to fall a few
ranks, as in real contests, whose two boards mostly agree. Scores are never written here.
"""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

from scoring.table import written

FOLDER = Path(__file__).resolve().parent


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


class PlannedUpload(NamedTuple):
    """A team's upload of that number, and the shares of its texts."""

    team: str
    number: int
    after: timedelta  # today's midnight; a negative one, as all lie before it
    mix: Mix
    method_name: str
    note: str
    hidden: Mix | None = None  # the shares on private rows, where they are others
    final: bool = False

    @property
    def file_name(self) -> str:
        return f"output_{self.number:02d}.csv"


def read(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def load_csv(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(read(name).decode(), newline="")))


def offset(days: int, hours: int, minutes: int = 0) -> timedelta:
    """Of a day before today, at that time of the contest's own zone."""
    return timedelta(days=days, hours=hours, minutes=minutes)


def uploads(slug: str) -> tuple[PlannedUpload, ...]:
    """What the teams of a demo contest do."""
    numbers: Counter[str] = Counter()
    found = []
    for row in load_csv("steps.csv"):
        if row["contest"] == slug:
            numbers[row["team"]] += 1
            hours, minutes = map(int, row["time"].split(":"))
            upload = PlannedUpload(
                team=row["team"],
                number=numbers[row["team"]],
                after=offset(int(row["day"]), hours, minutes),
                mix=Mix.of(row["mix"]),
                method_name=row["method"],
                note=row["note"],
                hidden=Mix.of(row["hidden"]) if row["hidden"] else None,
                final=bool(row["final"]),
            )
            found.append(upload)
    return tuple(found)


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


# What the organizer calls the first system's texts, and a file that says one thing everywhere.
BASELINE = "앞 발화 잇기"
CONSTANT = "한 문장 되풀이"
CONSTANT_TEXT = "두 사람은 이야기를 나누고 어떻게 할지 정한다."


def pages(slug: str, title: str, title_en: str) -> dict[str, str]:
    """The words of a contest by the names of its fields, in Markdown; all have the same rules. The
    formula is not among them, settings print it."""
    files = {"introduction": f"{slug}.ko.md", "introduction_en": f"{slug}.en.md"}
    files |= {"rules": "rules.ko.md", "rules_en": "rules.en.md"}
    texts = {name: read(file).decode() for name, file in files.items()}
    return {"slug": slug, "title": title, "title_en": title_en, **texts}


@dataclass(frozen=True)
class DemoCorrection:
    """A slip that the references opened with, and when the organizer made it good, from today's
    midnight. The file says `right`, once."""

    wrong: str
    right: str
    after: timedelta
    reason: str


@dataclass(frozen=True)
class DemoContest:
    """Days are counted from today's midnight in the contest's zone.

    `baselines`: files that the organizer put on the board without a rank, by their names.
    """

    pages: Mapping[str, str]
    opens_day: int
    closes_day: int
    reveals_day: int
    golds: str
    systems: str
    uploads: Sequence[PlannedUpload]
    dialogues: str
    dialogues_name: str  # of the file that participants download
    captains: tuple[str, ...]
    dev_golds: str = ""
    dev_dialogues: str = ""
    correction: DemoCorrection | None = None
    baselines: tuple[str, ...] = ()
    late_entries: bool = False

    def submissions(self) -> list[PlannedUpload]:
        """What its teams hand in, oldest first."""
        return sorted(self.uploads, key=lambda one: (one.after, one.team))

    def texts(self, upload: PlannedUpload) -> Mapping[str, str]:
        """The summaries of an upload by their ids.

        Rows keep their place in a team's order, so a better mix changes few of them for the worse;
        the jitter lets a later upload lose a little now and then, as real ones do.
        """
        ranked = Random(upload.team)  # noqa: S311
        jitter = Random(f"{upload.team} {upload.number}")  # noqa: S311
        private = {row["fname"] for row in load_csv(self.golds) if row["split"] == "private"}
        texts = {}
        for row in load_csv(self.systems):
            place = ranked.random() * 100 + jitter.uniform(-6, 6)
            mix = upload.hidden if upload.hidden and row["fname"] in private else upload.mix
            texts[row["fname"]] = row[_system(place, mix)]
        return texts

    def teams(self) -> list[str]:
        """Team names in the order of their first submission."""
        return list(dict.fromkeys(planned.team for planned in self.submissions()))


def as_csv(texts: Mapping[str, str]) -> bytes:
    """Predictions as the file that a team would upload."""
    return written([("fname", "summary"), *texts.items()]).encode("utf-8-sig")


CONTESTS = (
    DemoContest(
        pages=pages("daily-dialogue", "일상 대화 요약", "Dialogue Summarization"),
        opens_day=-7,
        closes_day=9,
        reveals_day=10,
        golds="golds.csv",
        systems="systems.csv",
        uploads=uploads("daily-dialogue"),
        dialogues="dialogues.csv",
        dialogues_name="test_dialogues.csv",
        captains=("alice", "dabin", "eunwoo", "gahee", "haneul", "ian"),
        dev_golds="dev_golds.csv",
        dev_dialogues="dev_dialogues.csv",
        baselines=(BASELINE, CONSTANT),
    ),
    DemoContest(
        pages=pages("short-calls", "짧은 통화 요약", "Short Call Summarization"),
        opens_day=-35,
        closes_day=-20,
        reveals_day=-18,
        golds="finished_golds.csv",
        systems="finished_systems.csv",
        uploads=uploads("short-calls"),
        dialogues="finished_dialogues.csv",
        dialogues_name="talk_dialogues.csv",
        captains=("alice", "jiho", "kyungmin", "luna", "minjae", "nari", "seojun", "taeyang"),
        correction=DemoCorrection(
            wrong="다음 달 19일 아침으로",
            right="다음 달 9일 아침으로",
            after=offset(-29, 9),
            reason="talk_0의 정답 하나에 잘못 적은 날짜를 바로잡았습니다.",
        ),
        baselines=(BASELINE, CONSTANT),
        late_entries=True,
    ),
)
