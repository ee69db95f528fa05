"""Teams are listed as people count them, wherever they are listed by name."""

import random
import re
from datetime import timedelta

import pytest

from leaderboard.boards import queries
from leaderboard.boards.listing import BOARD_ORDER, BY_TEAM, standings_of
from leaderboard.boards.models import Standing
from leaderboard.boards.queries import page
from leaderboard.boards.standings import places, rename, stored
from leaderboard.competitions.models import Competition
from leaderboard.references.queries import live_version
from leaderboard.teams.models import Team, sort_key
from leaderboard.teams.queries import participants
from leaderboard.web.desk import teams as desk
from tests.leaderboard.builders import hand_in, open_competition, score_all, user, viewer_of
from tests.leaderboard.builders import team as team_of
from tests.leaderboard.material import GOLDS, NOON, OPENS
from tests.leaderboard.web.pages import browser

MINUTE = timedelta(minutes=1)
pytestmark = pytest.mark.django_db
COUNTED = ["1모둠", "2모둠", "10모둠", "Team 2", "team 10", "가람 3", "가람 20"]


@pytest.fixture
def contest() -> Competition:
    made = open_competition(freezes_at=NOON)
    shuffled = random.Random(13).sample(COUNTED, len(COUNTED))
    for number, name in enumerate(shuffled):
        hand_in(team_of(made, f"p{number}", called=name), at=OPENS)
    score_all()
    return made


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [
        ("2모둠", "10모둠"),
        ("모둠 9", "모둠 10"),
        ("3-9조", "3-10조"),
        ("a" + "9" * 20, "a1" + "0" * 20),
        ("팀 009", "팀 10"),
        ("Team 2", "team 10"),
    ],
)
def test_numbers_in_names_are_counted(smaller: str, larger: str) -> None:
    assert sort_key(smaller) < sort_key(larger)


def test_the_longest_name_has_a_key_that_fits() -> None:
    longest = Team._meta.get_field("sort_key").max_length
    for name in ("1a" * 20, "ΐ" * 40, "9" * 40):  # casefold makes three letters of ΐ
        assert len(sort_key(name)) <= longest


def test_the_desk_lists_two_before_ten_across_pages(
    contest: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "PAGE", 2)
    olivia = browser("olivia")
    pages = [olivia.get(f"/c/talk/desk/teams?page={number}").text for number in (1, 2, 3, 4)]
    found = [re.findall(r'desk/teams/[0-9a-f-]+">([^<]+)</a>', text) for text in pages]
    assert [name for names in found for name in names] == COUNTED
    assert [team.name for team in participants(contest)] == COUNTED


def test_a_board_by_name_lists_two_before_ten_with_the_own_row_among_them(
    contest: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frozen, so that the own row is put in between rows that come from the database."""
    texts = {name: golds[0] for name, golds in GOLDS.items()}
    for team in Team.objects.filter(competition=contest, name__in=("10모둠", "team 10")):
        hand_in(team, texts, at=NOON)
    score_all()
    monkeypatch.setattr(queries, "PAGE", 3)
    for name in ("10모둠", "team 10", "가람 3"):
        person = user(Team.objects.get(name=name).captain.username)
        found = []
        for number in (1, 2, 3):
            shown = page(viewer_of(contest, person, NOON), "public", sort="team", page=number)
            found += [row.team_name for row in shown.rows]
        assert found == COUNTED


def test_a_renamed_team_finds_its_new_place(contest: Competition) -> None:
    rename(team=Team.objects.get(name="10모둠"), name="3모둠")
    assert [team.name for team in participants(contest)][:3] == ["1모둠", "2모둠", "3모둠"]
    shown = page(viewer_of(contest, user("olivia"), NOON - MINUTE), "public", sort="team")
    assert [row.team_name for row in shown.rows][:3] == ["1모둠", "2모둠", "3모둠"]
    version, teams = live_version(contest), Team.objects.all()
    assert version is not None
    assert stored(teams=teams, version=version) == places(teams=teams, version=version)


def test_a_page_by_name_is_read_from_an_index(contest: Competition) -> None:
    """The teams of all lines are not looked up for their names, nor all lines sorted."""
    version = live_version(contest)
    assert version is not None
    lines = BY_TEAM.of(standings_of(version, "public", None)).values("team")
    (index,) = (one for one in Standing._meta.indexes if one.name == "standing_by_name")
    assert ["scoring_version", "board", "sort_key", *BOARD_ORDER[:2], "team"] == index.fields
    assert "teams_team" not in str(lines.query)
