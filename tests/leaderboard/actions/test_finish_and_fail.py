"""The end of a scoring, good or bad, exactly once."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from leaderboard.actions import scoring
from leaderboard.actions.scoring import evaluate_next, fail_exhausted, finish
from leaderboard.boards.models import Standing
from leaderboard.evaluation.claim import LeaseLost, next_claim
from leaderboard.evaluation.models import Evaluation, ExampleScores, SplitScore
from leaderboard.evaluation.run import run
from leaderboard.inbox.models import Notification
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import Submission
from scoring.pipeline import prepare, score
from scoring.profile import Profile
from scoring.references import read
from tests.leaderboard.builders import hand_in, open_competition, score_all, team
from tests.leaderboard.material import NOON, gold_csv

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(seconds=2)


def test_it_saves_the_workshops_numbers_to_the_last_digit() -> None:
    given = hand_in(team(open_competition(), "alice"), {"talk_1": "민수는 도서관에 간다."})
    assert score_all() == 1
    from_files = score(
        {
            row.split(",")[0]: row.split(",", 1)[1]
            for row in given.file.open("rb").read().decode().split("\n")[1:-1]
        },
        prepare(read([("golds.csv", gold_csv())]), Profile()),
    )
    for split in ("public", "private"):
        saved = SplitScore.objects.get(split=split)
        assert saved.total == from_files.splits[split].total
        assert saved.metrics == dict(from_files.splits[split].metrics)
        assert saved.signature == from_files.splits[split].signature
    assert ExampleScores.objects.count() == 1


def test_the_whole_team_is_told_the_public_total_only() -> None:
    hand_in(team(open_competition(), "alice", "bob"), {"talk_2": "전혀 다른 말"})
    score_all()
    told = Notification.objects.all()
    assert {row.user.username for row in told} == {"alice", "bob"}
    assert [sorted(row.data) for row in told] == [["public", "values"]] * 2


def test_what_is_told_names_the_file_and_to_others_who_handed_it_in() -> None:
    alices = team(open_competition(max_waiting=9), "alice", "bob")
    for name in ("kobart.csv", "{total}" + "가" * 60 + ".csv"):
        Submission.objects.filter(pk=hand_in(alices).pk).update(file_name=name)
    score_all()
    cut = "{total}" + "가" * 32 + "…"
    for who, by in (("alice", ""), ("bob", " (alice)")):
        told = Notification.objects.filter(user__username=who, kind="scored")
        assert {row.message("ko").partition(" 공개(Public) 총점")[0] for row in told} == {
            f"kobart.csv{by}:",
            f"{cut}{by}:",
        }


def test_a_late_result_is_discarded_whole() -> None:
    hand_in(team(open_competition(), "alice"))
    old = next_claim(at=NOON)
    report = run(old)
    Evaluation.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert evaluate_next(now=lambda: LATER) == old.pk
    before = list(SplitScore.objects.values_list("pk", "total"))
    with pytest.raises(LeaseLost):
        finish(claim=old, report=report, at=LATER)
    assert list(SplitScore.objects.values_list("pk", "total")) == before
    assert Standing.objects.count() == 2


def test_our_failure_is_tried_three_times_then_given_back_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    given = hand_in(alices)

    def fall_over(_: object) -> None:
        raise ValueError("민수는 비밀")

    monkeypatch.setattr(scoring, "run", fall_over)
    for attempt in (1, 2, 3):
        Evaluation.objects.update(not_before=None)
        assert evaluate_next(now=lambda: LATER) is not None
        assert Evaluation.objects.get().attempt == attempt
    row = Evaluation.objects.get()
    assert (row.state, row.failure) == ("failed", "ValueError")
    assert allowance(alices, contest, NOON).left_today == 12
    assert given.quota_entries.filter(kind="refund").count() == 1
    assert Notification.objects.get().kind == "failed"
    assert evaluate_next(now=lambda: LATER) is None


def test_a_silent_last_attempt_is_ended_by_the_sweeper_once() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    hand_in(alices)
    for _ in range(3):
        assert next_claim(at=NOON) is not None
        Evaluation.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert fail_exhausted(at=LATER) == 1
    assert fail_exhausted(at=LATER) == 0
    assert allowance(alices, contest, NOON).left_today == 12
