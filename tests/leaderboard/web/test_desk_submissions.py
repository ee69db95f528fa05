"""The desk's submissions: found by what one knows of them, seen whole, decided about."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.actions.discipline import exclude
from leaderboard.evaluation import queries as evaluation
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import search
from leaderboard.submissions.models import Cancellation, Exclusion, Submission
from leaderboard.web.desk import submissions
from tests.leaderboard import builders
from tests.leaderboard.web.crawl import content
from tests.leaderboard.web.pages import browser, confirmed, hand_in, running

pytestmark = pytest.mark.django_db
LIST = "/c/talk/desk/submissions"
POOR = {"talk_1": "다른 말"}


def two() -> tuple[Submission, Submission]:
    """Alice's and Bob's, scored."""
    contest = running()
    now = timezone.now()
    alices = builders.hand_in(builders.team(contest, "alice", called="두괄식"), at=now)
    bobs = builders.hand_in(builders.team(contest, "bob", called="<b>밥</b>"), POOR, at=now)
    builders.score_all(now)
    Submission.objects.filter(pk=bobs.pk).update(file_name="kobart-large.csv")
    return alices, bobs


def test_a_submission_is_found_by_team_file_hash_and_ids() -> None:
    alices, bobs = two()
    contest = alices.team.competition
    known = [
        ("두괄", alices),
        ("KOBART", bobs),
        (bobs.sha256[:6].upper(), bobs),
        (str(alices.pk), alices),
        (str(alices.pk)[:8], alices),
        (str(bobs.evaluations.get().pk)[:8], bobs),  # what a failure tells its team to quote
        (str(bobs.evaluations.get().pk)[:13], bobs),
    ]
    for query, wanted in known:
        assert [one.pk for one in search(contest, query=query)] == [wanted.pk], query
    assert search(contest, query="없는 말").count() == 0
    page = browser("olivia").get(LIST, {"q": "두괄"}).text
    assert str(alices.pk) in page
    assert str(bobs.pk) not in page


def test_a_state_narrows_the_list() -> None:
    alices, bobs = two()
    contest = alices.team.competition
    waiting = hand_in(alices.team)
    exclude(submission=bobs, user=builders.user("olivia"), reason="두 번", at=timezone.now())
    Evaluation.objects.filter(submission=alices).update(state="failed")

    def found(kind: str) -> set[object]:
        return {one.pk for one in search(contest, kind=kind)}

    assert found("failed") == {alices.pk}
    assert found("done") == found("excluded") == {bobs.pk}
    assert found("waiting") == {waiting.pk}
    for none in ("running", "cancelled", "late", "baseline", "odd"):
        assert found(none) == set()
    assert browser("olivia").get(LIST, {"kind": "odd", "page": "x"}).status_code == 200


def test_a_new_file_whose_evaluation_was_lost_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    alices, bobs = two()
    contest = alices.team.competition
    waiting = hand_in(alices.team)
    Evaluation.objects.filter(submission=waiting).delete()
    assert [one.pk for one in search(contest, kind="waiting")] == [waiting.pk]
    Cancellation.objects.create(
        submission=waiting, cancelled_by=alices.submitted_by, at=timezone.now()
    )
    assert not search(contest, kind="waiting").exists()
    monkeypatch.setattr(evaluation, "NEWEST", 1)
    bobs.evaluations.update(state="queued")
    assert [one.pk for one in search(contest, kind="waiting")] == [bobs.pk]


def test_beyond_the_newest_many_one_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    alices, _ = two()
    for hours in range(1, 4):
        builders.hand_in(alices.team, at=alices.received_at + timedelta(hours=hours))
    newest_first = [str(one.pk) for one in search(alices.team.competition)]
    monkeypatch.setattr(submissions, "PAGE", 2)
    for most, said, pages in ((5, "5개", 3), (4, "4개 초과", 2)):
        monkeypatch.setattr(submissions, "MOST", most)
        first, last = (browser("olivia").get(LIST, {"page": number}).text for number in (1, 9))
        assert f">{said}</small>" in first
        assert all(one in first for one in newest_first[:2])
        assert (newest_first[4] in last) == (most == 5)
        assert (newest_first[3] in last) == (most == 4)
        assert f"{pages}</span>" in last or f">{pages}<" in last
        assert ("검색해 주세요" in last) == (most == 4)


def test_one_submission_shows_every_version_and_both_boards() -> None:
    alices, _ = two()
    page = browser("olivia").get(f"{LIST}/{alices.pk}").text
    assert alices.sha256 in page
    assert "Public" in page
    assert "Private" in page
    assert page.count("3.0000") == 2  # its answers are the first golds: 1 + 1 + 1 on both boards
    assert 'value="retry"' not in page
    answer = browser("olivia").get(f"{LIST}/{alices.pk}/file")
    assert content(answer) == builders.prediction_csv()
    assert f"{alices.pk}.csv" in answer["Content-Disposition"]


def test_exclude_and_restore_from_the_page_and_what_the_team_sees() -> None:
    alices, _ = two()
    olivia, alice = browser("olivia"), browser("alice")
    where, own = f"{LIST}/{alices.pk}", f"/c/talk/submissions/{alices.pk}"
    assert olivia.post(where, {"verb": "exclude", "reason": ""}).status_code == 422
    assert not Exclusion.objects.exists()
    sent = {"verb": "exclude", "reason": "두 번 냄", "reason_shown": "on"}
    assert confirmed(olivia, where, sent).status_code == 302
    for page in (alice.get(own).text, alice.get("/c/talk/submissions").text):
        assert "제외" in page
        assert "두 번 냄" in page
    inbox = alice.get("/inbox").text
    assert "두 번 냄" in inbox
    assert own in inbox
    page = olivia.get(where).text
    assert "제출을 리더보드에서 제외함" in page
    olivia.post(where, {"verb": "restore"})
    assert "리더보드에서 제외한" not in alice.get(own).text
    confirmed(olivia, where, {"verb": "exclude", "reason": "우리만 아는 것"})
    for page in (alice.get(own).text, alice.get("/c/talk/submissions").text):
        assert "제외" in page
        assert "우리만 아는 것" not in page
    assert "우리만 아는 것" not in alice.get("/inbox").text
    assert "우리만 아는 것" in olivia.get(where).text


def test_failures_are_retried_one_by_one_and_all_at_once() -> None:
    alices, bobs = two()
    olivia = browser("olivia")
    Evaluation.objects.update(state="failed", attempt=3, failure="OSError")
    page = olivia.get(f"{LIST}/{alices.pk}").text
    assert "OSError" in page
    own = alices.evaluations.get().pk
    for odd, status in (("", 404), ("x", 404), (bobs.evaluations.get().pk, 404), (own, 302)):
        form = {"verb": "retry", "evaluation": str(odd)}
        assert olivia.post(f"{LIST}/{alices.pk}", form).status_code == status
    assert alices.evaluations.get().state == "queued"
    assert "못한 제출: 1개" in olivia.get(LIST).text
    olivia.post(LIST, {"verb": "retry_failed"})
    assert bobs.evaluations.get().state == "queued"
