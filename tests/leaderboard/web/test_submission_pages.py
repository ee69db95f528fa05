"""A team's own submissions: list, progress, result card, file and note."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.boards.queries import page
from leaderboard.evaluation.models import Evaluation
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import chosen
from tests.leaderboard import builders
from tests.leaderboard.builders import viewer_of
from tests.leaderboard.cells import text as printed
from tests.leaderboard.web.pages import HTMX, browser, hand_in, running

pytestmark = pytest.mark.django_db


def handed_in() -> Submission:
    contest = running()
    team = builders.team(contest, "alice", "bob", called="두괄식")
    return hand_in(team)


def address(submission: Submission, end: str = "") -> str:
    return f"/c/talk/submissions/{submission.id}{end}"


def test_while_it_waits_the_page_polls_and_works_without_script() -> None:
    submission = handed_in()
    text = browser("alice").get(address(submission)).text
    assert "대기 1번째" in text
    assert f'hx-get="{address(submission, "/progress")}"' in text
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in text


def test_the_fragment_says_how_far_the_worker_is() -> None:
    submission = handed_in()
    Evaluation.objects.update(
        state="running", stage="cut", rows_done=3, rows_total=4, attempt=1, lease_until=None
    )
    text = browser("alice").get(address(submission, "/progress"), headers=HTMX).text
    assert "3 / 4행 형태소 분석" in text
    assert 'value="3"' in text
    assert 'hx-trigger="every 1s"' in text
    assert "<html" not in text


def test_the_last_fragment_holds_the_result_and_no_trigger() -> None:
    submission = handed_in()
    builders.score_all(timezone.now())
    text = browser("alice").get(address(submission, "/progress"), headers=HTMX).text
    assert "every 1s" not in text
    # The first gold handed in as prediction: each metric's best gold is itself, so 1 + 1 + 1.
    assert '<p class="score">3.0000</p>' in text
    assert 'hx-swap-oob="true"' in text  # the header strip comes along with the new rank


def test_a_failure_of_ours_says_so_and_that_the_attempt_came_back() -> None:
    submission = handed_in()
    Evaluation.objects.update(state="failed", failure="poison", attempt=3)
    text = browser("alice").get(address(submission)).text
    assert "서버 장애로 채점하지 못했습니다" in text
    assert "1회를 돌려 드렸습니다" in text
    assert "hx-trigger" not in text


def test_the_file_comes_back_as_sent_and_is_never_rendered() -> None:
    submission = handed_in()
    answer = browser("alice").get(address(submission, "/file"))
    assert b"".join(answer.streaming_content) == builders.prediction_csv()
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_note_can_be_changed_by_the_team_only() -> None:
    submission = handed_in()
    fields = {"note": "빔 4", "method_name": "KoBART"}
    assert browser("bob").post(address(submission, "/note"), fields).status_code == 302
    submission.refresh_from_db()
    assert (submission.note, submission.method_name) == ("빔 4", "KoBART")
    assert browser("charlie").post(address(submission, "/note"), {"note": "x"}).status_code == 404
    assert browser("bob").get(address(submission, "/note")).status_code == 405
    answer = browser("bob").post(address(submission, "/note"), {"note": "긴" * 501})
    assert answer.status_code == 422
    assert answer.context["form"].errors.keys() == {"note"}
    assert answer.text.count("이 값이 최대 500 개의 글자인지 확인하세요(입력값 501 자).") == 1
    assert f'value="{"긴" * 501}"' in answer.text  # what was typed can be shortened
    assert "http-equiv" not in answer.text  # which would throw it away
    submission.refresh_from_db()
    assert submission.note == "빔 4"


def test_the_list_marks_the_best_and_costs_the_same_for_many() -> None:
    contest = running()
    team = builders.team(contest, "alice")
    best = hand_in(team)
    builders.score_all(timezone.now())
    client = browser("alice")
    with CaptureQueriesContext(connection) as few:
        client.get("/c/talk/submissions")
    for number in range(3):
        hand_in(team, {"talk_1": f"{number}째 글"})
    builders.score_all(timezone.now())
    with CaptureQueriesContext(connection) as many:
        text = client.get("/c/talk/submissions").text
    assert len(many) == len(few)
    row = text[text.index(f"/submissions/{best.id}") :]
    assert "우리 팀 최고" in row[: row.index("</tr>")]
    assert text.count("우리 팀 최고") == 1
    shown = page(viewer_of(contest, builders.user("alice"), timezone.now()), "public")
    assert shown is not None
    assert printed(shown.rows[0]) in text


def test_a_tick_is_a_final_and_a_refused_one_comes_back_unticked() -> None:
    contest = running()
    team = builders.team(contest, "alice", "bob")
    files = [hand_in(team, {"talk_1": f"{number}째 글"}) for number in range(2)]
    best = hand_in(team)
    builders.score_all(timezone.now())
    client = browser("bob")
    for one in files:
        box = client.post(address(one, "/final"), {"final": "on"}, headers=HTMX)
        assert (box.status_code, "checked" in box.text) == (200, True)
    assert chosen(team.pk) == {one.pk for one in files}
    assert box.context["finals"]["best_left_out"]
    refused = client.post(address(best, "/final"), {"final": "on"}, headers=HTMX)
    assert (refused.status_code, "checked" in refused.text) == (422, False)
    assert 'role="alert"' in refused.text
    assert client.post(address(files[0], "/final"), {}).headers["Location"] == "/c/talk/submissions"
    assert chosen(team.pk) == {files[1].pk}
    page = client.get("/c/talk/submissions").text
    assert page.count('type="checkbox"') == 3
    builders.team(contest, "charlie")
    assert browser("charlie").post(address(best, "/final"), {"final": "on"}).status_code == 404
