"""Any two files of a contest compared at the desk, whatever their teams, before the reveal too."""

from datetime import timedelta
from uuid import UUID

import pytest

from leaderboard.boards.columns import signed
from leaderboard.references.queries import live_version
from leaderboard.submissions.models import Submission
from scoring.insight.comparison import compare
from scoring.pipeline import prepare, score
from scoring.ranking import printed
from scoring.references import read
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.insight.test_bands import (
    GOLD,
    NEARLY,
    PERFECT,
    POOR,
    SPLIT,
    contest_of_three,
)
from tests.leaderboard.material import gold_csv, texts_csv
from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db
SOON = NOON + timedelta(hours=1)


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, Submission]:
    """One file of each of three teams, by the name of the team, while the contest runs."""
    contest_of_three()
    stop_clock(monkeypatch, SOON)
    return {one.team.name: one for one in Submission.objects.select_related("team__competition")}


def address(one: object, other: object, slug: str) -> str:
    return f"/c/{slug}/desk/compare?a={one}&b={other}"


def test_files_of_two_teams_are_compared_on_each_half(files: dict[str, Submission]) -> None:
    bobs, charlies = files["bob"], files["charlie"]
    slug = bobs.team.competition.slug
    page = browser("olivia").get(address(bobs.pk, charlies.pk, slug)).text
    version = live_version(bobs.team.competition)
    prepared = prepare(read([("gold.csv", gold_csv(GOLD, SPLIT))]), version.profile())
    found = compare(score(NEARLY, prepared), score(POOR, prepared), prepared)
    totals = {one.split: one for one in found.numbers if one.name == "total"}
    for split in ("public", "private"):
        right = totals[split]
        assert signed(printed(right.second) - printed(right.first)) in page, split
        ends = signed(printed(right.difference.low)), signed(printed(right.difference.high))
        assert " … ".join(ends) in page, split
    assert "bob" in page
    assert "charlie" in page
    assert page.count("앞 파일이 더 낫습니다.") == 2
    assert page.count("pair:sign-flip|") == 2, "the boards differ in their number of rows"
    back = browser("olivia").get(address(charlies.pk, bobs.pk, slug)).text
    assert back.count("뒤 파일이 더 낫습니다.") == 2


def test_the_page_offers_the_files_of_the_board_and_asks_which(
    files: dict[str, Submission],
) -> None:
    slug = files["bob"].team.competition.slug
    olivia = browser("olivia")
    page = olivia.get(f"/c/{slug}/desk/compare").text
    assert all(f'<option value="{one.pk}">' in page for one in files.values())
    same = olivia.get(address(files["bob"].pk, files["bob"].pk, slug)).text
    assert "같은 제출입니다" in same
    for wrong in ("x", "'", UUID(int=7)):
        assert olivia.get(address(files["bob"].pk, wrong, slug)).status_code == 404


def test_a_file_that_stands_on_the_private_board_alone_is_offered_too() -> None:
    contest, teams = contest_of_three(finals_rule="best")
    # Better on the public rows, poor on the others: each of Charlie's files stands on one board.
    public = {name: PERFECT[name] if SPLIT[name] == "public" else POOR[name] for name in GOLD}
    hidden = {name: POOR[name] if SPLIT[name] == "public" else PERFECT[name] for name in GOLD}
    both = [
        builders.hand_in(teams[2], data=texts_csv(texts), at=SOON) for texts in (public, hidden)
    ]
    builders.score_all(SOON)
    page = browser("olivia").get(f"/c/{contest.slug}/desk/compare").text
    for one in both:
        assert page.count(f'<option value="{one.pk}">') == 2


def test_a_file_of_another_contest_is_not_found(files: dict[str, Submission]) -> None:
    slug = files["bob"].team.competition.slug
    other = builders.competition("other")
    builders.live(other, gold_csv(GOLD, SPLIT))
    foreign = builders.hand_in(builders.team(other, "dana"), data=texts_csv(PERFECT))
    where = address(files["bob"].pk, foreign.pk, slug)
    assert browser("olivia").get(where).status_code == 404
