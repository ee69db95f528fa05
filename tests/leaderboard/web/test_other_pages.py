"""Data, inbox, accounts, error pages and what every page sends along."""

import pytest

from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, csv_file, running

pytestmark = pytest.mark.django_db


def test_the_sample_is_a_file_that_the_check_accepts() -> None:
    builders.team(running(), "alice")
    client = browser("alice")
    data = client.get("/c/talk/data/sample_submission.csv").content
    assert data.decode("utf-8-sig").splitlines()[1].startswith("talk_1,")
    edited = data.replace(b"\r\n", b" more\r\n").replace(b" more", b"", 1)  # not the header
    for file in (data, edited):
        assert "제출 가능" in client.post("/c/talk/submit/check", {"file": csv_file(file)}).text


def test_a_lost_password_is_nobodys_mail() -> None:
    assert "메일을 보내지 않습니다" in browser().get("/accounts/password/reset/").text
    assert browser().post("/accounts/password/reset/", {"email": "a@b.c"}).status_code == 405


@pytest.mark.parametrize("path", ["/nothing", "/c/nothing/", "/c/nothing/submit"])
def test_a_404_is_a_page_with_a_way_on(path: str) -> None:
    answer = browser(language="en").get(path)
    assert answer.status_code == 404
    assert 'class="btn" href="/"' in answer.text
    assert '<html lang="en"' in answer.text


def test_a_500_is_a_page_with_a_number_that_finds_the_log_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("kaput")

    monkeypatch.setattr("leaderboard.web.contest.overview.teams.visible_to", broken)
    client = browser("alice")
    client.raise_request_exception = False
    answer = client.get("/")
    assert answer.status_code == 500
    assert answer.headers["X-Request-ID"] in answer.text
    assert "kaput" not in answer.text
