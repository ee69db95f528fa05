"""Which answers a browser or a proxy may keep: none that is one person's or one team's."""

import pytest

from tests.leaderboard.builders import NOON
from tests.leaderboard.web.addresses import address, form_of, known_values, url_list
from tests.leaderboard.web.crawl import content
from tests.leaderboard.web.stage import ROLES, build, clients, stop_clock, undone

pytestmark = [pytest.mark.crawl, pytest.mark.django_db]
# Bob sees what Alice does, Dana and Oscar what Charlie does.
WATCHERS = [role for role in ROLES if role not in ("bob", "dana", "oscar", "eddie")]
# Answered before anybody looks who asks.
PROBES = ("livez", "readyz", "metrics")


def test_no_answer_within_a_session_may_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    values = known_values(stage)
    wrong, asked = [], 0
    for role, browser in clients().items():
        if role not in WATCHERS:
            continue
        for listed in url_list():
            if listed.name in PROBES or (listed.family == "admin:*" and role != "sue"):
                continue
            for method in ("GET", "POST"):
                form = form_of(listed.name, stage) if method == "POST" else {}
                where = address(listed, values)
                with undone(browser):
                    response = getattr(browser, method.lower())(where, form)
                    content(response)
                said = {word.strip() for word in response.get("Cache-Control", "").split(",")}
                asked += 1
                is_theirs = role != "visitor" or "sessionid" in response.cookies
                if is_theirs and not said >= {"private", "no-store"}:
                    wrong.append(f"{method} {listed.name} by {role}: {response.status_code} {said}")
    assert wrong == []
    assert asked > 2 * len(WATCHERS) * 80


def test_what_anybody_may_read_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    values = known_values(build())
    visitor = clients()["visitor"]
    for listed in url_list():
        if listed.name in ("home", "leaderboard", "leaderboard_csv", "status", "overview"):
            assert "Cache-Control" not in visitor.get(address(listed, values)), listed.name


def test_an_unknown_address_is_no_exception() -> None:
    assert clients()["charlie"].get("/nothing/here")["Cache-Control"] == "private, no-store"
