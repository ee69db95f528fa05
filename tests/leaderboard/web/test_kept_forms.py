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
from django.test import Client
from django.urls import resolve

from leaderboard.actions.competition import change_registration, change_terms
from leaderboard.actions.discipline import disqualify, exclude
from leaderboard.actions.refusals import Refused
from leaderboard.actions.registration import request_to_join
from leaderboard.actions.schedule import hold_reveal, pause
from leaderboard.actions.scoring import retry
from leaderboard.actions.teams import add_baseline
from leaderboard.actions.versions import rehearse
from leaderboard.evaluation.models import Evaluation
from leaderboard.submissions.intake import Upload
from leaderboard.texts import Sentences
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.addresses import address, form_of, known_values, url_list
from tests.leaderboard.web.crawl import content
from tests.leaderboard.web.expectations import LOGIN, TABLE
from tests.leaderboard.web.forms_of import Form, forms_of
from tests.leaderboard.web.parts import parts
from tests.leaderboard.web.stage import POOR, Stage, build, clients, stop_clock, undone

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
    "password_link": "needs an administrator's link",
    "mail_confirm": "needs the link of a mail",
    "mail_stop": "needs the link of a mail",
    "desk_closing": "a button of a revealed contest: see test_closing_page",
    "team_looking": "a form of who is alone in a team: see test_team_page",
}
# What no rule under a lock says no to. What else does is tried below or beside the page's tests.
NO_RULE = {
    "account_change_password": "the old password is asked for first",
    "account_close": "the password is asked for first",
    "account_reauthenticate": "the password is asked for first",
    "check": "only its count says no",
    "end_sessions": "only a session that is over",
    "forum": "marking as read is never refused",
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


class Planted(Refused):
    """A refusal that only these tests know."""

    sentences = {"planted": Sentences(SAID)}


def no(*_: object, **__: object) -> NoReturn:
    raise Planted("planted")


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
    browser: Client,
    patch: pytest.MonkeyPatch,
) -> Iterator[Sent]:
    seen = set()
    for listed in url_list():
        if listed.name not in TABLE:
            continue
        where = address(listed, things)
        with undone(browser):
            page = browser.get(where)
            text = content(page).decode(errors="replace")
        if page.status_code != 200 or "text/html" not in page.headers.get("Content-Type", ""):
            continue
        steps = [text]  # and what a first step shows before the second one
        buttons = (
            (form, button)
            for text in steps
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
            typed = tuple(str(sent[field]) for field in form.written)
            with undone(browser), patch.context() as planted:
                planted.setattr(QuerySet, "select_for_update", no)
                answer = browser.post(target, sent)
                status = answer.status_code
                shown = browser.get(answer["Location"]) if status == 302 else answer
                text = content(shown).decode(errors="replace")
            if status == 200:
                steps.append(text)
            elif name in SHOWN_FIRST:
                with undone(browser):
                    steps.append(content(browser.post(target, sent)).decode(errors="replace"))
            yield Sent(name, f"{key}={value}", typed, status, unescape(text))


def unsettle(stage: Stage) -> dict[str, object]:
    """Bring the contest to where it shows its other forms; which of its things show them."""
    contest, olivia = stage.contest, builders.user("olivia")
    who: dict[str, Any] = {"user": olivia, "at": NOON}
    file = Upload("baseline.csv", builders.prediction_csv(POOR))
    add_baseline(competition=contest, name="KoBART", upload=file, **who)
    exclude(submission=stage.rivals, reason="두 번 냄", reason_shown=True, **who)
    retry(evaluation=Evaluation.objects.get(submission__team=stage.alices, state="failed"), **who)
    rehearse(version=stage.draft, **who)
    change_registration(competition=contest, registration="approval", code="", **who)
    request_to_join(competition=contest, user=builders.user("dana"), terms=1, at=NOON)
    change_terms(competition=contest, text="서로 더욱 존중합니다.", **who)
    disqualify(team=stage.rivals.team, reason="같은 파일", **who)
    hold_reveal(competition=contest, held=True, **who)
    pause(competition=contest, reason="정답을 다시 봅니다", **who)
    for part in parts():
        part.unsettle(stage)
    waiting = Evaluation.objects.filter(
        submission__team=stage.alices, state="queued", scoring_version__state="live"
    )
    return {
        "submission_id": waiting.earliest("submission__received_at").submission_id,
        "any_submission_id": stage.rivals.pk,
        "team_id": stage.rivals.team_id,
    }


def test_no_refusal_takes_the_page_or_what_was_typed_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every form of the contest as it is built and as `unsettle` leaves it."""
    stop_clock(monkeypatch, NOON)
    stage = build()
    browsers = clients()
    answers: list[Sent] = []
    for values in (dict, partial(unsettle, stage)):
        things = {**known_values(stage), **values()}
        for role in WHO:
            answers += send_all(stage, things, role, browsers[role], monkeypatch)
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
