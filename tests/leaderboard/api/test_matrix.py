"""Role × operation × whose thing, over the OpenAPI document. No operation is left out.

In a private contest outsiders cannot tell it from none. The same walk with other private scores
answers byte for byte alike.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from leaderboard.api.urls import api
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from tests.leaderboard.api.expectations import TABLE, bodies
from tests.leaderboard.builders import CLOSES, NOON, REVEALS
from tests.leaderboard.web import needles
from tests.leaderboard.web.addresses import known_values, strange_values
from tests.leaderboard.web.crawl import Page, content, masked
from tests.leaderboard.web.stage import (
    BELOW_EDITOR,
    EDITORS,
    OUTSIDERS,
    ROLES,
    Stage,
    build,
    clients,
    each,
    permute_private_scores,
    stop_clock,
    undone,
)
from tests.leaderboard.web.test_canary import leaks, secrets_of

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("ignore:No directory at")]
PARAMETER = re.compile(r"{(\w+)}")


@dataclass(frozen=True)
class Operation:
    """One of the document."""

    name: str
    method: str
    path: str

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(PARAMETER.findall(self.path))

    def address(self, values: dict[str, Any]) -> str:
        return PARAMETER.sub(lambda found: str(values[found[1]]), self.path)


def operations() -> list[Operation]:
    paths = api.get_openapi_schema()["paths"]
    return [
        Operation(found["operationId"], method, path)
        for path, methods in paths.items()
        for method, found in methods.items()
    ]


def ask(role: str, browser: Client, operation: Operation, where: str, sent: Any) -> Page:
    """The answer; then all is undone."""
    with undone(browser):
        response = getattr(browser, operation.method)(where, **(sent() if sent else {}))
        body = content(response)
    headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    return Page(role, f"{operation.method.upper()} {where}", response.status_code, headers, body)


def walk(stage: Stage, role: str, browser: Client) -> Iterator[tuple[Operation, str, Page]]:
    """Every operation with one's own things, then with each strange one."""
    known, strange = known_values(stage), strange_values(stage)
    sent = bodies(stage)
    for operation in operations():
        variants = [("own", known)]
        for name in set(operation.parameters) & set(strange):
            variants += [(kind, {**known, name: one}) for kind, one in strange[name].items()]
        for kind, values in variants:
            where = operation.address(values)
            yield operation, kind, ask(role, browser, operation, where, sent.get(operation.name))


def test_every_operation_has_its_row() -> None:
    assert {operation.name for operation in operations()} == TABLE.keys()
    assert len(operations()) == len(TABLE), "a name twice"


@pytest.mark.parametrize("role", each(*ROLES))
def test_every_role_gets_its_answer(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    stage, wrong = build(), []
    for operation, kind, page in walk(stage, role, clients()[role]):
        right = TABLE[operation.name][role]
        if kind != "own" and right < 400:
            right = 404
        is_problem = "Content-Type: application/problem+json" in page.headers
        if page.status not in (right, 404 if kind != "own" else right):
            wrong.append(f"{operation.name} {kind} by {role}: {page.status}, not {right}")
        if (page.status >= 400) is not is_problem:
            wrong.append(f"{operation.name} {kind} by {role}: {page.status}, problem {is_problem}")
    assert wrong == []


@pytest.mark.parametrize("role", each(*OUTSIDERS, at_once=("visitor", "dana")))
def test_an_outsider_cannot_tell_a_private_contest_from_none(
    role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build(private=True)
    browser, known, sent = clients()[role], known_values(stage), bodies(stage)
    differences = []
    for operation in operations():
        if "slug" in operation.parameters:
            secret, none = (
                ask(role, browser, operation, operation.address({**known, "slug": slug}), one)
                for slug in ("talk", "none")
                for one in [sent.get(operation.name)]
            )
            if masked(secret).replace("talk", "none") != masked(none):
                differences.append(operation.name)
            assert secret.status in (401, 404), operation.name
    assert differences == []


@pytest.mark.parametrize("role", each(*BELOW_EDITOR, at_once=("visitor", "alice")))
@pytest.mark.parametrize("at", [NOON, CLOSES + timedelta(hours=1)], ids=["open", "closed"])
def test_no_answer_holds_or_depends_on_private_scores(
    role: str, at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, at)
    stage = build()
    browser = clients()[role]
    before = [page for _, _, page in walk(stage, role, browser)]
    assert leaks(stage, before) == []
    assert [page.asked for page in before if page.status >= 500] == []
    permute_private_scores()
    after = [page for _, _, page in walk(stage, role, browser)]
    pairs = [(masked(one), masked(two)) for one, two in zip(before, after, strict=True)]
    assert [pair for pair in pairs if pair[0] != pair[1]] == []


def test_the_canary_is_found_where_it_may_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    where = "/api/v1/competitions/talk/leaderboard?board=private"
    for role in ROLES:
        answer = clients()[role].get(where)
        page = Page(role, where, answer.status_code, "", answer.content)
        assert (page.status == 200) is (role in EDITORS), role
        found = needles.hits([page], secrets_of(stage, "alice"))
        assert bool(found) is (role in EDITORS), role


def test_the_private_board_opens_at_the_reveal(monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    where = "/api/v1/competitions/talk/leaderboard?board=private"
    for at, status in ((CLOSES, 404), (REVEALS, 200)):
        stop_clock(monkeypatch, at)
        assert clients()["visitor"].get(where).status_code == status
    stop_clock(monkeypatch, NOON)
    said = clients()["visitor"].get(where).json()
    assert said["code"] == "board_ahead"
    assert "12-11 10:00" in said["en"]["detail"]
    Competition.objects.update(reveal_held=True)
    assert clients()["visitor"].get(where).json()["code"] == "board_held"


def test_a_missing_check_turns_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def anybodys(user: object) -> Any:
        return Submission.objects.select_related("team__competition", "submitted_by")

    stop_clock(monkeypatch, NOON)
    stage = build()
    monkeypatch.setattr("leaderboard.api.calls.for_user", anybodys)
    found = walk(stage, "charlie", clients()["charlie"])
    assert any(page.status == 200 for one, _, page in found if one.name == "submission_file")
