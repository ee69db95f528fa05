"""Role × address × method, with the addresses taken from Django's own URL list.

A page that somebody adds and nobody lists in `expectations.TABLE` fails here.
"""

from functools import partial
from itertools import product
from types import ModuleType
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path, resolve

from leaderboard import urls
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from leaderboard.web.find import WebRequest
from tests.leaderboard.builders import CLOSES, NOON, REVEALS, viewer_of
from tests.leaderboard.web.addresses import (
    Listed,
    address,
    form_of,
    known_values,
    strange_values,
    url_list,
)
from tests.leaderboard.web.crawl import Probe, content, masked, send
from tests.leaderboard.web.expectations import (
    ADMIN,
    API,
    METHODS,
    TABLE,
    expected_in_admin,
    expected_of_strange,
)
from tests.leaderboard.web.stage import (
    EDITORS,
    KINDS,
    OUTSIDERS,
    ROLES,
    build,
    clients,
    crawls,
    each,
    stop_clock,
    undone,
)

pytestmark = [
    pytest.mark.django_db,
    # The tests need no collected static files.
    pytest.mark.filterwarnings("ignore:No directory at"),
]


def unlisted(urlconf: object = None) -> set[str]:
    """Names of the URL list without a row, and rows without a name."""
    families = {listed.family for listed in url_list(urlconf)}
    return families ^ {*TABLE, ADMIN, API}


def ask(browser: Client, method: str, where: str, form: dict[str, object] | None = None) -> str:
    """The outcome of one request: a status, or `→name` of the page it redirects to."""
    with undone(browser):
        sent = {"data": form} if form else {}
        response = getattr(browser, method.lower())(where, **sent)
        content(response)
    if 300 <= response.status_code < 400:
        return f"→{resolve(urlsplit(response['Location']).path).view_name}"
    return str(response.status_code)


class Matrix:
    """Asks every cell and keeps the wrong ones."""

    def __init__(self, *roles: str, private: bool = False) -> None:
        self.stage = build(private=private)
        self.private = private
        self.roles = roles
        self.browsers = clients()
        self.cells = 0
        self.wrong: list[str] = []

    def expected(self, listed: Listed, method: str, role: str) -> str:
        row = TABLE[listed.name]
        if self.private and "slug" in listed.parameters:
            return row.expected_in_private(method, role)
        return row.expected(method, role)

    def check(self, listed: Listed, method: str, role: str, where: str, *right: str) -> None:
        form = form_of(listed.name, self.stage) if method == "POST" else None
        found = ask(self.browsers[role], method, where, form)
        self.cells += 1
        # `→admin:` stands for any page of the administrator's.
        if not any(found == one or (one[-1] == ":" and found.startswith(one)) for one in right):
            self.wrong.append(f"{method} {listed.name} by {role}: {found}, not {'/'.join(right)}")

    def pages(self, only: str = "", methods: tuple[str, ...] = METHODS) -> None:
        """Every page (or only the one so named) with things that exist."""
        values = known_values(self.stage)
        for listed in url_list():
            if listed.family in (ADMIN, API) or only not in ("", listed.name):
                continue
            for method in methods:
                for role in self.roles:
                    right = self.expected(listed, method, role)
                    self.check(listed, method, role, address(listed, values), right)

    def strange_things(self, only: str = "") -> None:
        """The same with another team's, another contest's and nobody's things."""
        values, strange = known_values(self.stage), strange_values(self.stage)
        for listed in url_list():
            if listed.family == API or only not in ("", listed.name):
                continue
            for parameter in set(listed.parameters) & set(strange):
                for thing in strange[parameter].values():
                    where = address(listed, {**values, parameter: thing})
                    for method in ("GET", "POST"):
                        for role in self.roles:
                            right = expected_of_strange(self.expected(listed, method, role))
                            self.check(listed, method, role, where, right)

    def administration(self) -> None:
        """The administrator's pages."""
        values = known_values(self.stage)
        for listed in url_list():
            if listed.family != ADMIN:
                continue
            for method in ("GET", "POST"):
                for role in self.roles:
                    right = expected_in_admin(listed.name, method, role)
                    self.check(listed, method, role, address(listed, values), *right)


def test_every_address_has_its_row() -> None:
    assert unlisted() == set()


def test_an_unlisted_address_is_found() -> None:
    def planted(request: HttpRequest) -> HttpResponse:
        return HttpResponse("all private scores")

    module = ModuleType("planted_urls")
    module.urlpatterns = [  # type: ignore[attr-defined]
        *urls.urlpatterns,
        path("c/<slug:slug>/export.csv", planted, name="export"),
        path("debug/", planted),
    ]
    assert unlisted(module) == {"export", "debug/"}


