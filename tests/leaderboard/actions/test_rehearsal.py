"""A corrected gold: rehearsed unseen, looked at, made live at once, and taken back."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from leaderboard.actions import scoring
from leaderboard.actions.discipline import exclude
from leaderboard.actions.scoring import finish
from leaderboard.actions.submissions import cancel
from leaderboard.actions.teams import add_baseline
from leaderboard.actions.versions import discard, make_live, rehearse
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.queries import page
from leaderboard.boards.rehearsal import BoardPreview, preview
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import ask_missing, next_claim
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.run import run
from leaderboard.inbox.models import Notification
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from tests.leaderboard import builders
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.cells import text
from tests.leaderboard.kept_rows import built_once
from tests.leaderboard.material import GOLDS, NOON, gold_csv, prediction_csv

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(hours=1)
# Alice's wording of talk_1 is the old gold, Bob's the corrected one.
OLD, NEW = GOLDS["talk_1"][0], "민수와 지우는 모레 서점에서 만난다."
CORRECTED = {**GOLDS, "talk_1": (NEW, NEW)}
REST = {name: "아무 말이나 적었다." for name in GOLDS if name != "talk_1"}


def second(contest: Competition, **profile: str) -> ScoringVersion:
    return builders.uploaded(contest, gold_csv(CORRECTED), at=LATER, **profile)


def rehearsed(contest: Competition) -> ScoringVersion:
    version = second(contest)
    rehearse(version=version, user=user("olivia"), at=LATER)
    score_all(LATER)
    return version


def switch_to(version: ScoringVersion, **how: Any) -> None:
    make_live(version=version, user=user("olivia"), **{"at": LATER, **how})


@built_once
def two_teams() -> Competition:
    """Alice leads under v1; under the corrected golds Bob would."""
    contest = open_competition()
    hand_in(team(contest, "alice"), {**REST, "talk_1": OLD}, at=NOON)
    hand_in(team(contest, "bob"), {**REST, "talk_1": NEW}, at=NOON + timedelta(minutes=1))
    score_all()
    return contest


def order(contest: Competition) -> list[str]:
    board = page(viewer_of(contest, user("charlie"), LATER), "public")
    return [row.team_name for row in board.rows]


def look(version: ScoringVersion) -> BoardPreview:
    found = preview(version, "public", viewer_of(version.competition, user("olivia"), LATER))
    assert found is not None
    return found


def test_the_preview_says_who_moves_and_why_and_equals_the_result() -> None:
    contest = two_teams()
    version = second(contest)
    assert rehearse(version=version, user=user("olivia"), at=LATER) == 2
    score_all(LATER)
    assert order(contest) == ["alice", "bob"], "unseen until it is made live"
    seen = look(version)
    assert [(move.team_name, move.rank_before, move.rank_after) for move in seen.moves] == [
        ("bob", 2, 1),
        ("alice", 1, 2),
    ]
    assert [(row.example_id, row.split_after) for row in seen.changes.rows] == [
        ("talk_1", "public")
    ]
    assert (seen.moving, seen.ranked) == (2, 2)
    switch_to(version, reason="날짜를 고침")
    assert "날짜를 고침" in Announcement.objects.latest("at").text
    assert AuditEvent.objects.get(kind="version.made_live", at=LATER).reason == "날짜를 고침"
    board = page(viewer_of(contest, user("charlie"), LATER), "public")
    assert [text(row) for row in board.rows] == [move.totals.after for move in seen.moves]
    assert board.version_number == 2


def test_the_report_of_who_moved_stays_readable_afterwards() -> None:
    """As it was decided, whatever is handed in, taken off the board or made live later."""
    contest = two_teams()
    version = rehearsed(contest)
    expected = look(version).moves
    assert [move.team_name for move in expected] == ["bob", "alice"]
    switch_to(version)
    alices = contest.teams.get(name="alice")
    hand_in(alices, {**REST, "talk_1": NEW}, at=LATER + timedelta(minutes=1))
    hand_in(team(contest, "carol"), {**REST, "talk_1": NEW}, at=LATER + timedelta(minutes=2))
    much_later = LATER + timedelta(hours=1)
    score_all(much_later)
    bobs = Submission.objects.get(team__name="bob")
    exclude(submission=bobs, user=user("olivia"), reason="두 번 냄", at=LATER)
    for _ in range(2):
        seen = look(version)
        assert seen.moves == expected
        assert (str(seen.against.version), seen.against.switched_at) == ("v1", LATER)
        assert [row.example_id for row in seen.changes.rows] == ["talk_1"]
        assert seen.causes_of(list(seen.moves)), "the rows behind it too"
        version.refresh_from_db()
        if version.is_live:
            third = second(contest, preset="mean-sum")
            rehearse(version=third, user=user("olivia"), at=much_later)
            score_all(much_later)
            make_live(version=third, user=user("olivia"), at=much_later)
            version.refresh_from_db()
            assert version.state == "retired"
    for name in ("alice", "charlie"):
        assert preview(version, "public", viewer_of(contest, user(name), LATER)) is None


def test_a_rehearsal_has_no_side_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    contest = two_teams()
    told = Notification.objects.count()
    version = second(contest)
    rehearse(version=version, user=user("olivia"), at=LATER)

    def fall_over(_: object) -> None:
        raise ValueError("planted")

    monkeypatch.setattr(scoring, "run", fall_over)
    for _ in range(6):
        Evaluation.objects.filter(scoring_version=version).update(not_before=None)
        score_all(LATER)
    assert Evaluation.objects.filter(scoring_version=version, state="failed").count() == 2
    assert Notification.objects.count() == told
    alices = contest.teams.get(name="alice")
    assert allowance(alices, contest, NOON).left_today == 11
    with pytest.raises(Refused, match="rehearsal_failed") as caught:
        switch_to(version)
    assert "alice, bob" in caught.value.message("ko")
    switch_to(version, accept_failed=True)
    assert order(contest) == []


def test_going_back_is_a_rehearsal_of_the_retired_one() -> None:
    contest = two_teams()
    first = live_version(contest)
    assert first is not None
    version = rehearsed(contest)
    switch_to(version)
    hand_in(contest.teams.get(name="alice"), {**REST, "talk_1": NEW}, at=LATER)
    score_all(LATER)
    assert rehearse(version=first, user=user("olivia"), at=LATER) == 1, "the one it had not seen"
    score_all(LATER)
    switch_to(first)
    assert order(contest) == ["alice", "bob"]
    states = {row.number: row.state for row in contest.scoring_versions.all()}
    assert states == {1: "live", 2: "retired"}


def test_uploads_meanwhile_are_scored_under_both_and_live_comes_first() -> None:
    contest = two_teams()
    version = second(contest)
    rehearse(version=version, user=user("olivia"), at=LATER)
    given = hand_in(contest.teams.get(name="bob"), {**REST, "talk_1": OLD}, at=LATER)
    claim = next_claim(at=LATER)
    assert claim.submission_id == given.pk
    live = live_version(contest)
    assert claim.scoring_version_id == live.pk
    assert given.evaluations.count() == 2


def test_what_was_still_being_scored_under_the_old_golds_is_told_its_score_under_the_new() -> None:
    contest = two_teams()
    Notification.objects.all().delete()
    version = second(contest)
    rehearse(version=version, user=user("olivia"), at=LATER)
    given = hand_in(contest.teams.get(name="bob"), {**REST, "talk_1": NEW}, at=LATER)
    running = next_claim(at=LATER)  # by a worker that goes on through the switch
    assert running.submission_id == given.pk
    score_all(LATER)
    assert not Notification.objects.filter(kind="scored").exists()
    switch_to(version)
    told = Notification.objects.filter(kind="scored")
    total = given.evaluations.get(scoring_version=version).scores.get(split="public").total
    assert [(one.user.username, one.subject, one.data["public"]) for one in told] == [
        ("bob", given.pk, f"{total:.4f}")
    ]
    finish(claim=running, report=run(running), at=LATER)
    assert told.count() == 1


def test_make_live_waits_until_every_submission_has_ended() -> None:
    contest = two_teams()
    version = second(contest)
    rehearse(version=version, user=user("olivia"), at=LATER)
    with pytest.raises(Refused, match="rehearsal_runs"):
        switch_to(version)
    score_all(LATER)
    Evaluation.objects.filter(scoring_version=version).first().delete()
    with pytest.raises(Refused, match="rehearsal_runs"):
        switch_to(version)
    assert ask_missing(at=LATER) == 1
    score_all(LATER)
    switch_to(version)


def test_a_cancelled_submission_is_skipped_for_ever() -> None:
    contest = two_teams()
    taken_back = hand_in(contest.teams.get(name="bob"), at=LATER)
    cancel(submission=taken_back, user=user("bob"), at=LATER)
    version = second(contest)
    assert rehearse(version=version, user=user("olivia"), at=LATER) == 2
    score_all(LATER)
    switch_to(version)
    assert not taken_back.evaluations.filter(scoring_version=version).exists()


def test_a_discarded_rehearsal_leaves_the_board_and_may_come_again() -> None:
    contest = two_teams()
    version = second(contest)
    rehearse(version=version, user=user("olivia"), at=LATER)
    discard(version=version, user=user("olivia"), at=LATER)
    assert next_claim(at=LATER) is None
    assert order(contest) == ["alice", "bob"]
    version.refresh_from_db()
    assert version.state == "retired"
    assert rehearse(version=version, user=user("olivia"), at=LATER) == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", ["evaluation_splitscore", "evaluation_evaluation"])
def test_what_a_worker_scores_while_its_rehearsal_is_discarded_stays(table: str) -> None:
    contest = two_teams()
    version = second(contest)
    rehearse(version=version, user=user("olivia"), at=LATER)
    scored: list[Future[UUID | None]] = []

    def score_one() -> UUID | None:
        try:
            return scoring.evaluate_next(now=lambda: LATER)
        finally:
            connection.close()

    def just_before_deleting(execute: Any, sql: str, *args: Any) -> Any:
        if sql.startswith(f'DELETE FROM "{table}"') and not scored:
            scored.append(threads.submit(score_one))
            wait(scored, timeout=1)  # a worker that waits for what we hold goes on after us
        return execute(sql, *args)

    with ThreadPoolExecutor(1) as threads:
        with connection.execute_wrapper(just_before_deleting):
            discard(version=version, user=user("olivia"), at=LATER)
        done = scored[0].result()
    left = Evaluation.objects.filter(scoring_version=version)
    assert [row.pk for row in left] == ([done] if done else [])
    version.refresh_from_db()
    assert version.state == "retired"


def test_a_baseline_is_not_counted_among_the_teams_whose_rank_may_change() -> None:
    contest = two_teams()
    upload = Upload("lead.csv", prediction_csv(REST | {"talk_1": NEW}))
    add_baseline(competition=contest, user=user("olivia"), name="첫 발화", upload=upload, at=NOON)
    score_all()
    version = rehearsed(contest)
    seen = look(version)
    ranks = {move.team_name: (move.rank_before, move.rank_after) for move in seen.moves}
    assert ranks == {"첫 발화": (None, None), "alice": (1, 2), "bob": (2, 1)}
    assert (seen.moving, seen.ranked) == (2, 2)
