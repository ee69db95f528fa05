"""Two own submissions side by side: what their difference is worth."""

import re

import pytest

from leaderboard.boards.columns import number, signed
from leaderboard.evaluation.run import prepared_references
from leaderboard.insight.models import BoardBands
from leaderboard.insight.rank_range import make_next_bands
from leaderboard.references.queries import live_version
from scoring.insight import comparison
from scoring.pipeline import score
from scoring.ranking import printed
from tests.leaderboard import builders
from tests.leaderboard.builders import CLOSES, NOON, REVEALS
from tests.leaderboard.insight.test_bands import NEARLY, PERFECT, POOR, SPLIT, contest_of_three
from tests.leaderboard.material import texts_csv
from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.stage import stop_clock
from tests.leaderboard.web.test_compare_page import HOUR, asked

pytestmark = pytest.mark.django_db


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
        assert "실력이 같아도" not in text


def test_after_it_every_row_and_the_interval_of_scoring(monkeypatch: pytest.MonkeyPatch) -> None:
    contest, (alices, *_) = contest_of_three()
    first = alices.submissions.get()
    far = builders.hand_in(alices, data=texts_csv(POOR), at=NOON + HOUR)
    builders.score_all(NOON + HOUR)
    stop_clock(monkeypatch, REVEALS)
    text = browser("alice").get(asked(first, far)).text
    version = live_version(contest)
    prepared = prepared_references(version.reference_set_id, version.profile())
    found = comparison.compare(score(PERFECT, prepared), score(POOR, prepared), prepared)
    for one in found.numbers:
        if one.name == "total" and one.split != "all":
            low, high = (signed(printed(end)) for end in (one.difference.low, one.difference.high))
            assert f"{low} … {high}" in text
    assert text.count("앞 파일이 더 낫습니다.") == 2
    assert re.search(r"3\.0000 → 0\.\d{4}", text)
    assert "pair:sign-flip|B:10000|" in text


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
