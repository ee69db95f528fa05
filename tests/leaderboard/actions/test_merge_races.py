"""Merges at the same time as each other, and as everything that a team's files go through."""

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from leaderboard.actions.discipline import exclude
from leaderboard.actions.membership import leave
from leaderboard.actions.merging import accept_merge, ask_to_merge
from leaderboard.actions.scoring import fail, finish
from leaderboard.actions.submissions import cancel, submit
from leaderboard.evaluation.claim import next_claim
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.run import run
from leaderboard.inbox.models import Notification
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.at_once import all_at_once, answer_of
from tests.leaderboard.builders import NOON, prediction_csv, user
from tests.leaderboard.disagreements import disagreements

pytestmark = pytest.mark.django_db(transaction=True)


def asked(survivor: Team, absorbed: Team) -> Callable[[], Any]:
    """The other captain's answer to a question that is asked now."""
    merge = ask_to_merge(team=survivor, user=survivor.captain, name=absorbed.name, at=NOON)
    return partial(accept_merge, merge=merge, user=absorbed.captain, at=NOON)


def all_is_well() -> None:
    assert disagreements() == []
    call_command("rebuild_standings", check=True, verbosity=0)


@pytest.fixture
def teams() -> list[Team]:
    contest = builders.open_competition()
    return [builders.team(contest, name, called=f"{name} 팀") for name in ("alice", "bob", "cho")]


def test_of_two_merges_of_one_team_at_once_one_wins(teams: list[Team]) -> None:
    one, two, three = teams
    for team in teams:
        builders.hand_in(team)
    answers = all_at_once(asked(one, three), asked(two, three))
    assert answers == {"done": 1, "merge_gone": 1}
    assert Team.objects.exclude(merged_into=None).count() == 1
    all_is_well()


def test_a_chain_of_merges_at_once_has_no_circle(teams: list[Team]) -> None:
    one, two, three = teams
    answers = all_at_once(asked(one, two), asked(two, three), asked(three, one))
    assert answers["done"] in (1, 2)
    assert answers["done"] + answers["merge_gone"] == 3
    all_is_well()


def test_files_come_people_go_and_teams_merge_at_once(teams: list[Team]) -> None:
    one, two, three = teams
    kept = {builders.hand_in(two, at=NOON).pk}

    def send(team: Team, key: str) -> None:
        upload = Upload("a.csv", prediction_csv())
        kept.add(submit(team=team, user=team.captain, upload=upload, key=key, at=NOON).pk)

    answers = all_at_once(
        asked(one, two),
        asked(one, three),
        partial(send, two, "run-1"),
        partial(send, one, "run-1"),
        partial(leave, team=one, user=user("alice"), at=NOON),
    )
    # Whoever's team went while they waited is told so, and may do it again in the new one.
    lost = answers.pop("not_a_member", 0)
    assert set(answers) <= {"done", "team_of_one", "merge_gone", "not_captain"}, answers
    # Where the teams were one before the second file came, it is the first one sent again.
    assert len(kept) in {3 - lost, 2}
    assert set(Submission.objects.values_list("pk", flat=True)) == kept
    assert QuotaEntry.objects.filter(kind="charge").count() == len(kept)
    all_is_well()


def _finish(claim: Evaluation) -> None:
    finish(claim=claim, report=run(claim), at=NOON)


def _fail(claim: Evaluation) -> None:
    Evaluation.objects.filter(pk=claim.pk).update(attempt=3)
    claim.attempt = 3
    fail(claim=claim, failure="Lost", at=NOON)


def _cancel(claim: Evaluation) -> None:
    Evaluation.objects.filter(pk=claim.pk).update(state="queued", owner=None, lease_until=None)
    cancel(submission=claim.submission, user=user("bob"), at=NOON)


def _exclude(claim: Evaluation) -> None:
    exclude(submission=claim.submission, user=user("olivia"), reason="겹침", at=NOON)


@pytest.mark.parametrize(
    ("act", "left"), [(_finish, "charge"), (_fail, "refund"), (_cancel, "refund"), (_exclude, "")]
)
def test_what_waits_for_a_merge_finds_the_file_where_it_went(
    teams: list[Team], act: Callable[[Evaluation], None], left: str
) -> None:
    one, two, _ = teams
    file = builders.hand_in(two)
    claim = next_claim(at=NOON)
    assert claim.submission.team == two  # as it is remembered
    answers: list[str] = []

    def later() -> None:
        answers.append(answer_of(lambda: act(claim)))
        connection.close()

    thread = threading.Thread(target=later)
    answer = asked(one, two)
    with transaction.atomic():
        answer()
        thread.start()
        time.sleep(0.7)  # it has come to the team's lock, and waits
    thread.join(60)
    assert answers == ["done"]
    file.refresh_from_db()
    assert file.team == one
    lines = set(QuotaEntry.objects.values_list("team", "origin"))
    assert lines == {(one.pk, two.pk)}
    if left:
        assert QuotaEntry.objects.filter(kind=left).count() == 1
    if act is _finish:
        told = Notification.objects.filter(kind="scored").values_list("user__username", flat=True)
        assert sorted(told) == ["alice", "bob"]
    all_is_well()
