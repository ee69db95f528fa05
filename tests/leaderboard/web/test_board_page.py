"""The leaderboard page."""

import re

import pytest
from django.utils import timezone

from leaderboard.competitions.models import Competition
from tests.leaderboard import builders
from tests.leaderboard.kept_rows import built_once
from tests.leaderboard.web.pages import HTMX, browser, hand_in, running

pytestmark = pytest.mark.django_db


@built_once
def ranked(**fields: object) -> Competition:
    """Alice and Bob above Charlie."""
    contest = running(**fields)
    ours = builders.team(contest, "alice", "bob", called="두괄식")
    theirs = builders.team(contest, "charlie", called="미괄식")
    hand_in(ours)
    hand_in(theirs, {"talk_1": "전혀 다른 말", "talk_4": "또 다른 말"})
    builders.score_all(timezone.now())
    return contest


def test_a_visitor_reads_the_public_board() -> None:
    ranked()
    text = browser().get("/c/talk/leaderboard").text
    assert text.index("두괄식") < text.index("미괄식")
    assert "3.0000" in text
    assert 'id="me"' not in text
    behind = "/c/talk/reliability?board=public"
    assert behind in text
    assert re.search(r"rouge:r1\+r2\+rL", browser().get(behind).text)  # that made the numbers


def test_a_name_says_which_language_it_is_in_where_the_page_is_in_another() -> None:
    ranked()
    assert '<span class="name" lang="ko"' in browser(language="en").get("/c/talk/leaderboard").text
    assert '<span class="name" lang=' not in browser().get("/c/talk/leaderboard").text


def test_the_own_row_is_pinned_only_where_the_page_does_not_hold_it() -> None:
    ranked()
    client = browser("charlie")
    text = client.get("/c/talk/leaderboard").text
    assert text.count("미괄식") == 1
    assert text.count('id="me"') == 1
    assert 'class="pinned"' not in text
    elsewhere = client.get("/c/talk/leaderboard?q=두괄").text
    assert 'class="pinned"' in elsewhere
    assert elsewhere.count("미괄식") == 1
    assert 'id="me"' not in elsewhere


def test_who_has_no_row_is_told_what_to_do() -> None:
    contest = ranked()
    builders.team(contest, "dana")
    submit, join = (f'"/c/talk/{page}"' for page in ("submit", "join"))
    asked = {
        name: browser(name).get("/c/talk/leaderboard", headers=HTMX).text.split("<table")[0]
        for name in ("", "erin", "dana", "alice", "olivia")
    }
    shown = {name: [way in text for way in (submit, join)] for name, text in asked.items()}
    assert shown == {
        "": [False, True],
        "erin": [False, True],
        "dana": [True, False],
        "alice": [False, False],
        "olivia": [False, False],
    }


def test_htmx_gets_the_table_alone_and_keeps_asking() -> None:
    ranked()
    text = browser().get("/c/talk/leaderboard", headers=HTMX).text
    assert "<html" not in text
    assert 'hx-trigger="every 30s"' in text
    assert "hx-trigger" not in browser().get("/c/talk/leaderboard?refresh=off").text


def test_a_team_can_be_found_by_name() -> None:
    ranked()
    text = browser().get("/c/talk/leaderboard?q=미괄").text
    assert "미괄식" in text
    assert "두괄식" not in text
    assert "검색 결과가 없습니다" in browser().get("/c/talk/leaderboard?q=없는이름").text


def test_an_odd_page_number_shows_a_page() -> None:
    ranked()
    for page in ["0", "-1", "99", "x", "9" * 30, "1.5", "²"]:
        assert browser().get("/c/talk/leaderboard", {"page": page}).status_code == 200


def test_a_midnight_before_the_contest_shows_no_rows() -> None:
    ranked()
    for client in (browser(), browser("alice")):
        answer = client.get("/c/talk/leaderboard?at=2020-01-01")
        assert answer.status_code == 200
        assert "두괄식" not in re.sub(r"<header.*?</header>", "", answer.text, flags=re.DOTALL)
