"""The head of the queue is the first of the whole order, whatever waits, runs or was lost."""

import random
from datetime import timedelta

import pytest
from django.db.models import Q
from django.db.models.functions import Now
from pytest_django import DjangoAssertNumQueries

from leaderboard.evaluation.claim import head, in_order, place_in_queue, versions_with_work
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from tests.leaderboard.builders import NOON, hand_in, open_competition, team

pytestmark = pytest.mark.django_db
State = Evaluation.State
STATES = (State.QUEUED, State.QUEUED, State.RUNNING, State.DONE)
LEASES = (Now() + timedelta(minutes=1), Now() - timedelta(minutes=1))
PAUSES = (None, None, Now() - timedelta(minutes=1), Now() + timedelta(minutes=1))


def waiting() -> None:
    """Six files of three teams, each under a live and a rehearsing version."""
    contest = open_competition(max_waiting=100)
    for number, name in enumerate(("alice", "bob", "charlie") * 2):
        hand_in(team(contest, name), at=NOON + timedelta(minutes=number // 2))  # two at a time
    second = live_version(open_competition("other"))
    ScoringVersion.objects.filter(pk=second.pk).update(state=ScoringVersion.State.REHEARSING)
    Evaluation.objects.bulk_create(
        Evaluation(
            submission_id=row.submission_id, scoring_version=second, received_at=row.received_at
        )
        for row in Evaluation.objects.all()
    )


def scatter(dice: random.Random) -> None:
    for row in Evaluation.objects.order_by("pk"):
        Evaluation.objects.filter(pk=row.pk).update(
            state=dice.choice(STATES),
            lease_until=dice.choice(LEASES),
            not_before=dice.choice(PAUSES),
            attempt=dice.choice((0, 0, 1, 3)),
        )


def test_the_head_is_the_first_in_order() -> None:
    waiting()
    versions = list(ScoringVersion.objects.all())
    ready = Q(not_before=None) | Q(not_before__lte=Now()) | Q(state=State.RUNNING)
    dice, seen = random.Random(20261121), set()
    for _ in range(50):
        scatter(dice)
        some = dice.sample(versions, dice.randrange(1, 3))
        order = list(in_order().filter(ready, scoring_version__in=some))
        found = head(some)
        assert found == (order[0] if order else None)
        if order:
            seen.add((order[0].state, order[0].team_running, order[0].rehearsal))
    # The dice met lost rows, teams that are all busy, and rehearsals.
    assert {state for state, _, _ in seen} == {"queued", "running"}
    assert {running for _, running, _ in seen} >= {0, 1}
    assert {rehearsal for _, _, rehearsal in seen} == {0, 1}


def test_the_place_of_each_is_where_it_stands_in_order() -> None:
    waiting()
    dice, seen = random.Random(20261122), set()
    for _ in range(20):
        scatter(dice)
        order = list(in_order())
        places = {row.pk: place for place, row in enumerate(order, start=1)}
        for row in Evaluation.objects.all():
            assert place_in_queue(row) == places.get(row.pk)
        seen |= {(row.team_running, row.rehearsal) for row in order}
    assert seen >= {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_the_place_is_told_without_laying_out_the_queue(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    waiting()
    *ahead, last = in_order()
    with django_assert_num_queries(3):  # who runs, the own row, how many are ahead of it
        assert place_in_queue(last) == len(ahead) + 1


def test_nothing_is_asked_of_an_empty_queue(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    open_competition()
    with django_assert_num_queries(1):
        assert head(versions_with_work()) is None
