"""A worker whose folder of files is not mounted: it costs nobody an attempt."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from leaderboard.actions import scoring
from leaderboard.actions.scoring import evaluate_next
from leaderboard.evaluation.models import Evaluation
from leaderboard.operations.health import _found
from leaderboard.refusals import Refused
from leaderboard.submissions.models import submission_storage
from tests.leaderboard.builders import hand_in, open_competition, team
from tests.leaderboard.material import NOON

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(seconds=2)


@pytest.fixture(autouse=True)
def mounted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of this test's own."""
    monkeypatch.setattr(submission_storage(), "location", str(tmp_path / "files"))
    return tmp_path / "files"


def waiting() -> list[tuple[str, int]]:
    return list(Evaluation.objects.values_list("state", "attempt"))


def test_it_leaves_the_queue_to_a_worker_that_has_the_folder(
    mounted: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given = hand_in(team(open_competition(), "alice"))
    with pytest.MonkeyPatch.context() as elsewhere:
        elsewhere.setattr(submission_storage(), "location", str(tmp_path / "unmounted"))
        assert [evaluate_next(now=lambda: LATER) for _ in range(4)] == [None] * 4
    assert waiting() == [("queued", 0)]
    assert "store_not_mounted" in caplog.text
    assert evaluate_next(now=lambda: LATER) == given.evaluations.get().pk
    assert waiting() == [("done", 1)]


def test_who_has_not_the_folder_takes_no_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    alices = team(open_competition(), "alice")
    hand_in(alices)
    (tmp_path / "unmounted").mkdir()
    monkeypatch.setattr(submission_storage(), "location", str(tmp_path / "unmounted"))
    with pytest.raises(Refused) as refused:
        hand_in(alices)
    assert refused.value.code == "store_away"
    assert not list((tmp_path / "unmounted").iterdir())
    assert "store not mounted" in _found(timezone.now())["problems"]


def test_what_goes_away_meanwhile_costs_no_attempt(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hand_in(team(open_competition(), "alice"))

    def unmounted(claim: Evaluation) -> None:
        monkeypatch.setattr(submission_storage(), "location", str(tmp_path / "unmounted"))
        raise FileNotFoundError

    monkeypatch.setattr(scoring, "run", unmounted)
    assert evaluate_next(now=lambda: LATER) is not None
    assert waiting() == [("queued", 0)]


def test_a_single_file_that_is_lost_is_a_failure(mounted: Path) -> None:
    given = hand_in(team(open_competition(), "alice"))
    (mounted / "anothers.csv").touch()
    (mounted / given.file.name).unlink()
    assert evaluate_next(now=lambda: LATER) is not None
    assert waiting() == [("queued", 1)]
