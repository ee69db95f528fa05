"""What the dev lab says of a file beside its total."""

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from leaderboard.actions import checks
from leaderboard.boards.columns import signed
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from scoring.insight.comparison import compare
from scoring.insight.precision_recall import sides_profile
from scoring.pipeline import prepare, score
from scoring.profile import Profile
from scoring.ranking import printed
from scoring.references import read
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, csv_file, running
from tests.leaderboard.web.stage import DEV_GOLDS, DEV_TEXTS
from tests.leaderboard.web.test_lab import DEV_FILE, LAB, expected, post

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest() -> Competition:
    made = running()
    builders.dev_set(made, DEV_GOLDS)
    builders.team(made, "alice")
    return made


def test_precision_and_recall_are_those_of_the_scorer(contest: Competition) -> None:
    page = post(browser("alice"))
    golds = read([("dev.csv", builders.gold_csv(DEV_GOLDS, None))])
    both = score(DEV_TEXTS, prepare(golds, sides_profile(Profile()))).splits["all"].metrics
    assert "정밀도와 재현율" in page.text
    assert all(f"{value:.4f}" in page.text for value in both.values())


def beside(client: Client, second: dict[str, str], **fields: str) -> Any:
    files = {"file": csv_file(DEV_FILE), "second": csv_file(builders.texts_csv(second))}
    return client.post(LAB, {**files, "verb": "file", **fields})


def test_a_second_file_is_compared_row_by_row_on_the_dev_rows(contest: Competition) -> None:
    better = {**DEV_TEXTS, "dev_2": DEV_GOLDS["dev_2"][0]}
    page = beside(browser("alice"), better)
    assert page.status_code == 200
    golds = read([("dev.csv", builders.gold_csv(DEV_GOLDS, None))])
    prepared = prepare(golds, Profile())
    one, other = (score(texts, prepared) for texts in (DEV_TEXTS, better))
    found = compare(one, other, prepared)
    right = next(
        number for number in found.numbers if (number.split, number.name) == ("all", "total")
    )
    main = page.text[page.text.index("<main") :]
    assert signed(printed(right.second) - printed(right.first)) in main
    assert (right.difference.low, right.difference.high) == (None, None)
    assert '<td class="num nw">–</td>' in main, "of two rows no value can be rejected"
    assert found.signature in main.replace("<wbr>", "")
    assert "행이 적어 판단할 수 없음" in main, "two rows tell nothing apart"
    assert not Submission.objects.exists()


def test_a_second_file_counts_as_a_run_and_says_which_one_is_wrong(
    contest: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.actions.checks.LAB_RUNS", replace(checks.LAB_RUNS, most=3))
    alice = browser("alice")
    assert "1번 남음" in beside(alice, DEV_TEXTS).text
    wrong = beside(alice, {"talk_1": "x"})
    assert wrong.status_code == 429, "its two runs are not there"
    assert "dev 채점 3번을 다 썼습니다" in wrong.text
    total = expected().splits["all"].total
    assert f'<p class="score">{total:.4f}</p>' in wrong.text, "the first file's run was used"
    olivia = beside(browser("olivia"), {"talk_1": "x"})
    assert olivia.status_code == 422
    assert "알 수 없는 id talk_1" in olivia.text
    assert "predictions.csv: " in olivia.text
