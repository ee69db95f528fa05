"""How often a program may change something; reading writes nothing."""

from dataclasses import replace

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest

from leaderboard.api import calls
from leaderboard.competitions.models import Competition
from tests.leaderboard import builders
from tests.leaderboard.api.calling import BASE, contest_url, json_of, program
from tests.leaderboard.web.pages import running

pytestmark = pytest.mark.django_db


def test_after_so_many_changes_a_token_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    few = replace(calls.CALLS, most=2)
    monkeypatch.setattr("leaderboard.api.calls.CALLS", few)
    alice = program("alice")
    for _ in range(2):
        json_of(alice.post(f"{BASE}/inbox/read"))
    answer = alice.post(f"{BASE}/inbox/read")
    assert json_of(answer, 429)["code"] == "too_many_calls"
    assert int(answer["Retry-After"]) > 0
    json_of(alice.get(f"{BASE}/inbox"))  # reading goes on
    json_of(program("alice").post(f"{BASE}/inbox/read"))  # and another token


@pytest.mark.parametrize("deleted", [True, False])
def test_a_contest_that_is_deleted_meanwhile_is_none(
    deleted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    builders.team(running(), "alice")

    def meanwhile(request: HttpRequest, slug: str) -> object:
        if deleted:
            Competition.objects.update(state=Competition.State.DELETED)
        raise ObjectDoesNotExist

    alice = program("alice")
    monkeypatch.setattr("leaderboard.api.calls.viewer", meanwhile)
    answer = alice.get(contest_url("/limits"))
    assert json_of(answer, 404 if deleted else 500)["code"] == (
        "not_found" if deleted else "server_error"
    )
