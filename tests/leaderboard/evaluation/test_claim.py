"""The fence: one claim counts, a lost one writes nothing, three attempts are all."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.db.models import F
from django.db.models.functions import Now

from leaderboard.evaluation.claim import (
    LeaseLost,
    exhausted,
    heartbeat,
    next_claim,
    versions_with_work,
    wait_again,
)
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from tests.leaderboard.builders import NOON, hand_in, open_competition, team

pytestmark = pytest.mark.django_db


def claimed() -> Evaluation:
    claim = next_claim(at=NOON)
    assert claim is not None
    return claim


def lose_leases() -> None:
    Evaluation.objects.update(lease_until=Now() - timedelta(seconds=1))


def test_teams_take_turns_then_time_decides() -> None:
    contest = open_competition()
    alices, charlies = team(contest, "alice"), team(contest, "charlie")
    first = hand_in(alices, at=NOON)
    second = hand_in(alices, at=NOON + timedelta(seconds=1))
    third = hand_in(charlies, at=NOON + timedelta(seconds=2))
    order = [claimed().submission_id for _ in range(3)]
    # Alice's team has one running when the second slot comes, Charlie's none.
    assert order == [first.pk, third.pk, second.pk]


def test_an_expired_lease_can_be_taken_over_and_the_old_claim_is_dead() -> None:
    hand_in(team(open_competition(), "alice"))
    old = claimed()
    row = Evaluation.objects.get()
    assert (row.state, row.attempt, row.owner) == ("running", 1, old.owner)
    assert next_claim(at=NOON) is None
    lose_leases()
    new = claimed()
    assert (new.pk, new.attempt) == (old.pk, 2)
    with pytest.raises(LeaseLost):
        heartbeat(old, stage="cut", rows_done=1, rows_total=4)
    with pytest.raises(LeaseLost):
        wait_again(old, is_spent=True)
    heartbeat(new, stage="cut", rows_done=3, rows_total=4)
    new.owner = uuid4()  # an invented one
    with pytest.raises(LeaseLost):
        heartbeat(new, stage="cut", rows_done=4, rows_total=4)
    assert Evaluation.objects.get().rows_done == 3


def test_a_heartbeat_renews_the_lease() -> None:
    hand_in(team(open_competition(), "alice"))
    claim = claimed()
    lose_leases()
    heartbeat(claim, stage="cut", rows_done=1, rows_total=4)
    assert not exhausted().exists()
    assert next_claim(at=NOON) is None


def test_three_attempts_are_all() -> None:
    hand_in(team(open_competition(), "alice"))
    for attempt in (1, 2, 3):
        assert claimed().attempt == attempt
        assert not exhausted().exists()
        lose_leases()
    assert next_claim(at=NOON) is None
    assert exhausted().count() == 1


def test_a_clean_shutdown_costs_no_attempt_and_a_retry_waits_its_pause() -> None:
    hand_in(team(open_competition(), "alice"))
    wait_again(claimed())
    wait_again(again := claimed(), after=timedelta(hours=1), is_spent=True)
    assert again.attempt == 1
    assert next_claim(at=NOON) is None
    Evaluation.objects.update(not_before=F("not_before") - timedelta(hours=2))
    assert claimed().attempt == 2


def test_a_version_of_another_analyzer_is_left_alone() -> None:
    hand_in(team(open_competition(), "alice"))
    ScoringVersion.objects.update(
        signature=ScoringVersion.objects.get().signature.replace("mecab-ko/", "mecab-ko/0")
    )
    assert next_claim(at=NOON) is None


def test_nothing_is_claimed_with_another_engine_than_the_signature_names(
    request: pytest.FixtureRequest,
) -> None:
    hand_in(team(open_competition(), "alice"))
    request.getfixturevalue("plain_mecab")
    assert next_claim(at=NOON) is None
    assert [version.number for version in versions_with_work(supported=False)] == [1]


def test_claiming_takes_a_fixed_number_of_queries(
    django_assert_num_queries: object, settings: LazySettings
) -> None:
    contest = open_competition()
    for name in ("alice", "bob", "charlie"):
        hand_in(team(contest, name))
    with django_assert_num_queries(5):  # type: ignore[operator]
        claimed()  # versions with work, who runs, first waiting and lost row, conditional update