@pytest.mark.parametrize(
    ("role", "whole"),
    crawls(*ROLES, at_once=KINDS, kinds=("eddie",), whole=("visitor", "alice")),
)
def test_every_role_gets_its_answer(
    role: str, whole: bool, short: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = whole and (role == "visitor" or not short)  # whose answers cost little
    ask_everything(role, monkeypatch, private=False, whole=whole)


@pytest.mark.parametrize(
    ("role", "whole"),
    crawls(*ROLES, at_once=("visitor",), kinds=("charlie", "alice"), whole=("visitor",)),
)
def test_and_of_a_private_contest(
    role: str, whole: bool, short: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_everything(role, monkeypatch, private=True, whole=whole and not short)


def ask_everything(role: str, patch: pytest.MonkeyPatch, *, private: bool, whole: bool) -> None:
    """Every cell of this role; unless `whole`, those of the two methods that pages are made for."""
    stop_clock(patch, NOON)
    matrix = Matrix(role, private=private)
    methods = METHODS if whole else ("GET", "POST")
    matrix.pages(methods=methods)
    assert matrix.cells >= len(TABLE) * len(methods)
    if whole or role == "alice":  # who has something of her own beside the strange things
        listed = matrix.cells
        matrix.strange_things()
        assert matrix.cells > listed
    print(f"{matrix.cells} cells")
    assert not matrix.wrong, "\n".join(matrix.wrong)


@pytest.mark.parametrize("role", each(*ROLES, at_once=("visitor", "alice")))
def test_the_administrators_pages_are_for_superusers(
    role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, NOON)
    matrix = Matrix(role)
    matrix.administration()
    print(f"{matrix.cells} cells")
    assert not matrix.wrong, "\n".join(matrix.wrong)


def test_a_missing_check_turns_up_in_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    def anybodys(user: object) -> object:
        return Submission.objects.select_related("team__competition", "submitted_by")

    stop_clock(monkeypatch, NOON)
    monkeypatch.setattr("leaderboard.web.contest.submissions.for_user", anybodys)
    matrix = Matrix("charlie")
    matrix.strange_things(only="submission_file")
    assert "GET submission_file by charlie: 200, not 404" in matrix.wrong


def test_a_desk_that_forgets_to_ask_turns_up_in_the_matrix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def any_contest(request: WebRequest, slug: str) -> Competition:
        found = Competition.objects.get(slug=slug)
        request.viewer = viewer_of(found, request.user, request.received_at)
        return found

    stop_clock(monkeypatch, NOON)
    monkeypatch.setattr("leaderboard.web.find.competition_to_run", any_contest)
    matrix = Matrix("oscar", private=True)
    matrix.pages(only="desk_teams")
    assert "GET desk_teams by oscar: 200, not 404" in matrix.wrong


@pytest.mark.parametrize("role", each(*OUTSIDERS, at_once=("visitor",)))
def test_an_outsider_cannot_tell_a_private_contest_from_none(
    role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build(private=True)
    browser = clients()[role]
    values = known_values(stage)
    differences = []
    with_slug = [listed for listed in url_list() if "slug" in listed.parameters]
    for listed, method in product(with_slug, ("GET", "POST")):
        form = partial(form_of, listed.name, stage) if method == "POST" else dict
        secret, none = (
            send(role, browser, Probe(address(listed, {**values, "slug": slug}), method, form))
            for slug in ("talk", "none")
        )
        if masked(secret).replace("talk", "none") != masked(none):
            differences.append(f"{method} {listed.name}")
    assert differences == []


@pytest.mark.parametrize(
    "private", [False, pytest.param(True, marks=pytest.mark.again)], ids=["public", "private"]
)
def test_the_private_board_opens_at_the_reveal_and_for_editors_before(
    private: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = build(private=private)
    browsers = clients()
    where = f"/c/{stage.contest.slug}/leaderboard?board=private"
    for at, everybody in ((NOON, "404"), (CLOSES, "404"), (REVEALS, "200")):
        stop_clock(monkeypatch, at)
        found = {role: ask(browsers[role], "GET", where) for role in ROLES}
        right = {role: "200" if role in EDITORS else everybody for role in ROLES}
        if private:
            right |= dict.fromkeys(OUTSIDERS, "404")
        assert found == right


def test_a_parameter_that_the_crawler_cannot_fill_is_an_error() -> None:
    with pytest.raises(KeyError, match="token"):
        address(Listed("invite", "i/<str:token>"), {"slug": UUID(int=1)})
