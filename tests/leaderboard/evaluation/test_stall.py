"""Scoring stands still when files wait and no worker did anything for half a minute."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from leaderboard.actions.scoring import fail_exhausted, retry
from leaderboard.actions.versions import rehearse
from leaderboard.evaluation.health import stalled
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import expected_wait, progress
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from tests.leaderboard import builders

pytestmark = pytest.mark.django_db


def ago(seconds: float) -> datetime:
    return timezone.now() - timedelta(seconds=seconds)


@pytest.fixture
def ours() -> Team:
    return builders.team(builders.open_competition(), "alice")


def waiting(by: Team, seconds: float) -> Submission:
    """A file that was received so long ago."""
    return builders.hand_in(by, at=ago(seconds))


def of(submission: Submission) -> Evaluation:
    return Evaluation.objects.get(submission=submission)


def stands_still(*, rehearsals: bool = False) -> bool:
    return stalled(timezone.now(), rehearsals=rehearsals) is not None


def test_what_waits_half_a_minute_while_nobody_works_stands_still(ours: Team) -> None:
    first = waiting(ours, 29)
    assert not stands_still()
    Evaluation.objects.update(received_at=ago(31))
    found = stalled(timezone.now())
    assert (found.waiting, found.workers) == (1, 0)
    assert found.since == of(first).received_at


@pytest.mark.parametrize(
    "sign",
    [
        {"state": "running", "last_sign_at": 20},
        {"state": "done", "finished_at": 20},
    ],
    ids=["at work", "just done"],
)
def test_a_worker_that_does_something_lets_others_wait(ours: Team, sign: dict[str, object]) -> None:
    waiting(ours, 300)
    other = Evaluation.objects.filter(submission=builders.hand_in(ours, at=timezone.now()))
    values = {name: ago(v) if isinstance(v, int) else v for name, v in sign.items()}
    other.update(**values)
    assert not stands_still()
    (when,) = (name for name in values if name.endswith("_at"))
    other.update(**{when: ago(31)})
    assert stands_still()


def test_the_lease_of_a_worker_that_stopped_hides_nothing(ours: Team) -> None:
    """It runs for a minute; the file in its hands waits from the last sign on."""
    held = Evaluation.objects.filter(submission=waiting(ours, 40))
    held.update(state="running", last_sign_at=ago(31), lease_until=ago(-29), attempt=1)
    assert stands_still()


def test_what_the_sweeper_ends_is_no_sign_of_a_worker(ours: Team) -> None:
    lost = Evaluation.objects.filter(submission=waiting(ours, 300))
    lost.update(state="running", last_sign_at=ago(100), lease_until=ago(40), attempt=3)
    waiting(ours, 40)
    assert fail_exhausted(at=timezone.now()) == 1
    assert stands_still()


def test_what_was_retried_or_is_to_be_rehearsed_waits_from_then_on(ours: Team) -> None:
    """Its file was received long ago; that is not how long a worker is missing."""
    failed = waiting(ours, 3600)
    Evaluation.objects.filter(submission=failed).update(state="failed", finished_at=ago(3000))
    retry(evaluation=of(failed), user=builders.user("olivia"), at=timezone.now())
    assert not stands_still()
    Evaluation.objects.update(not_before=ago(31))
    assert stands_still()
    Evaluation.objects.update(state="done", finished_at=ago(3000))
    version = builders.uploaded(ours.competition, tokenizer="whitespace", at=timezone.now())
    rehearse(version=version, user=builders.user("olivia"), at=timezone.now())
    rehearsed = Evaluation.objects.filter(scoring_version=version)
    assert [row.received_at for row in rehearsed] == [failed.received_at]
    assert not stands_still(rehearsals=True)
    rehearsed.update(not_before=ago(31))
    assert stands_still(rehearsals=True)
    assert not stands_still()


def test_what_waits_for_its_next_attempt_is_no_standstill(ours: Team) -> None:
    Evaluation.objects.filter(submission=waiting(ours, 300)).update(not_before=ago(-3))
    assert not stands_still()


def test_a_version_that_no_worker_may_score_is_told_in_its_own_words(ours: Team) -> None:
    waiting(ours, 300)
    ScoringVersion.objects.update(signature="rouge|tok:another-dictionary")
    assert not stands_still()


def test_no_less_is_expected_than_was_waited_and_nothing_in_a_standstill(ours: Team) -> None:
    """A student read "expected wait 1 s" for 150 s."""
    mine = waiting(ours, 20)
    found = progress(mine, at=timezone.now())
    assert found["waited_seconds"] == 20
    assert found["expected_wait_seconds"] == 20 + expected_wait(1)
    Evaluation.objects.update(received_at=ago(150))
    found = progress(mine, at=timezone.now())
    assert (found["waited_seconds"], found["expected_wait_seconds"]) == (150, None)
    assert found["stall"] is not None


def test_a_look_at_a_server_that_works_costs_one_question(
    ours: Team, django_assert_num_queries: object
) -> None:
    waiting(ours, 3)
    with django_assert_num_queries(1):  # type: ignore[operator]
        assert stalled(timezone.now()) is None
