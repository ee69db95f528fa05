"""Enrolling a class on the desk: look first, passwords once."""

import base64
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.accounts.models import User
from leaderboard.teams.models import Team
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db
PAGE = "/c/talk/desk/enrol"
CLASS = "학번,이름,팀\nhana,=1+1,1조\nduri,<b>둘</b>,1조\n"


def look(client: Client, text: str = CLASS) -> tuple[int, str]:
    file = SimpleUploadedFile("class.csv", text.encode())
    answer = client.post(PAGE, {"verb": "preview", "file": file})
    return answer.status_code, answer.text


def hidden(page: str) -> dict[str, str]:
    return dict(re.findall(r'name="(data|seen)"\s+value="([^"]*)"', page))


def test_a_class_is_previewed_then_made_and_its_passwords_are_shown_once() -> None:
    running()
    olivia = browser("olivia")
    assert 'href="/c/talk/desk/enrol"' in olivia.get("/c/talk/desk/people").text
    status, page = look(olivia)
    assert (status, "계정을 만들고 참가" in page) == (200, True)
    assert not User.objects.filter(username="hana").exists()
    confirmed = {"verb": "enrol", **hidden(page)}
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


def test_problems_are_listed_with_their_lines_in_both_languages() -> None:
    running()
    bad = "username\nbad name\n"
    for language, said in (("ko", "2번째 줄"), ("en", "letters, digits")):
        status, page = look(browser("olivia", language), bad)
        assert (status, said in page) == (422, True)
        assert "등록하기" not in page


def test_odd_requests_make_nothing() -> None:
    running()
    olivia = browser("olivia")
    assert olivia.post(PAGE, {"verb": "preview"}).status_code == 422
    assert olivia.post(PAGE, {"verb": "enrol", "data": "%%%"}).status_code == 400
    assert olivia.post(PAGE, {"verb": "other"}).status_code == 400
    data = base64.b64encode(CLASS.encode()).decode()
    assert olivia.post(PAGE, {"verb": "enrol", "data": data, "seen": "x"}).status_code == 409
    assert not Team.objects.exists()


@pytest.mark.parametrize(
    ("page", "verb", "status"), [(PAGE, "preview", 200), ("/c/talk/desk/data", "add", 302)]
)
def test_of_two_files_in_one_field_the_first_is_taken(page: str, verb: str, status: int) -> None:
    running()
    files = [SimpleUploadedFile(f"{n}.csv", b"username\nhana\n") for n in range(2)]
    form = {"verb": verb, "description": "", "description_en": "", "file": files}
    assert browser("olivia").post(page, form).status_code == status
