"""The two demo contests: their dates in days around today, files, people and plan."""

import codecs
import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.demo import plan
from leaderboard.demo.plan import PlannedStep, PlannedSubmission

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
    texts = (plan.read(name).decode() for name in names)
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
        return codecs.BOM_UTF8 + plan.read(self.source)


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
        return plan.planned(self.steps, self.systems, self.golds)

    def teams(self) -> list[str]:
        """Team names in the order of their first submission."""
        return list(dict.fromkeys(planned.team for planned in self.submissions()))

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
        pages=pages(plan.RUNNING_SLUG, "일상 대화 요약", "Dialogue Summarization"),
        opens_day=-7,
        closes_day=9,
        reveals_day=10,
        golds=plan.GOLDS,
        systems=plan.SYSTEMS,
        steps=plan.steps(plan.RUNNING_SLUG),
        files=(
            DemoFile(
                "test_dialogues.csv",
                plan.DIALOGUES,
                "요약할 대화 40개입니다. 정답은 들어 있지 않습니다.",
                "The 40 dialogues to summarize, without references.",
            ),
        ),
        captains=("alice", "dabin", "eunwoo", "gahee", "haneul", "ian"),
        dev_golds=plan.DEV_GOLDS,
        dev_dialogues=plan.DEV_DIALOGUES,
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
        pages=pages(plan.FINISHED_SLUG, "짧은 통화 요약", "Short Call Summarization"),
        opens_day=-35,
        closes_day=-20,
        reveals_day=-18,
        golds=plan.FINISHED_GOLDS,
        systems=plan.FINISHED_SYSTEMS,
        steps=plan.steps(plan.FINISHED_SLUG),
        files=(
            DemoFile(
                "talk_dialogues.csv",
                plan.FINISHED_DIALOGUES,
                "요약할 통화 24개입니다. 정답은 들어 있지 않습니다.",
                "The 24 calls to summarize, without references.",
            ),
        ),
        captains=("alice", "jiho", "kyungmin", "luna", "minjae", "nari", "seojun", "taeyang"),
        baseline=BASELINE,
        late_entries=True,
    ),
)
