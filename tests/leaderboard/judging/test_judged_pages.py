"""What pages say of a judge: on the board and on a submission's own page, always for reference."""

import re

import pytest
from django.utils import timezone

from leaderboard.competitions.models import Competition
from leaderboard.judging.models import Judging
from leaderboard.submissions.models import Submission
from tests.leaderboard import builders
from tests.leaderboard.judging import judged
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = pytest.mark.django_db


def tight(text: str) -> str:
    """Without the blanks beside tags, and with one where there are several."""
    return re.sub(r"(?<=>) | (?=<)", "", " ".join(text.split()))


def scored() -> tuple[Competition, Submission]:
    contest = running()
    submission = hand_in(builders.team(contest, "alice", called="두괄식"))
    builders.score_all(timezone.now())
    return contest, submission


def test_the_board_marks_its_judge_columns_and_names_the_config() -> None:
    contest, submission = scored()
    config = judged.judge(contest, label="<script>심사</script>")
    judged.give(config, submission, {"alignment": (0.51249, 3, 4)})
    text = tight(browser().get("/c/talk/leaderboard").text)
    assert '<a href="?sort=judge-alignment">원문 일치</a><span class="badge ref">참고' in text
    assert 'data-k="원문 일치">0.512</td>' in text  # the mean alone
    assert "0.100–0.900" not in text
    text = browser().get("/c/talk/reliability").text
    assert "<small>0.100–0.900 · 3/4 일부</small>" in tight(text)
    assert "&lt;script&gt;심사&lt;/script&gt;" in text
    assert "<script>심사" not in text
    assert "abababab…abab" in text  # the config's hash


def test_a_submission_shows_every_metric_with_its_rows() -> None:
    contest, submission = scored()
    config = judged.judge(contest)
    page = f"/c/talk/submissions/{submission.pk}"
    assert "공개(Public) 행은 아직 심사하지 않았습니다" in browser("alice").get(page).text
    judged.give(config, submission, {"mastra": (0.75, 4, 4), "coverage": (None, 0, 0)})
    judged.give(config, submission, {"mastra": (0.24680, 4, 4)}, board="private")
    text = browser("alice").get(page).text
    for shown in ("Mastra", "핵심 포함", "0.750", "0.100–0.900", "4/4", "N/A"):
        assert shown in text
    assert "0.247" not in text


def test_without_a_judge_nothing_is_said_of_one() -> None:
    _, submission = scored()
    for page in ("/c/talk/leaderboard", f"/c/talk/submissions/{submission.pk}"):
        assert "심사" not in browser("alice").get(page).text


def test_a_member_asks_for_a_submission_to_be_judged_once() -> None:
    contest, submission = scored()
    judged.judge(contest)
    page = f"/c/talk/submissions/{submission.pk}"
    alice = browser("alice")
    assert f'action="{page}/judge"' in alice.get(page).text
    answer = alice.post(f"{page}/judge", follow=True)
    assert "심사를 요청했습니다" in answer.text
    assert f'action="{page}/judge"' not in answer.text
    alice.post(f"{page}/judge")
    assert [row.board for row in Judging.objects.all()] == ["public"]
    assert browser("charlie").post(f"{page}/judge").status_code == 404
