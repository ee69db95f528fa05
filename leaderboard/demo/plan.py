"""Who submits what, and when, in the two demo contests.

A submission takes each summary from one of five imaginary systems. Its `Mix` says in what shares,
so a team that works on its system moves its shares to the right. A team that tunes to the public
board has somewhat worse shares on the rows which that board does not show: enough to fall a few
ranks, as in real contests, whose two boards mostly agree. Scores are never written here.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from leaderboard.demo.pages import FINISHED_SLUG, PAGES, RUNNING_SLUG, ContestPages

__all__ = [
    "BASELINE",
    "DEV_DIALOGUES",
    "DEV_GOLDS",
    "DIALOGUES",
    "FINISHED_DIALOGUES",
    "FINISHED_GOLDS",
    "FINISHED_SLUG",
    "FINISHED_SYSTEMS",
    "GOLDS",
    "PAGES",
    "RUNNING_SLUG",
    "SYSTEMS",
    "ContestPages",
    "Mix",
    "PlannedSubmission",
    "Step",
    "finished_plan",
    "load_csv",
    "planned",
    "running_plan",
]

DIALOGUES = "dialogues.csv"
GOLDS = "golds.csv"
SYSTEMS = "systems.csv"
DEV_DIALOGUES = "dev_dialogues.csv"
DEV_GOLDS = "dev_golds.csv"
FINISHED_DIALOGUES = "finished_dialogues.csv"
FINISHED_GOLDS = "finished_golds.csv"
FINISHED_SYSTEMS = "finished_systems.csv"
BASELINE = "첫 발화 복사"

_FOLDER = Path(__file__).resolve().parent


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


class Step(NamedTuple):
    """One upload of a team: the day before now, the time, and the shares of its texts."""

    day_offset: int
    hour: int
    minute: int
    mix: Mix
    method_name: str
    note: str
    hidden: Mix | None = None  # the shares on private rows, where they are others
    final: bool = False


def load_csv(name: str) -> list[dict[str, str]]:
    """The rows of one of the demo's files, by column name."""
    with (_FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def running_plan() -> list[PlannedSubmission]:
    """The uploads of the contest that is running, oldest first."""
    return planned(_RUNNING, SYSTEMS, GOLDS)


def finished_plan() -> list[PlannedSubmission]:
    """The uploads of the contest that is over, oldest first."""
    return planned(_FINISHED, FINISHED_SYSTEMS, FINISHED_GOLDS)


def planned(
    teams: Mapping[str, Sequence[Step]], systems: str, golds: str
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
    step: Step,
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


_RUNNING: Mapping[str, Sequence[Step]] = {
    "초록 밑줄": (
        Step(-6, 10, 12, Mix(lead=100), "첫 발화 복사", "형식 확인용 첫 제출"),
        Step(-6, 16, 40, Mix(literal=70, good=30), "추출 요약", "중요 발화만 골라 이어 붙임"),
        Step(-5, 11, 5, Mix(literal=30, good=70), "미세 조정 모델", "기본 설정으로 학습"),
        Step(
            -4, 9, 48, Mix(good=85, better=15), "미세 조정 모델", "말하는 사람 태그를 특수 토큰으로"
        ),
        Step(-4, 21, 30, Mix(good=60, better=40), "미세 조정 모델", "빔 크기 4, 길이 벌점 조정"),
        Step(-3, 14, 22, Mix(good=45, better=55), "두 모델 묶음", "검증 점수가 높은 두 개를 섞음"),
        Step(-2, 19, 3, Mix(good=20, better=80), "두 모델 묶음", "문체를 '~한다'로 통일"),
        Step(
            -1, 13, 37, Mix(good=5, better=95), "세 모델 묶음", "후보 가운데 가장 비슷한 것을 고름"
        ),
    ),
    "점심시간 연구회": (
        Step(-6, 12, 31, Mix(lead=60, short=40), "첫 발화 복사", "점심 먹고 첫 제출"),
        Step(-5, 12, 28, Mix(short=60, good=40), "짧은 메모", "열 어절 이내로 제한"),
        Step(-4, 12, 40, Mix(literal=40, good=60), "미세 조정 모델", "학습 세 바퀴"),
        Step(-3, 12, 25, Mix(good=90, better=10), "미세 조정 모델", "학습률을 절반으로"),
        Step(-3, 12, 52, Mix(good=70, better=30), "미세 조정 모델", "반복되는 구절 막기"),
        Step(-2, 12, 34, Mix(good=50, better=50), "미세 조정 모델", "최소 길이를 늘림"),
        Step(-1, 12, 45, Mix(good=30, better=70), "미세 조정 모델", "개발용 대화로 설정 다시 고름"),
    ),
    "한입 요약": (
        Step(-6, 18, 20, Mix(short=100), "짧은 메모", "명사만 남기면 어떨까"),
        Step(-5, 20, 14, Mix(short=70, good=30), "짧은 메모", "동사도 하나 넣기"),
        Step(-4, 20, 9, Mix(short=40, good=60), "문장 생성", "한 문장으로 완성"),
        Step(-3, 22, 41, Mix(short=10, good=90), "문장 생성", "주어를 꼭 쓰도록"),
        Step(-2, 20, 55, Mix(good=75, better=25), "문장 생성", "두 문장까지 허용"),
        Step(-1, 10, 18, Mix(good=60, better=40), "문장 생성", "결정된 내용을 먼저 쓰기"),
    ),
    "새벽 형태소": (
        Step(-5, 2, 47, Mix(literal=100), "발화 이어 쓰기", "간접 화법으로 바꾸기만 함"),
        Step(-4, 3, 11, Mix(literal=60, good=40), "발화 이어 쓰기", "인사말 지우기"),
        Step(-3, 1, 58, Mix(literal=20, good=60, better=20), "미세 조정 모델", "드디어 학습 성공"),
        Step(
            -3,
            3,
            26,
            Mix(literal=35, good=50, better=15),
            "미세 조정 모델",
            "배치를 두 배로",
        ),
        Step(-2, 2, 33, Mix(good=55, better=45), "미세 조정 모델", "배치 되돌리고 더 오래 학습"),
        Step(-2, 4, 2, Mix(good=40, better=60), "미세 조정 모델", "마지막 세 지점 평균"),
        Step(-1, 3, 44, Mix(good=15, better=85), "두 모델 묶음", "이제 자러 갑니다"),
    ),
    "끝말 정리반": (
        Step(-5, 15, 6, Mix(lead=85, short=15), "첫 발화 복사", "제출 연습"),
        Step(-4, 17, 32, Mix(lead=50, literal=50), "추출 요약", "마지막 두 발화를 더함"),
        Step(-3, 16, 19, Mix(literal=75, good=25), "추출 요약", "질문은 빼고 대답만"),
        Step(-2, 15, 50, Mix(literal=45, good=55), "작은 생성 모델", "노트북에서 돌아가는 크기로"),
        Step(-2, 23, 8, Mix(literal=25, good=75), "작은 생성 모델", "끝맺음을 다듬음"),
        Step(-1, 17, 27, Mix(literal=10, good=75, better=15), "작은 생성 모델", "빔 탐색 적용"),
    ),
    "Quiet Tokens": (
        Step(-5, 9, 2, Mix(lead=30, literal=70), "프롬프트", "예시 없이"),
        Step(-4, 11, 21, Mix(literal=20, good=80), "프롬프트", "개발용 예시 한 개"),
        Step(-3, 10, 36, Mix(good=65, better=35), "프롬프트", "개발용 예시 세 개"),
        Step(-2, 9, 54, Mix(good=80, better=20), "프롬프트", "영어로 지시해 봄"),
        Step(-2, 18, 15, Mix(good=35, better=65), "프롬프트", "다시 한국어, 두 문장 제한"),
        Step(-1, 11, 9, Mix(good=25, better=75), "프롬프트", "비슷한 주제의 예시를 고름"),
    ),
}

_FINISHED: Mapping[str, Sequence[Step]] = {
    "수화기 너머": (
        Step(-34, 10, 20, Mix(lead=50, literal=50), "추출 요약", "첫 제출"),
        Step(-30, 19, 45, Mix(good=80, better=20), "미세 조정 모델", "통화 시작 인사 지우기"),
        Step(
            -25,
            21,
            12,
            Mix(good=50, better=50),
            "미세 조정 모델",
            "용건과 약속을 나누어 생성",
            hidden=Mix(good=70, better=30),
            final=True,
        ),
        Step(
            -22,
            10,
            3,
            Mix(good=60, better=40),
            "두 모델 묶음",
            "public에 맞추지 않고 개발용 대화로만 고름",
            hidden=Mix(good=10, better=90),
            final=True,
        ),
    ),
    "통화 중 대기": (
        Step(-33, 14, 8, Mix(short=100), "짧은 메모", "메모처럼 짧게"),
        Step(-29, 15, 33, Mix(short=30, good=70), "문장 생성", "메모를 문장으로"),
        Step(-24, 20, 27, Mix(good=55, better=45), "문장 생성", "날짜와 시간을 꼭 넣기"),
    ),
    "세 문장 클럽": (
        Step(-33, 9, 51, Mix(literal=100), "발화 이어 쓰기", "세 문장 규칙"),
        Step(-28, 22, 4, Mix(literal=40, good=60), "미세 조정 모델", "두 문장으로 줄임"),
        Step(
            -23,
            18,
            39,
            Mix(good=55, better=45),
            "미세 조정 모델",
            "순위표를 보며 길이를 맞춤",
        ),
        Step(
            -22,
            11,
            16,
            Mix(better=100),
            "두 모델 묶음",
            "public 점수가 오르는 쪽만 남김",
            hidden=Mix(good=20, better=80),
        ),
    ),
    "여보세요 연구실": (
        Step(-32, 13, 42, Mix(lead=100), "첫 발화 복사", "여보세요부터"),
        Step(-27, 17, 5, Mix(literal=50, good=50), "프롬프트", "예시 두 개"),
        Step(-22, 16, 30, Mix(good=70, better=30), "프롬프트", "예시를 주제별로 고름"),
    ),
    "부재중 요약": (
        Step(-31, 23, 18, Mix(lead=40, short=60), "짧은 메모", "늦었지만 참가"),
        Step(-23, 23, 50, Mix(literal=30, good=70), "작은 생성 모델", "퇴근하고 조금씩"),
    ),
    "벨 소리 세 번": (
        Step(-32, 11, 25, Mix(short=60, literal=40), "추출 요약", "세 번 울리기 전에"),
        Step(-26, 13, 14, Mix(good=70, better=30), "미세 조정 모델", "이름을 그대로 두기"),
        Step(-23, 10, 48, Mix(good=60, better=40), "미세 조정 모델", "끝인사 지우기"),
    ),
    "끊기 전에 한 줄": (
        Step(-31, 20, 2, Mix(lead=20, short=80), "짧은 메모", "한 줄만"),
        Step(
            -25,
            9,
            37,
            Mix(good=40, better=60),
            "프롬프트",
            "점수가 오른 문구만 남김",
            hidden=Mix(literal=10, good=50, better=40),
        ),
        Step(
            -21,
            22,
            55,
            Mix(good=15, better=85),
            "프롬프트",
            "마감까지 여러 번 고쳐 봄",
            hidden=Mix(good=60, better=40),
        ),
    ),
    "Missed Calls": (
        Step(-30, 12, 16, Mix(literal=80, good=20), "프롬프트", "영어로 지시"),
        Step(-24, 16, 9, Mix(literal=10, good=90), "프롬프트", "한국어로 바꿈"),
    ),
}
