"""The two demo contests: their dates in days around today, files, people and plan."""

import codecs
import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from leaderboard.demo import plan
from leaderboard.demo.plan import ContestPages, PlannedSubmission

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
    files: tuple[DemoFile, ...]
    captains: tuple[str, ...]
    submissions: Callable[[], list[PlannedSubmission]]
    dev: DemoDevSet | None = None
    announcement: DemoAnnouncement | None = None
    baseline: str = ""
    systems: str = ""
    late_entries: bool = False

    def teams(self) -> list[str]:
        """Team names in the order of their first submission."""
        return list(dict.fromkeys(planned.team for planned in self.submissions()))

    def gold_bytes(self) -> bytes:
        return (_FOLDER / self.golds).read_bytes()

    def baseline_texts(self) -> Mapping[str, str]:
        """What a program without a model would hand in: the first turns, as they were said."""
        return {row["fname"]: row["lead"] for row in plan.load_csv(self.systems)}


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
        announcement=DemoAnnouncement(
            day=1,
            hour=11,
            text_ko="개발용 대화 10개를 정답과 함께 데이터 탭에 올렸습니다. "
            "개발 실험실에서는 횟수를 쓰지 않고 몇 번이든 채점해 볼 수 있습니다.",
            text_en="The 10 development dialogues are on the data tab, with their references. "
            "In the dev lab you can score them as often as you like without using an attempt.",
        ),
        baseline=plan.BASELINE,
        systems=plan.SYSTEMS,
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
        baseline=plan.BASELINE,
        systems=plan.FINISHED_SYSTEMS,
        late_entries=True,
    ),
)
