"""An upgrade writes stored signatures out in full: a board goes on, and nothing changes unsaid."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard.audit.models import AuditEvent
from leaderboard.boards.models import Standing
from leaderboard.evaluation.claim import next_claim
from leaderboard.evaluation.models import SplitScore
from leaderboard.evaluation.queue import unsupported_versions
from leaderboard.references.models import ScoringVersion
from scoring.signature import abbreviated
from tests.leaderboard.builders import NOON, hand_in, open_competition, score_all, team

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE = [("evaluation", "0002_submission_cuts")]


def migrate(targets: list[tuple[str, str]] | None = None) -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(targets or executor.loader.graph.leaf_nodes())


def lines() -> set[str]:
    return {
        *ScoringVersion.objects.values_list("signature", flat=True),
        *SplitScore.objects.values_list("signature", flat=True),
    }


def test_a_version_live_before_the_upgrade_goes_on_being_scored() -> None:
    contest = open_competition()
    alices, charlies = team(contest, "alice"), team(contest, "charlie")
    hand_in(alices)
    score_all()
    full, totals = lines(), set(Standing.objects.values_list("board", "printed"))
    migrate(BEFORE)
    short = lines()
    assert short == set(map(abbreviated, full))
    assert len(short) == len(full) == 3
    hand_in(charlies, {"talk_1": "민수"}, at=NOON + timedelta(minutes=1))
    assert [version.number for version in unsupported_versions()] == [1]
    assert next_claim(at=NOON) is None, "this code would print another line"

    migrate()
    assert lines() == full
    assert unsupported_versions() == []
    assert score_all(NOON + timedelta(minutes=2)) == 1
    assert lines() == full, "the next file has the same line"
    assert set(Standing.objects.filter(team=alices).values_list("board", "printed")) == totals


def test_what_stood_there_before_is_in_the_log_of_the_contest() -> None:
    contest = open_competition()
    migrate(BEFORE)
    AuditEvent.objects.all().delete()
    short = ScoringVersion.objects.get().signature
    migrate()
    version = ScoringVersion.objects.get()
    event = AuditEvent.objects.get()
    assert (event.kind, event.actor) == ("version.signature_respelled", None)
    assert (event.competition, event.subject) == (contest.pk, version.pk)
    assert event.before == {"version": 1, "signature": short}
    assert event.after == {"version": 1, "signature": version.signature}


@pytest.mark.parametrize(
    "odd", ["made|by|older|code", "rouge:r1|norm:nfc|rows:mean|gold:00000000|v:1"]
)
def test_a_line_that_is_not_of_these_golds_stays_as_it_is(odd: str) -> None:
    open_competition()
    migrate(BEFORE)
    AuditEvent.objects.all().delete()
    ScoringVersion.objects.update(signature=odd)
    migrate()
    assert ScoringVersion.objects.get().signature == odd
    assert not AuditEvent.objects.exists()
