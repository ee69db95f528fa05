"""One version's failure is kept as its own: the next one is taken, and people are told."""

from datetime import timedelta
from typing import NoReturn

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.actions.references import check_next_references
from leaderboard.evaluation import run
from leaderboard.evaluation.claim import head, versions_with_work
from leaderboard.evaluation.models import Evaluation, KeptFailure
from leaderboard.operations.metrics import measures
from leaderboard.references.models import ScoringVersion
from tests.leaderboard.builders import (
    competition,
    hand_in,
    live,
    open_competition,
    score_all,
    team,
    uploaded,
    user,
)
from tests.leaderboard.material import GOLDS, NOON, gold_csv

# What Komoran raises for a blank line, where a version gives it whole texts as before.
CODE = "java.lang.NullPointerException"
POISONED = {**GOLDS, "talk_1": ("첫 문장.\n \n둘째 문장.", GOLDS["talk_1"][1])}

pytestmark = [pytest.mark.django_db, pytest.mark.java]


def as_before(version: ScoringVersion) -> ScoringVersion:
    """Signed as it was when texts were given whole, and older than what a test makes."""
    version.signature = version.signature.replace("+lines", "")
    version.created_at -= timedelta(hours=1)
    version.save(update_fields=["signature", "created_at"])
    return version


@pytest.fixture
def poisoned() -> ScoringVersion:
    """Live, the oldest there is."""
    return as_before(live(competition("bad"), gold_csv(POISONED), tokenizer="komoran"))


def test_another_draft_is_checked(poisoned: ScoringVersion) -> None:
    good = uploaded(competition("good"))
    ScoringVersion.objects.update(self_check=None)
    assert [check_next_references() for _ in range(3)] == [True, True, False]
    good.refresh_from_db()
    assert good.self_check is not None
    assert KeptFailure.objects.get().scoring_version == poisoned


def test_its_files_wait_without_spending_an_attempt_and_others_are_scored(
    poisoned: ScoringVersion,
) -> None:
    alices = team(poisoned.competition, "alice")
    hand_in(alices, key="1")
    hand_in(alices, key="2")
    other = hand_in(team(open_competition("good"), "charlie"))
    score_all()
    of_it = Evaluation.objects.filter(scoring_version=poisoned)
    assert list(of_it.values_list("state", "attempt")) == [("queued", 0)] * 2
    assert other.evaluations.get().state == Evaluation.State.DONE
    assert head(versions_with_work()) is None


def test_files_are_scored_once_what_was_short_is_there_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Too little memory while the references are prepared is no verdict on them."""
    contest = open_competition()
    submission = hand_in(team(contest, "alice"))
    run._cache.clear()
    with monkeypatch.context() as short:
        short.setattr(run, "prepare", short_of_memory)
        score_all()
    assert KeptFailure.objects.get().code == "MemoryError"
    KeptFailure.objects.update(again_at=timezone.now() - timedelta(seconds=1))
    score_all()
    assert submission.evaluations.get().state == Evaluation.State.DONE


def short_of_memory(*_: object) -> NoReturn:
    raise MemoryError


def test_it_is_said_on_the_desk_in_readyz_and_in_metrics(
    poisoned: ScoringVersion, client: Client
) -> None:
    other = open_competition()
    ScoringVersion.objects.update(self_check=None)
    while check_next_references():
        pass
    found = client.get("/readyz?verbose").json()
    assert found["version_failures"] == {f"golds:{CODE}": 1}
    assert "version_failures" in found["remarks"]
    told = {name: rows for name, _, rows, _ in measures(NOON)}
    assert told["version_failures"] == {f"golds:{CODE}": 1}
    client.force_login(user("olivia"))
    assert client.get("/c/bad/desk/golds").context["lines"][0]["broken"]
    found = client.get(f"/c/bad/desk/golds/{poisoned.pk}/changes").context["failures"]
    assert [(kept.work, why) for kept, why in found] == [("golds", CODE)]
    step = client.get("/c/bad/desk/").context["next"]
    assert (step.page, step.required) == ("desk_golds", True)
    steps = client.get(f"/c/{other.slug}/desk/").context["steps"]
    assert "desk_golds" not in [step.page for step in steps]
