"""Every text that comes in has an end, and what is far beyond it is not looked at."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django import forms
from django.test import Client
from ninja import Schema

import leaderboard.urls  # noqa: F401  all pages, and with them their forms
from leaderboard.api.calls import BodyIn
from leaderboard.web.uploads import FIELD_CHARACTERS, FORM_BYTES
from tests.leaderboard import builders
from tests.leaderboard.api.calling import contest_url, json_of, program
from tests.leaderboard.web.pages import browser, csv_file, running

LONG = "e\u0301" * (FIELD_CHARACTERS // 2)


def below(kind: type[Any]) -> Iterator[type[Any]]:
    """The subclasses, theirs too, that are ours."""
    for one in kind.__subclasses__():
        if one.__module__.startswith("leaderboard."):
            yield one
        yield from below(one)


def endless(form: type[forms.BaseForm]) -> list[str]:
    """The text fields of a form that have no end.

    Passwords of the packages' forms are hashed and compared; nothing looks at their characters.
    """
    return [
        f"{form.__name__}.{name}"
        for name, field in form.base_fields.items()
        if isinstance(field, forms.CharField)
        and not isinstance(field, forms.UUIDField)
        and field.max_length is None
        and not isinstance(field.widget, forms.PasswordInput)
    ]


class Endless(forms.Form):
    text = forms.CharField()
    address = forms.EmailField()  # Django gives it 320
    end = forms.CharField(max_length=3)


def test_every_text_of_a_form_has_an_end() -> None:
    assert endless(Endless) == ["Endless.text"]
    ours = {*below(forms.BaseForm)}
    assert len(ours) > 40
    assert [each for form in ours for each in endless(form)] == []


def endless_parts(schema: Any, place: str = "") -> Iterator[str]:
    """The places of a JSON schema where a text of any length may stand."""
    if isinstance(schema, list):
        for part in schema:
            yield from endless_parts(part, place)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "string" and not {"maxLength", "enum", "const", "format"} & {*schema}:
        yield place
    for name, part in schema.items():
        yield from endless_parts(part, f"{place}.{name}")


class EndlessIn(Schema):
    text: str
    texts: list[str] | None = None


def test_every_text_that_a_program_sends_has_an_end() -> None:
    assert len(list(endless_parts(EndlessIn.model_json_schema()))) == 2
    ours = list(below(BodyIn))
    assert len(ours) > 5
    found = {one.__name__: [*endless_parts(one.model_json_schema(by_alias=True))] for one in ours}
    assert {name: places for name, places in found.items() if places} == {}


def test_a_field_far_beyond_every_end_is_not_looked_at(db: None) -> None:
    anybody = Client()
    for sent in ({"login": LONG + "x"}, {LONG + "x": "1"}):
        said = urlencode({"password": "x", **sent})
        quoted = "application/x-www-form-urlencoded"
        assert anybody.post("/accounts/login/", said, content_type=quoted).status_code == 413
    assert anybody.post("/accounts/login/", {"login": LONG, "password": "x"}).status_code == 200


@pytest.fixture
def slug(db: None) -> str:
    competition = running()
    builders.team(competition, "alice")
    return competition.slug


def test_what_may_be_a_whole_file_is_taken_there_alone(slug: str) -> None:
    alice = browser("alice")
    for where, field in ((f"/c/{slug}/submit/check", "carried"), (f"/c/{slug}/lab", "pasted")):
        assert alice.post(where, {field: LONG + "x", "carried_name": LONG}).status_code != 413
        assert alice.post(where, {field: "x", "carried_name": LONG + "x"}).status_code == 413


def test_a_program_is_told_the_same(slug: str) -> None:
    alice = program("alice")
    sent = {"file": csv_file(), "note": LONG + "x"}
    answer = json_of(alice.post(contest_url("/submissions", slug), sent), 413)
    assert answer["status"] == 413


def test_no_file_comes_as_a_quoted_form(slug: str) -> None:
    """To unquote one costs a second of work for each 10 MB."""
    kind = "application/x-www-form-urlencoded"
    where, said = f"/c/{slug}/submit", f"carried={'%41' * (FORM_BYTES // 3)}"
    assert browser("alice").post(where, said, content_type=kind).status_code == 413
    assert browser("alice").post(where, said[:-10], content_type=kind).status_code != 413
