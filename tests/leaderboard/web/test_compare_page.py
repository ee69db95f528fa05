"""Two own submissions side by side."""

import re
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.submissions.models import Submission
from leaderboard.web.contest import submissions as compare
from tests.leaderboard import builders
from tests.leaderboard.boards.test_shake_up import rows_right
from tests.leaderboard.builders import GOLDS, NOON, REVEALS
from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db
PAGE = "/c/talk/submissions/compare"
HOUR = timedelta(hours=1)


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> tuple[Submission, Submission]:
    """Alice's two files: the second is right on one public row more and one private row less."""
    contest = builders.open_competition()
    alices = builders.team(contest, "alice", "bob")
    first = builders.hand_in(alices, rows_right("1", "2"), at=NOON)
    second = builders.hand_in(alices, rows_right("1", "4"), at=NOON + HOUR)
    builders.hand_in(builders.team(contest, "charlie"), rows_right("5"), at=NOON)
    builders.score_all(NOON + HOUR)
    stop_clock(monkeypatch, NOON + 2 * HOUR)
    return first, second


def asked(one: Submission, other: Submission) -> str:
    return f"{PAGE}?a={one.pk}&b={other.pk}"


def test_it_shows_the_texts_that_differ_and_the_public_totals(
    pair: tuple[Submission, Submission],
) -> None:
    text = browser("bob").get(asked(*pair)).text
    assert "4행 가운데 2행이 다릅니다" in text
    assert re.findall(r'class="id">(talk_\d)<', text) == ["talk_2", "talk_4"]
    assert f"<del>{GOLDS['talk_2'][0]}</del>" in text
    assert f"<ins>{GOLDS['talk_4'][0]}</ins>" in text
    # One of two public rows right, then both; the metrics are equal and add up to the total.
    assert "1.5000" in text
    assert "3.0000" in text
    assert "+1.5000" in text
    assert "Private" not in text[text.index("<main") :]


def test_private_totals_come_with_the_reveal(
    pair: tuple[Submission, Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, REVEALS)
    text = browser("alice").get(asked(*pair)).text
    assert "−1.5000" in text  # one of two private rows right, then none


def test_what_is_not_the_teams_own_is_a_404(pair: tuple[Submission, Submission]) -> None:
    first, second = pair
    charlies = Submission.objects.get(team__captain__username="charlie")
    alice = browser("alice")
    for a, b in (
        (first.pk, charlies.pk),
        (charlies.pk, first.pk),
        (first.pk, UUID(int=7)),
        (first.pk, "x"),
        ("'", second.pk),
    ):
        assert alice.get(PAGE, {"a": a, "b": b}).status_code == 404
    assert browser("charlie").get(asked(*pair)).status_code == 404
    assert browser().get(asked(*pair)).status_code == 302


def test_without_two_the_page_asks_which(pair: tuple[Submission, Submission]) -> None:
    first, _ = pair
    alice = browser("alice")
    for query in ("", f"?a={first.pk}", f"?a={first.pk}&b="):
        text = alice.get(PAGE + query).text
        assert text.count("<option") == 6
        assert "<table" not in text
    assert "같은 제출입니다" in alice.get(asked(first, first)).text
    assert "비교하려면 제출이 둘 있어야 합니다" in browser("charlie").get(PAGE).text


def test_texts_are_text_and_never_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    contest = builders.open_competition()
    alices = builders.team(contest, "alice")
    first = builders.hand_in(alices, {"talk_1": "<script>alert(1)</script> 가"}, at=NOON)
    second = builders.hand_in(alices, {"talk_1": "</del><b>나</b>"}, at=NOON + HOUR)
    stop_clock(monkeypatch, NOON + 2 * HOUR)
    text = browser("alice").get(asked(first, second)).text
    assert "<script>alert" not in text
    assert "<b>나" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "아직 채점되지 않은 제출입니다" in text


def test_many_rows_come_in_pages(
    pair: tuple[Submission, Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "PAGE", 1)
    alice = browser("alice")
    first = alice.get(asked(*pair)).text
    assert re.findall(r'class="id">(talk_\d)<', first) == ["talk_2"]
    assert f"{asked(*pair)[len(PAGE) :].replace('&', '&amp;')}&amp;page=2" in first
    for page in ("2", "9"):
        second = alice.get(f"{asked(*pair)}&page={page}").text
        assert re.findall(r'class="id">(talk_\d)<', second) == ["talk_4"]


def test_a_submission_leads_there(pair: tuple[Submission, Submission]) -> None:
    first, second = pair
    link = f'href="{asked(first, second).replace("&", "&amp;")}"'
    alice = browser("alice")
    assert link in alice.get(f"/c/talk/submissions/{second.pk}").text
    assert "submissions/compare" not in alice.get(f"/c/talk/submissions/{first.pk}").text


@pytest.mark.parametrize(("at", "most"), [(NOON + 2 * HOUR, 13), (REVEALS, 16)])
def test_it_costs_few_queries(
    pair: tuple[Submission, Submission], at: datetime, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, at)
    alice = browser("alice")
    alice.get(asked(*pair))
    with CaptureQueriesContext(connection) as queries:
        alice.get(asked(*pair))
    assert len(queries) <= most, [query["sql"] for query in queries]
    assert not any("judging_" in query["sql"] for query in queries)
