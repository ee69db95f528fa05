"""Two organizers have a form open at once: what the first one saved is shown, and never undone.

A form of the desk that shows what is stored is found by itself, and must be one of `FORMS`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import resolve

from leaderboard.actions.announcements import announce
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.addresses import address, known_values, url_list
from tests.leaderboard.web.crawl import content
from tests.leaderboard.web.expectations import TABLE
from tests.leaderboard.web.forms_of import Form, forms_of
from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.parts import parts
from tests.leaderboard.web.stage import Stage, build, stop_clock, undone

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Settings:
    """A form by its button. Eddie and Olivia want `theirs` and `mine` of `both`; she `other`, too.

    A field is named by its end; of several the first one is meant.
    """

    both: str
    theirs: str
    mine: str
    other: tuple[str, str] | None = None
    beside: dict[str, str] = field(default_factory=dict)


FORMS = {
    "desk_settings save": Settings("title", "새 제목", "다른 제목", ("daily_limit", "7")),
    "desk_schedule reschedule": Settings(
        "reveals_at", "2027-03-01T10:00", "2027-03-02T10:00", ("closes_at", "2026-12-11T10:00")
    ),
    "desk_people register": Settings("code", "BETA-2027", "GAMMA-2027", ("emails", "a@b.example")),
    "desk_terms change_terms": Settings("text", "새 약관", "다른 약관", ("text_en", "New terms")),
    "desk_data describe": Settings(
        "description", "새 설명", "다른 설명", ("description_en", "New words")
    ),
    "desk_webhook set": Settings("format", "discord", "mattermost", ("language", "en")),
    "desk_announcements correct": Settings("text", "새 공지", "다른 공지", ("text_en", "New")),
    "desk_team rename": Settings("name", "새 이름", "다른 이름", beside={"reason": "까닭"}),
}
# Forms of the desk that show something and change nothing that is stored.
NO_SETTING = {
    "desk_announcements announce": "makes an announcement",
    "desk_file clone": "makes a contest",
    "desk_golds ": "makes a version",
    "gold_changes redraft": "makes a version",
    "desk_organizers appoint": "decides about a person who is named",
    "desk_submission exclude": "decides about a file",
    "desk_team grant": "adds to what was granted",
    "desk_teams ": "decides about a person who is named",
}
for _part in parts():
    FORMS |= {name: Settings(*row) for name, row in _part.SETTINGS.items()}


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    stop_clock(monkeypatch, NOON)
    built = build()
    olivia = builders.user("olivia")
    announce(competition=built.contest, user=olivia, text="공지", at=NOON)
    return built


def pages(stage: Stage, client: Client) -> Iterator[tuple[str, str]]:
    """Every page of the desk: its address and its text."""
    things = known_values(stage)
    for listed in url_list():
        if listed.name in TABLE and "/desk" in listed.route:
            where = address(listed, things)
            with undone(client):
                page = client.get(where)
                if page.status_code == 200 and "text/html" in page.headers["Content-Type"]:
                    yield where, content(page).decode()


def buttons(text: str, where: str) -> Iterator[tuple[str, Form]]:
    """Each button of the page, by the name of where it leads and its verb, and its form."""
    for form in forms_of(text, where):
        for _, value, elsewhere in form.buttons:
            yield f"{resolve(urlsplit(elsewhere or form.action).path).view_name} {value}", form


def is_opened(form: Form) -> bool:
    return any(name.endswith("opened") for name in form.fields)


@pytest.mark.whole
def test_every_form_that_shows_what_is_stored_says_with_what_it_was_opened(stage: Stage) -> None:
    opened, silent = set(), set()
    for where, text in pages(stage, browser("olivia")):
        for name, form in buttons(text, where):
            if is_opened(form):
                opened.add(name)
            elif any(form.fields.get(field, "").strip() for field in form.seen):
                silent.add(name)
    assert silent == NO_SETTING.keys()
    assert opened == FORMS.keys() | {"desk_data remove"}


@dataclass(frozen=True)
class Open:
    """A form of a page that somebody has open."""

    client: Client
    where: str
    button: str
    settings: Settings

    @property
    def form(self) -> Form:
        return self.on(content(self.client.get(self.where)).decode())

    def on(self, text: str) -> Form:
        found = (form for name, form in buttons(text, self.where) if name == self.button)
        return next(form for form in found if is_opened(form))

    def field(self, form: Form, name: str) -> str:
        return next(one for one in form.fields if one == name or one.endswith(f"-{name}"))

    def value(self, name: str) -> str:
        form = self.form
        return form.fields[self.field(form, name)].strip()

    def send(self, form: Form, changes: dict[str, str]) -> tuple[int, str]:
        """Fill in and send the form, and once more where it shows first what would be done."""
        changed = {self.field(form, name): value for name, value in changes.items()}
        sent = {**form.fields, **changed, "verb": self.button.split()[1]}
        answer = self.client.post(form.action, sent)
        text = content(answer).decode()
        if answer.status_code == 200 and 'name="seen"' in text:
            second = self.on(text)
            answer = self.client.post(second.action, {**second.fields, "verb": sent["verb"]})
            text = content(answer).decode()
        return answer.status_code, unescape(text)


def two(stage: Stage, button: str) -> tuple[Open, Open]:
    """Eddie and Olivia, before the same page with this form."""
    listed = next(one for one in url_list() if one.name == button.split()[0])
    where = address(listed, known_values(stage))
    eddie, olivia = (
        Open(browser(name), where, button, FORMS[button]) for name in ("eddie", "olivia")
    )
    return eddie, olivia


@pytest.mark.parametrize("button", FORMS)
def test_what_the_first_one_saved_stays(stage: Stage, button: str) -> None:
    eddie, olivia = two(stage, button)
    settings, opened = olivia.settings, olivia.form
    assert eddie.send(eddie.form, {settings.both: settings.theirs, **settings.beside})[0] == 302
    if settings.other is not None:
        name, value = settings.other
        assert olivia.send(opened, {name: value, **settings.beside})[0] == 302
        assert olivia.value(name) == value
    assert olivia.value(settings.both) == settings.theirs


@pytest.mark.parametrize("button", FORMS)
def test_what_both_changed_is_refused_with_both_values_until_one_has_seen_them(
    stage: Stage, button: str
) -> None:
    eddie, olivia = two(stage, button)
    settings, opened = olivia.settings, olivia.form
    assert eddie.send(eddie.form, {settings.both: settings.theirs, **settings.beside})[0] == 302
    mine = {settings.both: settings.mine, **settings.beside}
    status, text = olivia.send(opened, mine)
    again = olivia.on(text)
    assert status == 422
    assert again.fields[olivia.field(again, settings.both)].strip() == settings.mine
    assert olivia.value(settings.both) == settings.theirs, "nothing was saved"
    assert olivia.send(again, settings.beside)[0] == 302
    assert olivia.value(settings.both) == settings.mine


def test_what_a_form_was_opened_with_may_be_anything(stage: Stage) -> None:
    eddie, _ = two(stage, next(iter(FORMS)))
    settings = eddie.settings
    for odd in ("[" * 30_000, "null", "{", '{"a": []}'):
        opened = {name: odd for name in eddie.form.fields if name.endswith("opened")}
        sent = {settings.both: settings.theirs, **settings.beside, **opened}
        assert eddie.send(eddie.form, sent)[0] in (302, 422)
