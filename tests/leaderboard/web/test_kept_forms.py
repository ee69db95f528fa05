"""Whatever a rule says no to, the page comes back with what was typed and the reason on it.

Every form of every page is filled in and sent with each of its buttons, while the rule that is
asked under the lock says no. A form that somebody adds is found by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from html import unescape
from typing import Any, NoReturn
from urllib.parse import urlsplit

import pytest
from django.db.models import QuerySet
from django.urls import resolve

from leaderboard.refusals import Refused
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.addresses import address, form_of, known_values, url_list
from tests.leaderboard.web.crawl import Probe, exchange, send
from tests.leaderboard.web.expectations import LOGIN, TABLE
from tests.leaderboard.web.forms_of import Form, forms_of
from tests.leaderboard.web.parts import parts
from tests.leaderboard.web.stage import Stage, build, clients, stop_clock, unsettle

pytestmark = [pytest.mark.crawl, pytest.mark.django_db]

SAID, WORDS = "심어 둔 거절입니다.", "손으로 적은 글"
# The people who between them see every form.
WHO = ("charlie", "alice", "olivia", "sue")
NO_FORM = {
    "repaired": "a button beside a file that can be mended: see test_used_up_checks",
    "account_login": "everybody here is signed in",
    "account_signup": "everybody here is signed in",
    "account_logout": "a button that nothing refuses",
    "make_live": "a button of a contest without a live version: see test_gold_pages",
    "notices": "asks nothing without a mail server: see test_notices_page",
    "password_link": "needs an administrator's link",
    "mail_confirm": "needs the link of a mail",
    "mail_stop": "needs the link of a mail",
}
# What no rule under a lock says no to. What else does is tried below or beside the page's tests.
NO_RULE = {
    "account_change_password": "the old password is asked for first",
    "account_close": "the password is asked for first",
    "account_reauthenticate": "the password is asked for first",
    "check": "only its count says no",
    "end_sessions": "only a session that is over",
    "inbox": "reading is never refused",
    "lab": "only its count says no",
    "set_language": "a language is never refused",
    "settings": "nor is a theme",
}

# Pages that show what would be done, under the lock that the rule of these tests breaks.
SHOWN_FIRST = ("desk_schedule", "desk_announcements", "desk_dev_set")

for _part in parts():
    NO_FORM |= _part.NO_FORM
    NO_RULE |= _part.NO_RULE


@dataclass(frozen=True)
class Sent:
    """One form that was sent with one button, and what came back."""

    name: str
    button: str
    typed: tuple[str, ...]
    status: int
    text: str

    @property
    def reached(self) -> bool:
        return SAID in self.text

    def __str__(self) -> str:
        return f"{self.name} {self.button}: {self.status}"


def no(*_: object, **__: object) -> NoReturn:
    raise Refused("planted", SAID)


def filled(form: Form, name: str, stage: Stage) -> dict[str, Any]:
    """The form as somebody fills it in: words wherever nothing stands, files where one is due."""
    known = form_of(name, stage)
    sent: dict[str, Any] = dict(form.fields)
    for field in form.written:
        sent[field] = known.get(field) or sent[field] or WORDS
    for field in known.keys() & (form.files | form.fields.keys()) - {"verb"}:
        sent[field] = known[field]
    return sent


def send_all(
    stage: Stage,
    things: dict[str, object],
    role: str,
    patch: pytest.MonkeyPatch,
    known: set[tuple[object, ...]],
) -> Iterator[Sent]:
    """Every form that this person sees, by each of its buttons.

    `known`: those that a rule has said no to before, in another state or to somebody else.
    """
    browser, seen = clients()[role], set(known)
    for listed in url_list():
        if listed.name not in TABLE:
            continue
        where = address(listed, things)
        page = send(role, browser, Probe(where))
        steps = [page.text] if page.status == 200 and page.is_html else []
        buttons = (
            (form, button)
            for text in steps  # and what a first step shows before the second one
            for form in forms_of(text, where)
            for button in form.buttons
        )
        for form, (key, value, elsewhere) in buttons:
            target = elsewhere or form.action
            name = resolve(urlsplit(target).path).view_name
            kind = (name, key, value, tuple(sorted(form.fields)))
            if kind in seen or name == "account_logout":
                continue
            seen.add(kind)
            sent = filled(form, name, stage) | ({key: value} if key else {})
            probe = Probe(target, "POST", partial(dict, sent))
            with patch.context() as planted:
                planted.setattr(QuerySet, "select_for_update", no)
                answer, *onward = exchange(role, browser, probe)
            if answer.status == 200:
                steps.append(answer.text)
            elif name in SHOWN_FIRST:
                steps.append(send(role, browser, probe).text)
            typed = tuple(str(sent[field]) for field in form.written)
            text = unescape((onward or [answer])[0].text)
            found = Sent(name, f"{key}={value}", typed, answer.status, text)
            if found.reached or name in NO_RULE:
                known.add(kind)
            yield found


def test_no_refusal_takes_the_page_or_what_was_typed_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every form of the contest as it is built and as `unsettle` leaves it."""
    stop_clock(monkeypatch, NOON)
    stage = build()
    answers: list[Sent] = []
    known: set[tuple[object, ...]] = set()
    for values in (dict, partial(unsettle, stage)):
        things = {**known_values(stage), **values()}
        for role in WHO:
            answers += send_all(stage, things, role, monkeypatch, known)
    assert lost(answers) == []
    # Else this would hold for a form that nobody sent, or that nothing refused.
    takes = {name for name, row in TABLE.items() if {*row.post.values()} - {"405", LOGIN}}
    assert sorted(takes - {one.name for one in answers}) == sorted(NO_FORM)
    silent = {one.name for one in answers} - {one.name for one in answers if one.reached}
    assert sorted(silent) == sorted(NO_RULE)


def lost(answers: list[Sent]) -> list[str]:
    """What a refusal took away."""
    found = []
    for one in answers:
        if 'class="errpage"' in one.text:
            found.append(f"{one}, a bare page")
        elif one.status >= 400 or one.reached:
            found += [f"{one}, without {text!r}" for text in one.typed if text not in one.text]
            if one.status == 302 and one.typed:
                found.append(f"{one}, somewhere else")
    return found
