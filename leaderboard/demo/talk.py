"""What people say in the demo: an announcement, and in the forum a question with its answer and a
piece of code."""

from datetime import timedelta
from typing import Any

from leaderboard.accounts.models import User
from leaderboard.actions.forum import mark_answer, reply, start_thread
from leaderboard.competitions.models import Competition

DEV_SET = (
    "개발용 대화 10개를 정답과 함께 데이터 탭에 올렸습니다. "
    "개발 실험실에서는 횟수를 쓰지 않고 몇 번이든 채점해 볼 수 있습니다."
)
DEV_SET_EN = (
    "The 10 development dialogues are on the data tab, with their references. "
    "In the dev lab you can score them as often as you like without using an attempt."
)
QUESTION = "여러 문장으로 된 요약도 한 문장처럼 채점되나요?"
ASKED = """\
`dialogues.csv`의 요약이 **두세 문장**일 때도 있는데,

- 문장마다 따로 채점하나요?
- 아니면 이어 붙여서 한 번에 채점하나요?
"""
AGREED = "저도 궁금합니다. 줄을 바꾸면 점수가 달라지는지도 알고 싶어요."
ANSWER = """\
한 대화의 요약은 **한 번에** 채점합니다. 줄바꿈과 여러 칸은 한 칸으로 보니 점수에 영향이 없습니다.
형태소로 자른 결과는 **개발 실험실** 탭에서 미리 볼 수 있어요.
"""
CODE = "제출 파일을 만드는 짧은 코드"
SHARED = """\
빈칸이나 줄바꿈 때문에 다시 올린 적이 있어서 나눕니다.

```python
import pandas as pd

frame = pd.DataFrame({"fname": names, "summary": summaries})
frame["summary"] = frame["summary"].str.split().str.join(" ")
frame.to_csv("predictions.csv", index=False, encoding="utf-8-sig")
```
"""


def seed_forum(competition: Competition, organizer: User, *, asks: User, helps: User) -> None:
    at = competition.opens_at + timedelta(hours=26)
    asked: dict[str, Any] = {"competition": competition, "kind": "question", "title": QUESTION}
    thread = start_thread(**asked, user=asks, text=ASKED, at=at)
    reply(thread=thread, user=helps, text=AGREED, at=at + timedelta(minutes=31))
    at += timedelta(hours=2)
    answer = reply(thread=thread, user=organizer, text=ANSWER, at=at + timedelta(minutes=4))
    mark_answer(post=answer, user=asks, at=at + timedelta(minutes=20))
    shared: dict[str, Any] = {"competition": competition, "kind": "code", "title": CODE}
    start_thread(**shared, user=helps, text=SHARED, at=at + timedelta(hours=3))
