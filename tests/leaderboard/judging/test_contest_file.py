"""What a contest file says of judge columns: that none comes along."""

import pytest

from tests.leaderboard.web.test_contest_file_pages import (
    DESK,
    contest,
    signed_in,
)

pytestmark = pytest.mark.django_db


def test_an_imported_or_cloned_contest_says_that_no_judge_came_along() -> None:
    contest()
    owner = signed_in("olivia", may_create_contests=True)
    told = "cloned without judge columns"
    assert told not in owner.get("/c/talk/desk/judge").text
    assert "judge columns" in owner.get(DESK).text  # what a file does not hold
    made = owner.post(DESK, {"verb": "clone", "title": "봄 대회", "slug": "next"}, follow=True)
    assert "Judge columns were not copied" in made.text
    assert told in owner.get("/c/next/desk/judge").text
