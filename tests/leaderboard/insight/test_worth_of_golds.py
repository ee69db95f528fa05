"""What the desk says of golds by which a file that reads nothing earns much."""

import pytest

from leaderboard.competitions.models import Competition
from leaderboard.insight.trivial_baselines import make_next_lines
from leaderboard.references.models import ScoringVersion
from tests.leaderboard import builders
from tests.leaderboard.builders import GOLDS, gold_csv
from tests.leaderboard.web.pages import browser

pytestmark = pytest.mark.django_db
WHAT = ("점심을 먹는다", "시험을 본다", "공원을 걷는다", "책을 산다", "차를 고친다", "병원에 간다")
TAGGED = {
    f"row_{n}": (f"#Person1# 은 #Person2# 와 {what}", f"#Person1# 와 #Person2# 이 {what}")
    for n, what in enumerate(WHAT)
}
SPLIT = {name: ("public", "private")[n % 2] for n, name in enumerate(TAGGED)}


def address() -> str:
    """Of the one version's page."""
    return f"/c/talk/desk/golds/{ScoringVersion.objects.get().pk}/changes"


def contest(golds: dict[str, tuple[str, ...]]) -> Competition:
    made = builders.competition()
    builders.live(made, gold_csv(golds, SPLIT))
    return made


def test_tags_that_earn_are_named_with_what_to_do() -> None:
    contest(TAGGED)
    assert "점수 읽는 법" not in browser("olivia").get(address()).text  # a worker has not looked
    make_next_lines()
    text = browser("olivia").get(address()).text
    assert text.count("점수 읽는 법") == 2
    assert "한 문장만 되풀이해도" in text
    assert "화자 태그" in text
    kept = ScoringVersion.objects.get().self_check
    assert f"{kept['lines']['splits']['public']['human']:.4f}" in text


def test_one_gold_a_row_says_why_there_is_no_human_line() -> None:
    contest({name: golds[:1] for name, golds in TAGGED.items()})
    make_next_lines()
    assert "정답이 하나뿐이어서" in browser("olivia").get(address()).text


@pytest.mark.parametrize("split", ["public", "private"])
def test_a_half_of_one_row_has_its_page(split: str) -> None:
    """No other row is left to take one sentence from, which the page compares people with."""
    other = {"public": "private", "private": "public"}[split]
    splits = {**dict.fromkeys(GOLDS, other), "talk_1": split}
    contest = builders.competition()
    builders.live(contest, gold_csv(GOLDS, splits))
    make_next_lines()
    assert browser("olivia").get(address()).status_code == 200
