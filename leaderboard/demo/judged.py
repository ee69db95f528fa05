"""The contest that `JUDGE=fake ./run` adds: a judge column without a key, made by a fake judge."""

from types import MappingProxyType

from django.conf import settings

from leaderboard.demo import plan
from leaderboard.demo.contests import DemoContest, DemoFile
from leaderboard.demo.pages import FINISHED_SLUG, PAGES, ContestPages
from leaderboard.demo.plan import Mix, Step

JUDGED_SLUG: str = settings.FAKE_JUDGE_CONTEST
LABEL = "가짜 심사"
SECTION = "통화 요약"
INSTRUCTION = "누가 왜 전화했는지 쓴다. 통화가 끝난 뒤 무엇을 하기로 했는지 쓴다."

_INTRODUCTION_KO = """\
**가짜 심사를 체험하는 대회입니다.** 순위는 다른 대회와 똑같이 ROUGE로 정합니다. 순위표 옆의
**가짜 심사** 열은 진짜 모델이 아니라 이 컴퓨터에서 도는 작은 프로그램이 만듭니다. 요약과 대화에
같은 낱말이 있는지만 세므로 **그 점수에는 아무 뜻이 없습니다.** 심사 열이 어떻게 만들어지고 어디에
보이는지 살펴보는 데에만 쓰세요.

대화와 요약은 ‘짧은 통화 요약’ 대회의 것과 같습니다.
"""

_INTRODUCTION_EN = """\
**A contest for trying out judge columns with a fake judge.** The ranking is made by ROUGE, as in
every contest. The column **가짜 심사** (fake judge) beside it comes from no model but from a small
program on this machine. It only counts the words that a summary and a dialogue share, so **its
scores mean nothing**. Use it to see how a judge column is made and where it is shown.

Dialogues and summaries are those of the contest "Short Call Summarization".
"""

_PAGES = ContestPages(
    slug=JUDGED_SLUG,
    title_ko="가짜 심사 체험",
    title_en="Trying a Fake Judge",
    introduction_ko=_INTRODUCTION_KO,
    introduction_en=_INTRODUCTION_EN,
    rules_ko=PAGES[FINISHED_SLUG].rules_ko,
    rules_en=PAGES[FINISHED_SLUG].rules_en,
)

_STEPS = MappingProxyType(
    {
        "낱말 세는 사람들": (
            Step(-2, 10, 5, Mix(lead=100), "첫 발화 복사", "형식 확인"),
            Step(-1, 11, 20, Mix(good=20, better=80), "두 모델 묶음", "가짜 심사도 구경"),
        ),
        "베끼기 클럽": (
            Step(-2, 14, 30, Mix(literal=100), "발화 이어 쓰기", "대화를 그대로 옮김"),
        ),
        "짧은 메모 모임": (Step(-1, 9, 45, Mix(short=100), "짧은 메모", "명사만 남김"),),
        "문장 공방": (Step(-1, 15, 10, Mix(good=90, better=10), "문장 생성", "기본 설정"),),
    }
)


def judged_plan() -> list[plan.PlannedSubmission]:
    """The uploads of this contest, oldest first."""
    return plan.planned(_STEPS, plan.FINISHED_SYSTEMS, plan.FINISHED_GOLDS)


JUDGED = DemoContest(
    pages=_PAGES,
    opens_day=-3,
    closes_day=20,
    reveals_day=21,
    golds=plan.FINISHED_GOLDS,
    files=(
        DemoFile(
            "talk_dialogues.csv",
            plan.FINISHED_DIALOGUES,
            "요약할 통화 24개입니다. 정답은 들어 있지 않습니다.",
            "The 24 calls to summarize, without references.",
        ),
    ),
    captains=("alice", "jiho", "kyungmin", "luna"),
    submissions=judged_plan,
)
