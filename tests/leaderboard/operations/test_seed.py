"""The demo is made by the real actions and scorer, once, also after it was killed half way."""

import json
import stat
from datetime import UTC, datetime

import pytest
from django.core.management import call_command

from leaderboard.accounts.models import User
from leaderboard.boards.models import Standing
from leaderboard.boards.scores import best_submission
from leaderboard.boards.shake_up import counted, shake_up
from leaderboard.boards.visit import visit
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import phase
from leaderboard.evaluation.models import Evaluation
from leaderboard.operations import seed as seed_module
from leaderboard.operations.accounts import accounts_file
from leaderboard.operations.seed import seed
from leaderboard.submissions.models import Submission
from leaderboard.teams.queries import team_of

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def no_accounts_yet() -> None:
    accounts_file().unlink(missing_ok=True)


def test_it_makes_a_running_and_a_finished_contest_with_scores() -> None:
    assert seed(at=NOW) == 64
    phases = {row.slug: phase(row, NOW) for row in Competition.objects.all()}
    assert phases == {"daily-dialogue": "open", "short-calls": "revealed"}
    assert set(Evaluation.objects.values_list("state", flat=True)) == {"done"}
    totals = Standing.objects.filter(
        board="public", scoring_version__competition__slug="daily-dialogue"
    ).values_list("printed", flat=True)
    assert len(set(totals)) == len(totals) == 6
    call_command("rebuild_standings", "--check")
    assert seed(at=NOW) == 0


def test_the_finished_contest_shows_a_shake_up() -> None:
    """Two teams tuned to the public rows and fall; Alice's final beats her best public file."""
    seed(at=NOW)
    contest = Competition.objects.get(slug="short-calls")
    seen = visit(contest, User.objects.get(username="alice"), NOW)
    found = shake_up(seen)
    assert found is not None
    moves = {move.team_name: (move.public_rank, move.rank) for move in found.rows}
    assert moves["세 문장 클럽"] == (1, 7)
    assert moves["끊기 전에 한 줄"] == (2, 8)
    assert found.own is not None
    assert (found.own.public_rank, found.own.rank) == (3, 1)
    why = counted(seen)
    assert why is not None
    assert why.finals == 2
    assert why.submission.pk != best_submission(seen)
    seed(at=NOW)
    assert counted(seen) == why


def test_accounts_are_private_and_let_people_in() -> None:
    seed(at=NOW)
    assert stat.S_IMODE(accounts_file().stat().st_mode) == 0o600
    written = json.loads(accounts_file().read_text())
    by_name = {row["username"]: row for row in written["accounts"]}
    assert [row["role"] for row in by_name.values()] == ["organizer", *["participant"] * 3]
    for name, row in by_name.items():
        assert User.objects.get(username=name).check_password(row["password"])
    contest = Competition.objects.get(slug="daily-dialogue")
    assert team_of(User.objects.get(username="bob"), contest) == team_of(
        User.objects.get(username="alice"), contest
    )
    assert team_of(User.objects.get(username="charlie"), contest) is None
    assert not User.objects.get(username="dabin").has_usable_password()


def test_it_goes_on_where_it_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = seed_module.submit

    def until_the_tenth(**fields: object) -> Submission:
        if Submission.objects.count() == 10:
            raise KeyboardInterrupt
        return real(**fields)  # type: ignore[arg-type]

    monkeypatch.setattr(seed_module, "submit", until_the_tenth)
    with pytest.raises(KeyboardInterrupt):
        seed(at=NOW)
    monkeypatch.undo()
    assert seed(at=NOW) == 54
    assert Submission.objects.count() == Evaluation.objects.filter(state="done").count() == 64
