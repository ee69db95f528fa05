"""The dev lab by program: the numbers of the page, of the released set alone, and nothing kept."""

from dataclasses import replace

import pytest

from leaderboard.actions import checks
from leaderboard.api import calls
from leaderboard.boards.columns import decimals
from leaderboard.submissions.models import QuotaEntry, Submission
from scoring.pipeline import prepare, score
from scoring.profile import Profile
from scoring.ranking import printed
from scoring.references import read
from tests.leaderboard import builders
from tests.leaderboard.api.calling import contest_url, json_of, program
from tests.leaderboard.web.pages import csv_file, running
from tests.leaderboard.web.stage import DEV_GOLDS, DEV_TEXTS

pytestmark = pytest.mark.django_db
WHERE = contest_url("/score-dev")
DEV_FILE = builders.texts_csv(DEV_TEXTS)


@pytest.fixture(autouse=True)
def _contest() -> None:
    made = running()
    builders.dev_set(made, DEV_GOLDS)
    builders.team(made, "alice")


def test_the_numbers_are_the_scorers_and_nothing_is_kept() -> None:
    """Expected: the workshop's own answer to the same file."""
    golds = read([("dev.csv", builders.gold_csv(DEV_GOLDS, None))])
    report = score(DEV_TEXTS, prepare(golds, Profile()))
    expected = report.splits["all"]
    found = json_of(program("alice").post(WHERE, {"file": csv_file(DEV_FILE)}))
    assert found["total"] == float(decimals(printed(expected.total)))
    assert found["metrics"] == {
        name: float(decimals(printed(value))) for name, value in expected.metrics.items()
    }
    assert found["signature"] == expected.signature
    rows = {row["id"]: list(row["metrics"].values()) for row in found["rows"]}
    assert rows == dict(zip(report.example_ids, report.examples.tolist(), strict=True))
    assert found["runs_left"] == checks.LAB_RUNS.most - 1
    assert not Submission.objects.exists()
    assert not QuotaEntry.objects.exists()


def test_a_body_is_a_file_too_and_organizers_have_no_limit() -> None:
    olivia = program("olivia", "organize")
    found = json_of(olivia.post(WHERE, DEV_FILE, content_type="text/csv"))
    assert found["runs_left"] is None
    assert len(found["rows"]) == len(DEV_TEXTS)


def test_without_a_team_the_calls_of_the_token_count(monkeypatch: pytest.MonkeyPatch) -> None:
    few = replace(calls.CALLS, most=1)
    monkeypatch.setattr("leaderboard.api.calls.CALLS", few)
    olivia = program("olivia", "organize")
    json_of(olivia.post(WHERE, {"file": csv_file(DEV_FILE)}))
    again = olivia.post(WHERE, {"file": csv_file(DEV_FILE)})
    assert json_of(again, 429)["code"] == "too_many_calls"
