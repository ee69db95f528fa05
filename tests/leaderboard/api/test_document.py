"""The OpenAPI document and its page."""

import pytest

from leaderboard.api import calls, competitions, own_submissions, submissions
from leaderboard.api.examples import EXAMPLES
from leaderboard.api.page import groups
from leaderboard.api.urls import api
from tests.leaderboard.web.pages import browser


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_what_its_schema_says(name: str) -> None:
    schema = next(
        vars(module)[name]
        for module in (submissions, own_submissions, competitions, calls)
        if name in vars(module)
    )
    schema.model_validate(EXAMPLES[name])
    assert EXAMPLES[name].keys() == schema.model_fields.keys()
    assert api.get_openapi_schema()["components"]["schemas"][name]["examples"] == [EXAMPLES[name]]


@pytest.mark.django_db
def test_the_page_names_every_operation() -> None:
    shown = groups(api.get_openapi_schema())
    page = browser(language="en").get("/api").text
    for operations in shown.values():
        for one in operations:
            assert one.summary
            assert f"{one.method} {one.path}" in page
