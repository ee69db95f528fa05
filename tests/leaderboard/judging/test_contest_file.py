"""What a contest file says of judge columns: that none comes along."""

import pytest

from tests.leaderboard.contest_file import full_contest
from tests.leaderboard.web.test_contest_file_pages import (
    DESK,
    IMPORT,
    contest,
    download,
    signed_in,
    upload,
)

pytestmark = pytest.mark.django_db


def test_the_plan_of_an_import_says_that_no_judge_comes_along() -> None:
    contest()
    data = download("full")
    full_contest.forget()
    sue = signed_in("sue", is_superuser=True)
    page = sue.post(IMPORT, {"verb": "check", "file": upload(data)}).text
    assert "No judge column comes along" in page


def test_an_imported_or_cloned_contest_says_that_no_judge_came_along() -> None:
    contest()
    owner = signed_in("olivia", may_create_contests=True)
    told = "no judge column came along"
    assert told not in owner.get("/c/talk/desk/judge").text
    assert "judge columns" in owner.get(DESK).text  # what a file does not hold
    made = owner.post(DESK, {"verb": "clone", "slug": "next"}, follow=True)
    assert "No judge column came along" in made.text
    assert told in owner.get("/c/next/desk/judge").text
