"""The desk's page of a class list: look first, passwords once."""

import base64
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db
PAGE = "/c/talk/desk/enrol"
CLASS = "학번,이름,팀\nhana,=1+1,1조\nduri,<b>둘</b>,<i>조</i>\n"


@pytest.fixture(autouse=True)
def contest() -> Competition:
    contest = running()
    for name in ("charlie", "dana"):
        builders.team(contest, name, called=f"{name} 팀")
    return contest


def seen_in(page: str) -> str:
    return page.partition('name="seen" value="')[2].partition('"')[0]


def test_a_class_is_previewed_then_made_and_its_passwords_are_shown_once() -> None:
    olivia = browser("olivia")
    assert f'href="{PAGE}"' in olivia.get("/c/talk/desk/people").text
    answer = olivia.post(PAGE, {"file": SimpleUploadedFile("class.csv", CLASS.encode("cp949"))})
    assert answer.status_code == 200
    assert "새 계정 2개" in answer.text
    assert "<b>둘" not in answer.text
    assert "<i>조" not in answer.text
    assert not User.objects.filter(username="hana").exists()
    confirmed = {"text": CLASS, "seen": seen_in(answer.text)}
    answer = olivia.post(PAGE, confirmed)
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
    printed = re.findall(r"<code>([a-z2-9-]{14})</code>", answer.text)
    assert len(printed) == 2
    assert "&lt;b&gt;둘&lt;/b&gt;" in answer.text
    csv = base64.b64decode(answer.text.partition("base64,")[2].partition('"')[0]).decode()
    # A name that a spreadsheet would take for a formula is text.
    assert f"hana,'=1+1,1조,{printed[0]}\r\n" in csv
    again = olivia.post(PAGE, confirmed)
    assert again.status_code == 409
    assert not any(password in again.text for password in printed)

    hana = Client()
    signed_in = hana.post("/accounts/login/", {"login": "hana", "password": printed[0]})
    assert signed_in.status_code == 302
    assert hana.get("/c/talk/").headers["Location"].startswith("/accounts/password/change/")


def test_a_pasted_list_of_teams_is_previewed_and_done() -> None:
    olivia = browser("olivia")
    text = "username\tteam\ncharlie\t새벽\ndana\t새벽\n"
    page = olivia.post(PAGE, {"text": text}).text
    assert "팀이 바뀌는 사람 2명" in page
    assert not Team.objects.filter(name="새벽").exists()
    page = olivia.post(PAGE, {"text": text, "seen": seen_in(page)}, follow=True).text
    assert "2명의 팀을 바꾸고 알렸습니다." in page
    assert Team.objects.get(name="새벽").memberships.count() == 2


def test_a_file_with_problems_stands_in_the_page_to_be_corrected() -> None:
    text = "사용자 이름,팀\nbad name,새벽\n"
    file = SimpleUploadedFile("teams.csv", text.encode("cp949"))
    answer = browser("olivia", "en").post(PAGE, {"file": file})
    assert answer.status_code == 422
    assert "Line 2" in answer.text
    assert f"{text}</textarea>" in answer.text
    assert not seen_in(answer.text)
