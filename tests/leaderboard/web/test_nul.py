"""A NUL, which PostgreSQL refuses in any text: a damaged request, whatever the page."""

from contextlib import nullcontext
from typing import Any

import pytest
from django.conf import settings
from django.db import DataError, connection

from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.stage import Stage

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("sent", [{"verb": "dismiss", "username": "ada\0"}, {"ada\0": ""}])
def test_no_form_brings_one(stage: Stage, sent: dict[str, str]) -> None:
    where = f"/c/{stage.contest.slug}/desk/people"
    assert browser("olivia").post(where, sent).status_code == 400
    anybody = browser()
    assert anybody.post("/accounts/login/", {"login": "ada", **sent}).status_code == 400


def _refusing(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    """SQLite as strict as PostgreSQL."""
    if "\0" in str(sql) or any("\0" in each for each in params or () if isinstance(each, str)):
        raise DataError("a NUL")
    return execute(sql, params, many, context)


@pytest.mark.parametrize("where", ["/", "/settings", "/accounts/login/", "/admin/", "/nothing"])
@pytest.mark.parametrize("name", [settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, "other"])
def test_a_cookie_that_holds_one_is_none(where: str, name: str) -> None:
    """No browser makes one; written as `\\000` within quotes it passes every server."""
    strict = connection.vendor == "sqlite"
    with connection.execute_wrapper(_refusing) if strict else nullcontext():
        for cookies in (f'{name}="aaaaaaaaaaaaaaaa\\000"', f"{name}=x; \0=y"):
            usual = browser().get(where).status_code
            assert browser().get(where, headers={"cookie": cookies}).status_code == usual
            form = {"login": "ada", "password": "x"}
            posted = browser().post(where, form, headers={"cookie": cookies})
            assert posted.status_code == browser().post(where, form).status_code
