"""The list of contests, the overview and joining."""

import re
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from django.contrib.staticfiles.finders import find
from django.utils import timezone

from leaderboard.competitions.models import Competition
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db


def test_home_lists_the_contests_with_the_running_one_first() -> None:
    running("runs")
    now = timezone.now()
    builders.competition(
        "over",
        opens_at=now - timedelta(days=9),
        closes_at=now - timedelta(days=3),
        reveals_at=now - timedelta(days=2),
    )
    text = browser().get("/").text
    assert text.index("/c/runs/") < text.index("/c/over/")


def test_an_installation_without_anybody_says_how_a_backup_comes_back() -> None:
    assert "./run manage restore" in browser().get("/").text
    builders.user("alice")
    assert "./run manage restore" not in browser().get("/").text


def test_the_overview_prints_formula_and_worked_example_from_the_profile() -> None:
    running()
    text = browser().get("/c/talk/").text
    assert "<math" in text
    # The example of the design: 0.4407 + 0.2456 + 0.3396, worked out with python-mecab-ko 1.3.7.
    assert "0.4407 + 0.2456 + 0.3396 = 1.0259" in text


def test_the_overview_follows_another_preset() -> None:
    contest = builders.competition(preset="stages")
    builders.live(contest, preset="stages")
    text = browser().get("/c/talk/").text
    assert "× 100 =" in text
    assert "0.4407 + 0.2456 + 0.3396 = 1.0259" not in text


def card(page: str) -> dict[str, str]:
    """What a link to the page shows elsewhere."""
    return dict(
        re.findall(r'<meta (?:name|property)="(description|og:\w+)" content="([^"]*)">', page)
    )


def test_a_link_has_a_card_which_names_no_private_contest() -> None:
    contest = running(introduction='**굵게** "요약" <b onclick="x">합니다</b>.')
    builders.team(contest, "alice")
    of_site, of_contest = card(browser().get("/").text), card(browser().get("/c/talk/").text)
    assert of_contest["og:title"] == contest.title
    assert of_contest["description"] == of_contest["og:description"]
    assert unescape(of_contest["description"]) == '굵게 "요약" <b onclick="x">합니다</b>.'
    assert of_contest["og:image"].startswith("http://127.0.0.1:8000/static/card")
    assert Path(str(find("card.png"))).stat().st_size <= 60_000
    Competition.objects.update(is_private=True)
    assert card(browser("alice").get("/c/talk/").text) == of_site
    assert card(browser().get("/c/talk/").text) == of_site


def test_both_languages_are_whole_pages() -> None:
    running()
    korean = browser().get("/c/talk/").text
    english = browser(language="en").get("/c/talk/").text
    assert '<html lang="ko"' in korean
    assert '<html lang="en"' in english
    assert "Dialogue Summarization" in english
    # In English only what people wrote, and the name of the other language, is Korean.
    shown = re.sub(r'<(\w+)[^>]* lang="ko"[^>]*>.*?</\1>', "", english, flags=re.DOTALL)
    body = re.sub(r"<[^>]+>", " ", shown)
    assert not re.findall(r"[가-힣]+", body)
