"""Two own submissions side by side."""

import re
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.boards.models import BoardBands
from leaderboard.boards.text import number, signed
from leaderboard.evaluation.run import prepared_references
from leaderboard.insight.bands import make_next_bands
from leaderboard.references.queries import live_version
from leaderboard.submissions.models import Submission
from leaderboard.web.contest import submissions as compare
from scoring import comparison
from scoring.pipeline import score
from scoring.ranking import printed
from tests.leaderboard import builders
from tests.leaderboard.boards.test_shake_up import rows_right
from tests.leaderboard.builders import CLOSES, GOLDS, NOON, REVEALS
from tests.leaderboard.insight.test_bands import NEARLY, PERFECT, POOR, SPLIT, contest_of_three
from tests.leaderboard.material import texts_csv
from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.stage import CANARY, build, clients, stop_clock

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
    assert "견줄 제출이 둘 있어야 합니다" in browser("charlie").get(PAGE).text


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


def test_list_and_submission_lead_there(
    pair: tuple[Submission, Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = pair
    link = f'href="{asked(first, second).replace("&", "&amp;")}"'
    alice = browser("alice")
    assert link in alice.get("/c/talk/submissions").text
    text = alice.get(f"/c/talk/submissions/{second.pk}").text
    assert link in text
    assert "요약이 달라진 행 2개" in text
    assert "직전 제출과 비교" not in alice.get(f"/c/talk/submissions/{first.pk}").text
    hidden = "정답이 숨겨진 행의 점수는 결과 공개 전에 보여 드리지 않습니다."
    assert hidden in text
    stop_clock(monkeypatch, REVEALS)
    revealed = alice.get(f"/c/talk/submissions/{second.pk}").text
    assert "요약이 달라진 행 2개" in revealed
    assert hidden not in revealed


def test_before_the_reveal_it_says_whether_the_board_would_tell_them_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, (alices, *_) = contest_of_three()
    first = alices.submissions.get()
    near = builders.hand_in(alices, data=texts_csv(NEARLY), at=NOON + HOUR)
    far = builders.hand_in(alices, data=texts_csv(POOR), at=NOON + 2 * HOUR)
    builders.score_all(NOON + 2 * HOUR)
    stop_clock(monkeypatch, CLOSES)
    alice = browser("alice")
    assert "우연 범위" not in alice.get(asked(first, near)).text  # no bands yet
    make_next_bands(CLOSES)
    threshold = BoardBands.objects.get().threshold
    noise = f"우연 범위 {number(threshold or 0):.3f}"
    assert f"{noise} 안에 있어 우연일 수 있습니다" in alice.get(asked(first, near)).text
    assert f"{noise}보다 큽니다" in alice.get(asked(first, far)).text
    for other in (near, far):
        text = alice.get(asked(first, other)).text
        assert "행별 비교는 결과 공개 뒤에" in text
        assert "sign-flip" not in text
        assert "같은 실력이" not in text


def test_after_it_every_row_and_the_interval_of_scoring(monkeypatch: pytest.MonkeyPatch) -> None:
    contest, (alices, *_) = contest_of_three()
    first = alices.submissions.get()
    far = builders.hand_in(alices, data=texts_csv(POOR), at=NOON + HOUR)
    builders.score_all(NOON + HOUR)
    stop_clock(monkeypatch, REVEALS)
    text = browser("alice").get(asked(first, far)).text
    version = live_version(contest)
    assert version is not None
    prepared = prepared_references(version.reference_set_id, version.profile())
    found = comparison.compare(score(PERFECT, prepared), score(POOR, prepared), prepared)
    for one in found.numbers:
        if one.name == "total" and one.split != "all":
            assert one.difference.low is not None
            assert one.difference.high is not None
            low, high = (signed(printed(end)) for end in (one.difference.low, one.difference.high))
            assert f"{low} … {high}" in text
    assert text.count("앞 파일이 더 낫습니다.") == 2
    assert re.search(r"3\.0000 → 0\.\d{4}", text)
    assert "pair:sign-flip|B:10000|" in text


def test_too_few_rows_are_called_nothing(
    pair: tuple[Submission, Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, REVEALS)
    text = browser("alice").get(asked(*pair)).text
    assert text.count("행이 적어 판단할 수 없음") == 2


def test_too_few_rows_that_differ_have_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    _, (alices, *_) = contest_of_three()
    first = alices.submissions.get()
    rows = [row for row in PERFECT if SPLIT[row] == "private"][:2]
    near = builders.hand_in(
        alices, data=texts_csv(PERFECT | dict.fromkeys(rows, "눈이 온다.")), at=NOON + HOUR
    )
    builders.score_all(NOON + HOUR)
    stop_clock(monkeypatch, REVEALS)
    text = browser("alice").get(asked(first, near)).text
    assert text.count("다른 행이 적어 판단할 수 없음") == 2
    assert '<td class="num">2</td>' in text
    assert text.count('<td class="num nw">–</td>') == 2


def test_no_reference_is_told_even_after_the_reveal(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = build()
    earlier = stage.alices.submissions.filter(evaluations__state="done").exclude(pk=stage.best.pk)
    stop_clock(monkeypatch, REVEALS)
    text = clients()["alice"].get(asked(earlier.get(), stage.best)).text
    assert "행별 총점을 보여 드리며" in text
    assert CANARY not in text


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
