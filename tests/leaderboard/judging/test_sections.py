"""What a judge said, on pages that are not its own: of a submission, of two compared."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.actions.discipline import exclude
from leaderboard.judging.models import JudgeConfig, Judging
from leaderboard.submissions.models import Submission
from tests.leaderboard import builders
from tests.leaderboard.judging import configs, judged
from tests.leaderboard.web.pages import browser, hand_in
from tests.leaderboard.web.test_compare_page import asked, pair
from tests.leaderboard.web.test_desk_submissions import LIST, two

__all__ = ["pair"]  # a fixture
pytestmark = pytest.mark.django_db


def test_what_a_judge_said_of_both_stands_below_the_scores(
    pair: tuple[Submission, Submission],
) -> None:
    contest = pair[0].team.competition
    configs.dialogues(contest)
    config = judged.judge(contest, label="<i>심사")
    alice = browser("alice")
    assert "언어 모델 심사" not in alice.get(asked(*pair)).text
    for submission, score in zip(pair, (0.25, 0.75), strict=True):
        for board, ids in (("public", ("talk_1", "talk_4")), ("private", ("talk_2", "talk_5"))):
            made = judged.give(config, submission, {}, board=board)
            scores = dict.fromkeys(ids, score if board == "public" else 0.123)
            judged.give_rows(made, {"alignment": scores})
    text = alice.get(asked(*pair)).text
    for shown in ("원문 일치", "0.250", "0.750", "+0.500", "구별되지 않음", "“&lt;i&gt;심사”(j1)"):
        assert shown in text
    assert "0.123" not in text
    with CaptureQueriesContext(connection) as queries:
        alice.get(asked(*pair))
    assert len(queries) <= 12 + 4, [query["sql"] for query in queries]


def test_a_chosen_submission_is_judged_from_its_page() -> None:
    alices, bobs = two()
    where, olivia = f"{LIST}/{alices.pk}", browser("olivia")
    assert "심사" not in olivia.get(where).text.split("<main", 1)[1]
    olivia.post(where, {"verb": "judge"})
    assert not Judging.objects.exists()  # no judge column: refused
    config = judged.judge(alices.team.competition)
    JudgeConfig.objects.update(policy="finals", submissions_per_team_day=0)
    assert 'value="judge"' in olivia.get(where).text
    answer = olivia.post(where, {"verb": "judge"}, follow=True).text
    assert "심사를 요청했습니다" in answer
    assert "제출의 심사를 요청함" in answer  # the log on the page
    assert 'value="judge"' not in answer
    olivia.post(where, {"verb": "judge"})
    asked = Judging.objects.get()
    assert (asked.submission, asked.config, asked.board) == (alices, config, "public")
    assert asked.requested_by == builders.user("olivia")
    assert browser("alice").post(where, {"verb": "judge"}).status_code == 404
    exclude(submission=bobs, user=builders.user("olivia"), reason="두 번", at=timezone.now())
    waiting = hand_in(alices.team)
    for unscored in (bobs, waiting):
        page = olivia.get(f"{LIST}/{unscored.pk}").text
        assert "아직 심사하지 않았습니다" in page
        assert 'value="judge"' not in page
        olivia.post(f"{LIST}/{unscored.pk}", {"verb": "judge"})
    assert Judging.objects.count() == 1
