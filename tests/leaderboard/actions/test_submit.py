"""Handing in: accepted whole or not at all, charged once, never after the close."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import OperationalError, connection

from leaderboard.actions import submissions as submit_module
from leaderboard.actions.submissions import submit
from leaderboard.evaluation.models import Evaluation
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import QuotaEntry, Submission, submission_storage
from leaderboard.submissions.queries import Upload, texts
from scoring.findings import InvalidSubmission
from tests.leaderboard.builders import hand_in, open_competition, team, user
from tests.leaderboard.material import NOON, prediction_csv

pytestmark = pytest.mark.django_db
TICK = timedelta(microseconds=1)


def stored_files() -> list[str]:
    try:
        return submission_storage().listdir("")[1]
    except FileNotFoundError:
        return []


def test_it_works() -> None:
    alices = team(open_competition(), "alice")
    data = prediction_csv()
    done = submit(
        team=alices,
        user=user("alice"),
        upload=Upload("내 예측.csv", data),
        key="k",
        note="첫 시도",
        at=NOON,
    )
    assert done.file.open("rb").read() == data
    assert done.file_name == "내 예측.csv"
    assert texts(done.pk)["talk_1"].startswith("민수는")
    assert Evaluation.objects.get().state == "queued"
    assert allowance(alices, alices.competition, NOON).left_today == 11


def test_invalid_file_costs_nothing_and_says_where() -> None:
    alices = team(open_competition(), "alice")
    before = stored_files()
    with pytest.raises(InvalidSubmission) as caught:
        hand_in(alices, {"talk_1": "", "talk_9": "없는 대화"})
    assert {problem.line for problem in caught.value.problems} == {2, 6}
    assert not QuotaEntry.objects.exists()
    assert stored_files() == before


def test_a_crash_before_the_commit_leaves_neither_row_nor_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alices = team(open_competition(), "alice")
    before = stored_files()

    def fall_over(**_: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr(submit_module, "ask", fall_over)
    with pytest.raises(RuntimeError, match="planted"):
        hand_in(alices)
    assert not Submission.objects.exists()
    assert stored_files() == before


def test_the_file_is_private_and_whole(settings: LazySettings) -> None:
    done = hand_in(team(open_competition(), "alice"))
    path = Path(done.file.path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.is_relative_to(settings.DATA_DIR)
    assert not list(path.parent.glob(".*.part"))


@pytest.mark.django_db(transaction=True)
def test_a_file_whose_commit_came_through_without_an_answer_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alice = team(open_competition(), "alice")
    commit = connection.commit

    def lost() -> None:
        commit()
        raise OperationalError("the connection was lost with the commit's answer")

    monkeypatch.setattr(connection, "commit", lost)
    with pytest.raises(OperationalError):
        hand_in(alice)
    monkeypatch.undo()
    (row,) = Submission.objects.all()
    with row.file.open("rb") as found:
        assert found.read()
