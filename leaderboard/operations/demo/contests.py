"""The two demo contests: their dates in days around today, files, people and plan."""

import codecs
import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from leaderboard.operations.demo import plan
from leaderboard.operations.demo.plan import ContestPages, PlannedSubmission

_FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class DemoFile:
    """A file that participants may download: its name there and its source here."""

    name: str
    source: str
    description_ko: str
    description_en: str

    def read(self) -> bytes:
        """With a BOM: people open it in Excel."""
        return codecs.BOM_UTF8 + (_FOLDER / self.source).read_bytes()


@dataclass(frozen=True)
class DemoDevSet:
    """Golds that are handed out, with their dialogues."""

    golds: str
    dialogues: str

    def gold_bytes(self) -> bytes:
        return (_FOLDER / self.golds).read_bytes()

    def dialogue_bytes(self) -> bytes:
        return (_FOLDER / self.dialogues).read_bytes()


@dataclass(frozen=True)
class DemoContest:
    """Days are counted from today's midnight in the contest's zone."""

    pages: ContestPages
    opens_day: int
    closes_day: int
    reveals_day: int
    golds: str
    files: tuple[DemoFile, ...]
    captains: tuple[str, ...]
    submissions: Callable[[], list[PlannedSubmission]]
    dev: DemoDevSet | None = None

    def teams(self) -> list[str]:
        """Team names in the order of their first submission."""
        return list(dict.fromkeys(planned.team for planned in self.submissions()))

    def gold_bytes(self) -> bytes:
        return (_FOLDER / self.golds).read_bytes()


def as_csv(texts: Mapping[str, str]) -> bytes:
    """Predictions as the file that a team would upload."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["fname", "summary"])
    writer.writerows(texts.items())
    return out.getvalue().encode("utf-8-sig")


CONTESTS = (
    DemoContest(
        pages=plan.PAGES[plan.RUNNING_SLUG],
        opens_day=-7,
        closes_day=9,
        reveals_day=10,
        golds=plan.GOLDS,
        files=(
            DemoFile(
                "test_dialogues.csv",
                plan.DIALOGUES,
                "요약할 대화 40개입니다. 정답은 들어 있지 않습니다.",
                "The 40 dialogues to summarize, without references.",
            ),
        ),
        captains=("alice", "dabin", "eunwoo", "gahee", "haneul", "ian"),
        submissions=plan.running_plan,
        dev=DemoDevSet(plan.DEV_GOLDS, plan.DEV_DIALOGUES),
    ),
    DemoContest(
        pages=plan.PAGES[plan.FINISHED_SLUG],
        opens_day=-35,
        closes_day=-20,
        reveals_day=-18,
        golds=plan.FINISHED_GOLDS,
        files=(
            DemoFile(
                "talk_dialogues.csv",
                plan.FINISHED_DIALOGUES,
                "요약할 통화 24개입니다. 정답은 들어 있지 않습니다.",
                "The 24 calls to summarize, without references.",
            ),
        ),
        captains=("alice", "jiho", "kyungmin", "luna", "minjae", "nari", "seojun", "taeyang"),
        submissions=plan.finished_plan,
    ),
)
