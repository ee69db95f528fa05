"""Requests that no page of ours sends: without token, with foreign ways on, with extra fields."""

from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client

from leaderboard.accounts.models import User
from leaderboard.evaluation.models import Evaluation
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.addresses import form_of
from tests.leaderboard.web.stage import Stage, clients, undone

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]


# --- Ways on that lead away ----------------------------------------------------------------------

AWAY = (
    "https://evil.example/",
    "//evil.example/",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https:///evil.example",
    "http:evil.example",
    "javascript:alert(1)",
    " //evil.example",
    "\t//evil.example",
    "https://testserver@evil.example/",
    "https://testserver.evil.example/",
    "nowhere",
)
FORMS = {
    "/accounts/login/": {"login": "alice", "password": "alice-secret"},
    "/accounts/signup/": {
        "username": "henry",
        "password1": "long-enough-7",
        "password2": "long-enough-7",
    },
    "/accounts/logout/": {},
    "/i18n/setlang/": {"language": "en"},
    "/c/talk/join": {"team_name": "새벽", "terms": "1", "accepted": "on"},
}


@pytest.mark.parametrize("where", FORMS)
def test_no_form_leads_to_another_site(where: str, stage: Stage) -> None:
    charlie, visitor = clients()["charlie"], Client()
    browser = visitor if "log" in where or "sign" in where else charlie
    for away in AWAY:
        for address_, form in (
            (where, {"next": away}),
            (f"{where}?next={away.replace(' ', '%20').replace(chr(9), '%09')}", {}),
        ):
            with undone(browser):
                answer = browser.post(address_, {**FORMS[where], **form}, headers={"Referer": away})
                assert answer.status_code == 302, away
                _stays_here(answer.headers["Location"])


def _stays_here(location: str) -> None:
    # As browsers read it: a backslash is a slash, and spaces around are nothing.
    target = urlsplit(urljoin("http://testserver/", location.strip().replace("\\", "/")))
    assert (target.scheme, target.netloc) == ("http", "testserver"), location


# --- Fields that no form has ---------------------------------------------------------------------


def test_nobody_signs_up_as_more_than_a_person(stage: Stage) -> None:
    more = {"is_superuser": "on", "is_staff": "1", "is_admin": "1", "id": "1", "groups": "1"}
    answer = Client().post("/accounts/signup/", {**FORMS["/accounts/signup/"], **more})
    assert answer.status_code == 302
    henry = User.objects.get(username="henry")
    assert (henry.is_superuser, henry.is_staff, henry.groups.count()) == (False, False, 0)
    assert henry.pk != 1


def test_joining_takes_a_name_and_nothing_else(stage: Stage) -> None:
    more = {
        "team": stage.alices.pk,
        "captain": builders.user("alice").pk,
        "competition": stage.elsewhere.pk,
        "user": builders.user("bob").pk,
        "role": "owner",
    }
    clients()["charlie"].post("/c/talk/join", {**FORMS["/c/talk/join"], **more})
    made = Team.objects.get(name="새벽")
    assert (made.captain.username, made.competition) == ("charlie", stage.contest)
    assert [row.user.username for row in made.memberships.all()] == ["charlie"]


FORGED = {
    "score": "3.0",
    "total": "3.0",
    "printed": "30000",
    "state": "done",
    "public": "3.0",
    "received_at": "2026-11-17T00:00:00Z",
    "at": "2026-11-17T00:00:00Z",
    "sha256": "0" * 64,
    "is_admin": "1",
    "attempt": "9",
}


def test_handing_in_takes_the_file_and_two_notes(stage: Stage) -> None:
    more = {**FORGED, "team": stage.rivals.team_id, "submitted_by": builders.user("erin").pk}
    clients()["alice"].post("/c/talk/submit", {**form_of("submit", stage), **more})
    made = Submission.objects.get(key="k" * 32)
    assert (made.team, made.submitted_by.username) == (stage.alices, "alice")
    assert made.received_at == NOON
    assert made.sha256 != "0" * 64
    evaluation = Evaluation.objects.get(submission=made)
    assert (evaluation.state, evaluation.attempt, evaluation.scores.count()) == ("queued", 0, 0)


def test_a_note_changes_the_note(stage: Stage) -> None:
    kept = Submission.objects.filter(pk=stage.best.pk)
    fields = [field.attname for field in Submission._meta.concrete_fields]
    before = kept.values(*fields).get()
    more = {**FORGED, "team": stage.rivals.team_id, "file_name": "x", "key": "x", "size": "1"}
    note = {"note": "다시 봄", "method_name": "첫 줄"}
    clients()["alice"].post(f"/c/talk/submissions/{stage.best.pk}/note", {**note, **more})
    assert kept.values(*fields).get() == {**before, **note}
