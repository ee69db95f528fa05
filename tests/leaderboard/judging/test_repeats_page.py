"""The agreement page's part where a judge is held against itself."""

import pytest
from pytest_django import Settings

from leaderboard.judging.models import Judgment, Repeat
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.judging import configs
from tests.leaderboard.judging.pages import judge_page, with_judge
from tests.leaderboard.web.pages import browser, hand_in

pytestmark = pytest.mark.django_db


def test_a_repeat_is_priced_begun_stopped_and_shown(settings: Settings) -> None:
    contest, config = with_judge(settings)
    olivia, where = browser("olivia"), judge_page(config, "/agreement")
    assert "심사가 끝난 제출이 없습니다" in olivia.get(where).text
    for name, team in (("alice", "<b>두괄식</b>"), ("bob", "미괄식")):
        given = hand_in(builders.team(contest, name, called=team))
        made = configs.judging(config, given)
    Judgment.objects.update(call_keys={"P1": "ab" * 32})
    first = config.judgings.exclude(pk=made.pk).get()
    page = olivia.get(where, {"judging": str(first.pk)}).text
    assert "&lt;b&gt;두괄식&lt;/b&gt;" in page
    assert "<b>두괄식" not in page
    # Two rows, two calls a row, four times in the same order and once in another.
    assert "2행을 5번씩" in page
    assert "호출 20번" in page
    for wrong, status in (("x", 404), (str(config.pk), 409)):
        answer = olivia.post(where, {"verb": "repeat", "judging": wrong})
        assert answer.status_code == status
    assert not Repeat.objects.exists()
    for verb in ("repeat", "stop", "repeat"):
        olivia.post(where, {"verb": verb, "judging": str(first.pk)})
        page = olivia.get(where).text
        assert ("다시 물은 행 0 / 10" in page) == (verb == "repeat")
    line = {"items": 40, "flipped": 3, "rate": 0.075, "disagreement": 0.02, "lost": 1}
    numbers = {
        "rows": 2,
        "samples": 5,
        "kinds": [{"kind": "all", **line}, {"kind": "claim", **line}],
        "shuffled": {**line, "rate": 0.125},
        "is_steady": False,
    }
    going = Repeat.objects.filter(state="waiting")
    going.update(state="complete", finished_at=NOON, numbers=numbers)
    page = olivia.get(where).text
    for words in ("7.5 %", "2.0 %", "12.5 %", "5.0 %보다 많거나", "순서를 바꾼 질문"):
        assert words in page
    assert "<code>shared:3</code>" in page  # what to do about it
    # What was measured under another hash says nothing of this config.
    Repeat.objects.update(config_hash="cd" * 32)
    assert "7.5 %" not in olivia.get(where).text
