"""A contest whose references agree, so that people lie far above what says nothing of a row."""

from datetime import datetime, timedelta

from django.contrib.auth.models import AnonymousUser

from leaderboard.boards.columns import EXPORTED
from leaderboard.boards.queries import BoardPage, page
from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Team
from tests.leaderboard.builders import competition, hand_in, live, score_all, team, user, viewer_of
from tests.leaderboard.kept_rows import built_once
from tests.leaderboard.material import NOON, gold_csv, texts_csv

ROWS = 60
MINUTE = timedelta(minutes=1)
SOON = NOON + timedelta(hours=1)
ANYONE = AnonymousUser()
WHO = ("민수", "지우", "태호", "유진", "나연", "재원")
WHERE = ("도서관", "시장", "학교", "공원", "병원", "식당", "극장", "은행", "역", "바다")
WHAT = ("책을 빌린다", "주전자를 바꾼다", "예약을 미룬다", "표를 산다", "길을 묻는다")
_SAID = [
    (WHO[n % 6], WHERE[n % 10], WHAT[n % 5], WHO[(n // 6 + 1) % 6], WHERE[n // 10])
    for n in range(ROWS)
]
GOLD = {
    f"row_{n}": (
        f"{who}는 {place}에서 {what} 그리고 {other}와 {then} 간다.",
        f"{place}에서 {what} {who}는 {other}와 함께 {then}으로 떠난다.",
    )
    for n, (who, place, what, other, then) in enumerate(_SAID)
}
SPLIT = {name: ("public", "private")[n // 4 % 2] for n, name in enumerate(GOLD)}
PERFECT = {name: golds[0] for name, golds in GOLD.items()}
ANSWERS = {
    f"row_{n}": f"{who}는 {place}에서 {what}" for n, (who, place, what, *_) in enumerate(_SAID)
}
CONSTANT = dict.fromkeys(GOLD, "민수는 도서관에서 책을 빌린다")


@built_once
def contest_of_three(**fields: object) -> tuple[Competition, list[Team]]:
    """Alice is perfect, Bob says half of it, Charlie says one sentence everywhere."""
    contest = competition(**fields)
    live(contest, gold_csv(GOLD, SPLIT))
    teams = [team(contest, name) for name in ("alice", "bob", "charlie")]
    for number, (by, rows) in enumerate(zip(teams, (PERFECT, ANSWERS, CONSTANT), strict=True)):
        hand_in(by, data=texts_csv(rows), at=NOON + number * MINUTE)
    score_all()
    return contest, teams


def shown(contest: Competition, at: datetime = SOON, by: str = "", **asked: object) -> BoardPage:
    """A board as somebody sees it in files and by program."""
    viewer = viewer_of(contest, user(by) if by else ANYONE, at)
    board = asked.pop("board", "public")
    found = page(viewer, board, sources=EXPORTED, **asked)
    assert found is not None
    return found
