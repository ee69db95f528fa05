"""Taking a submission off the boards and putting it back; scoring anew what failed on our side."""

from datetime import timedelta

import pytest

from leaderboard.actions import scoring
from leaderboard.actions.discipline import exclude, restore
from leaderboard.actions.scoring import fail, retry, retry_failed
from leaderboard.actions.submissions import choose_finals
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.models import Standing
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import next_claim
from leaderboard.evaluation.models import Evaluation
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.submissions.queries import chosen, exclusions
from leaderboard.teams.models import Team
from tests.leaderboard.builders import GOLDS, NOON, hand_in, open_competition, score_all, team, user

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def told(name: str) -> list[str]:
    rows = Notification.objects.filter(user__username=name, kind="excluded")
    return [row.message("ko") for row in rows.order_by("created_at")]


def failed() -> tuple[Competition, Team, Submission]:
    """Alice's submission, failed on our side after all of its attempts."""
    contest = open_competition()
    alices = team(contest, "alice")
    submission = hand_in(alices)
    fail_each_attempt()
    return contest, alices, submission


def fail_each_attempt() -> None:
    for _ in range(3):
        fail(claim=next_claim(at=NOON), failure="OSError", at=NOON)
        Evaluation.objects.update(not_before=None)


def test_excluding_says_so_and_restoring_leaves_both_in_the_log() -> None:
    contest = open_competition()
    submission = hand_in(team(contest, "alice", "bob"))
    score_all()
    olivia = user("olivia")
    exclude(submission=submission, user=olivia, reason=" 두 번 냄 ", at=NOON)
    found = exclusions([submission.pk]).get(submission.pk)
    assert (found.reason, found.reason_shown, found.excluded_by) == ("두 번 냄", True, olivia)
    assert submission.evaluations.get().state == "done"
    restore(submission=submission, user=olivia, at=NOON + MINUTE)
    assert exclusions([submission.pk]).get(submission.pk) is None
    # The same submission once more: a second decision is told a second time.
    exclude(submission=submission, user=olivia, reason="비밀", reason_shown=False, at=NOON + MINUTE)
    for name in ("alice", "bob"):
        words = told(name)
        assert len(words) == 3
        assert "두 번 냄" in words[0]
        assert not any("비밀" in one for one in words)
    events = AuditEvent.objects.filter(subject=submission.pk).order_by("at", "kind")
    kinds = [event.kind for event in events]
    assert kinds == ["submission.excluded", "submission.excluded", "submission.restored"]
    assert {event.reason for event in events} == {"두 번 냄", "비밀", ""}


def test_the_boards_follow_and_a_final_choice_stays_without_counting() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    worse = dict.fromkeys(GOLDS, "두 사람은 보기로 한다")
    good = hand_in(alices)  # the first golds themselves: 3.0000 on both boards
    poor = hand_in(alices, worse, at=NOON + MINUTE)
    score_all(NOON + MINUTE)
    choose_finals(team=alices, user=user("alice"), submission_ids=[good.pk], at=NOON + MINUTE)

    def shown() -> dict[str, object]:
        rows = Standing.objects.filter(team=alices)
        assert {row.entries for row in rows} <= {1, 2}
        return {row.board: row.submission_id for row in rows}

    assert shown() == {"public": good.pk, "private": good.pk}
    exclude(submission=good, user=user("olivia"), reason="두 번 냄", at=NOON + 2 * MINUTE)
    # Nothing that was chosen counts, so the best public one does.
    assert shown() == {"public": poor.pk, "private": poor.pk}
    assert chosen(alices.pk) == {good.pk}
    exclude(submission=poor, user=user("olivia"), reason="두 번 냄", at=NOON + 2 * MINUTE)
    assert shown() == {}
    for submission in (good, poor):
        restore(submission=submission, user=user("olivia"), at=NOON + 3 * MINUTE)
    assert shown() == {"public": good.pk, "private": good.pk}


def test_a_decision_is_made_once_and_with_a_reason() -> None:
    contest = open_competition()
    submission = hand_in(team(contest, "alice"))
    for reason in ("", "  ", "가" * 301):
        with pytest.raises(Refused, match="reason_length"):
            exclude(submission=submission, user=user("olivia"), reason=reason, at=NOON)
    with pytest.raises(Refused, match="not_excluded"):
        restore(submission=submission, user=user("olivia"), at=NOON)
    exclude(submission=submission, user=user("olivia"), reason="까닭", at=NOON)
    with pytest.raises(Refused, match="already_excluded"):
        exclude(submission=submission, user=user("olivia"), reason="또", at=NOON)
    assert AuditEvent.objects.filter(kind__startswith="submission.").count() == 1


def test_a_failure_is_scored_again_with_new_attempts_and_costs_nothing() -> None:
    contest, alices, submission = failed()
    evaluation = submission.evaluations.get()
    assert (evaluation.state, evaluation.attempt) == ("failed", 3)
    ledger = list(QuotaEntry.objects.values_list("kind", flat=True))
    retry(evaluation=evaluation, user=user("olivia"), at=NOON)
    fail_each_attempt()  # a second failure gives nothing back
    evaluation.refresh_from_db()
    assert evaluation.state == "failed"
    retry(evaluation=evaluation, user=user("olivia"), at=NOON + MINUTE)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt, evaluation.failure) == ("queued", 0, "")
    assert score_all(NOON + MINUTE) == 1
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.attempt) == ("done", 1)
    assert list(QuotaEntry.objects.values_list("kind", flat=True)) == ledger
    assert sorted(ledger) == ["charge", "refund"]
    assert allowance(alices, contest, NOON).used_today == 0
    events = AuditEvent.objects.filter(kind="evaluation.retried")
    assert [event.before for event in events] == [{"failure": "OSError", "attempt": 3}] * 2


def test_only_failures_are_retried_and_a_stale_look_changes_nothing() -> None:
    contest, _, submission = failed()
    evaluation = submission.evaluations.get()
    assert not scoring._queue_again(Evaluation(pk=evaluation.pk, attempt=2))
    retry(evaluation=evaluation, user=user("olivia"), at=NOON)
    with pytest.raises(Refused, match="not_failed"):
        retry(evaluation=evaluation, user=user("olivia"), at=NOON)
    score_all()
    with pytest.raises(Refused, match="not_failed"):
        retry(evaluation=evaluation, user=user("olivia"), at=NOON)
    assert retry_failed(competition=contest, user=user("olivia"), at=NOON) == 0
    assert AuditEvent.objects.filter(kind__startswith="evaluation.").count() == 1


def test_everything_that_failed_is_retried_here_and_nothing_elsewhere() -> None:
    contest = open_competition()
    other = open_competition("other")
    for name in ("alice", "bob"):
        hand_in(team(contest, name))
    hand_in(team(other, "dana"))
    Evaluation.objects.update(state="failed", attempt=3, failure="OSError", finished_at=NOON)
    assert retry_failed(competition=contest, user=user("olivia"), at=NOON) == 2
    assert Evaluation.objects.filter(state="failed").count() == 1
    assert AuditEvent.objects.get(kind="evaluation.all_retried").after == {"submissions": 2}
