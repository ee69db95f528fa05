"""Accounts that a class list made: new passwords, data and closing by the class's organizers."""

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.accounts.models import User
from leaderboard.actions.assigning import assign_teams
from leaderboard.actions.closing import (
    close_account_of,
    close_class_account,
    export_class_account,
)
from leaderboard.actions.people import make_class_password_link, use_password_link
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, user
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db
VERBS = (close_class_account, export_class_account, make_class_password_link)
GOOD = "a-long-new-one-7"


@pytest.fixture
def contest() -> Competition:
    """Alice had an account before; Hana and Duri got theirs by the list."""
    contest = running()
    user("alice")
    text = "username,name\nhana,하나\nduri,두리\nalice,앨리스\n"
    assign_teams(competition=contest, user=user("olivia"), text=text, at=NOON)
    return contest


def refusal(verb: Callable[..., Any], contest: Competition, name: str) -> Refused:
    with pytest.raises(Refused) as refused:
        verb(competition=contest, user=user("olivia"), username=name, at=NOON)
    return refused.value


def test_a_link_to_a_new_password_is_told_and_logged(contest: Competition) -> None:
    who = {"competition": contest, "user": user("olivia"), "at": NOON}
    token = make_class_password_link(**who, username="hana")
    [notice] = Notification.objects.filter(user__username="hana", kind="account")
    assert notice.message("en") != notice.message("ko")
    event = AuditEvent.objects.get(kind="class.password_link", competition=contest.pk)
    assert event.after == {"username": "hana"}
    assert use_password_link(token=token, password=GOOD, at=NOON).username == "hana"
    assert User.objects.get(username="hana").check_password(GOOD)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_other_accounts_are_refused_whatever_the_reason(
    contest: Competition, verb: Callable[..., Any]
) -> None:
    hana, duri = (User.objects.get(username=name) for name in ("hana", "duri"))
    other = running("other")
    builders.team(other, "hana")
    Organizer.objects.create(competition=other, user=duri, role="assistant")
    said = {str(refusal(verb, contest, name)) for name in ("hana", "duri", "alice")}
    Organizer.objects.all().filter(user=duri).delete()
    User.objects.filter(pk=duri.pk).update(may_create_contests=True)
    said.add(str(refusal(verb, contest, "duri")))
    assert len(said) == 1, "and nothing is learnt from it"
    assert refusal(verb, contest, "nobody").code == "unknown_person"
    assert not hana.closed_at
    assert not AuditEvent.objects.filter(kind__startswith="class.").exists()


def test_a_link_ends_when_its_account_takes_part_elsewhere(contest: Competition) -> None:
    who = {"competition": contest, "user": user("olivia"), "at": NOON}
    token = make_class_password_link(**who, username="hana")
    builders.team(running("other"), "hana")
    with pytest.raises(Refused, match="link_unusable"):
        use_password_link(token=token, password=GOOD, at=NOON)


def test_on_the_page_the_data_is_taken_out_and_the_account_closed(contest: Competition) -> None:
    olivia, where = browser("olivia"), "/c/talk/desk/enrol"
    answer = olivia.post(where, {"verb": "password_link", "username": "hana"})
    assert "/accounts/password/link?token=" in answer.text
    assert "no-store" in answer["Cache-Control"]
    answer = olivia.post(where, {"verb": "export", "username": "hana"})
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as packed:
        data = json.loads(packed.read("data.json"))
    assert data["profile"][0]["username"] == "hana"
    assert "sessions" not in data, "from where somebody signs in is no organizer's"
    form = {"verb": "close", "username": "hana"}
    assert olivia.post(where, form).status_code == 422
    assert User.objects.filter(username="hana", is_active=True).exists()
    assert olivia.post(where, {**form, "sure": "on"}).status_code == 302
    assert not User.objects.filter(username="hana").exists()
    logged = AuditEvent.objects.filter(competition=contest.pk)
    assert "hana" not in str(list(logged.values_list("before", "after")))


def test_an_administrator_closes_any_account_and_nobody_else_does(contest: Competition) -> None:
    with pytest.raises(Refused, match="not_an_administrator"):
        close_account_of(person=user("alice"), user=user("olivia"), at=NOON)
    User.objects.filter(pk=user("sue").pk).update(is_staff=True, is_superuser=True)
    sue, alice = browser("sue"), user("alice")
    chosen = {"action": "close_accounts", "_selected_action": [alice.pk]}
    assert "alice" in sue.post("/admin/accounts/user/", chosen).text
    assert User.objects.get(pk=alice.pk).is_active
    sue.post("/admin/accounts/user/", {**chosen, "sure": "1"})
    assert User.objects.get(pk=alice.pk).closed_at
    assert AuditEvent.objects.get(kind="account.closed").actor == user("sue")
    chosen = {"action": "export_data", "_selected_action": [user("bob").pk]}
    answer = sue.post("/admin/accounts/user/", chosen)
    assert b"".join(answer.streaming_content)[:2] == b"PK"


def test_the_right_to_make_contests_is_a_tick_in_the_list(contest: Competition) -> None:
    bob = user("bob")
    refused = browser("bob").get("/contests/new")
    User.objects.filter(pk=user("sue").pk).update(is_staff=True, is_superuser=True)
    assert refused.status_code == 403
    assert "sue" in browser("bob").get("/contests/new").text, "whom to ask"
    sue = browser("sue")
    page = sue.get("/admin/accounts/user/?q=bob")
    assert 'name="form-0-may_create_contests"' in page.text
    sent = {"form-TOTAL_FORMS": 1, "form-INITIAL_FORMS": 1, "form-0-id": bob.pk, "_save": "1"}
    sue.post("/admin/accounts/user/?q=bob", {**sent, "form-0-may_create_contests": "on"})
    assert User.objects.get(pk=bob.pk).may_create_contests
    assert "user_permissions" not in sue.get(f"/admin/accounts/user/{bob.pk}/change/").text
