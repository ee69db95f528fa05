"""The OpenAPI document, its page, and the page of error codes."""

import ast
import re
from collections import Counter

import pytest
from django.test import Client
from django.utils.html import escape

from leaderboard.accounts.models import User
from leaderboard.api.pages import _refusals, codes, file_codes
from leaderboard.api.urls import ERRORS, ERRORS_OF_CHANGES, api
from leaderboard.web.errors import CODES, INVALID_FILE
from tests.leaderboard.api.calling import json_of, program
from tests.leaderboard.web.pages import browser
from tests.servers import ROOT


def test_every_operation_says_what_it_does_and_the_scope_that_it_needs() -> None:
    document = api.get_openapi_schema()
    found = {}
    for methods in document["paths"].values():
        for method, one in methods.items():
            found[one["operationId"]] = one
            assert {*ERRORS, *ERRORS_OF_CHANGES * (method != "get")} <= one["responses"].keys()
    assert len(found) > 40
    assert [name for name, one in found.items() if not one.get("description")] == []
    for name, scope in (("limits", "read"), ("submit", "submit"), ("make_live", "organize")):
        assert found[name]["security"] == [{"Needs": [scope]}]
        assert f"`{scope}`" in found[name]["description"]
    assert "security" not in found["competitions"]
    assert "Needs" in document["components"]["securitySchemes"]


@pytest.mark.django_db
def test_the_page_of_operations_asks_this_server_alone() -> None:
    page = Client().get("/api/v1/docs")
    assert re.findall(r'(?:src|href)="(?!/)', page.text) == []
    assert "<script>" not in page.text
    assert '"validatorUrl": null' in page.text
    assert "/api/v1/openapi.json" in page.text


@pytest.mark.django_db
def test_an_error_is_in_the_language_that_is_asked_for_or_of_the_account() -> None:
    for asked, said in (("ko", "ko"), ("en-GB,ko;q=0.5", "en")):
        problem = json_of(Client(headers={"accept-language": asked}).get("/api/v1/me"), 401)
        assert {name: problem[name] for name in problem[said]} == problem[said]
        assert problem["ko"] != problem["en"]
    bob = program("bob")
    for own in ("en", "ko"):
        User.objects.filter(username="bob").update(language=own)
        problem = json_of(bob.get("/api/v1/competitions/none"), 404)
        assert {name: problem[name] for name in problem[own]} == problem[own]


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_code_that_an_error_can_have_has_its_anchor(language: str) -> None:
    page = browser(language=language).get("/api").text
    anchors = re.findall(r' id="([^"]+)"', page)
    assert [name for name, times in Counter(anchors).items() if times > 1] == []
    known = {code for code, _, _ in _refusals()} | codes_of_errors()
    assert len(known) > 150
    assert known - set(anchors) == set()
    assert {one.code for one in codes("ko")} == known
    for one in codes("ko" if language == "ko" else "en"):
        assert all(re.search("[가-힣]", text) for text in one.sentences) == (language == "ko")
        assert all(one.sentences)
        assert one.statuses


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_code_of_a_file_has_its_anchor(language: str) -> None:
    page = browser(language=language).get("/api").text
    found = file_codes("ko" if language == "ko" else "en")
    assert {"missing_ids", "set_to_nfc", "bad_split"} < {one.code for one in found}
    for one in found:
        assert page.count(f'<dt id="problems.{one.code}">') == 1
        assert all(re.search("[가-힣]", text) for text in one.sentences) == (language == "ko")
        assert escape(one.sentences[0]) in page


def codes_of_errors() -> set[str]:
    """What the code writes beside the text of an error, and what stands for each status."""
    written = set()
    for file in (ROOT / "leaderboard").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ErrorText":
                given = {one.arg: ast.unparse(one.value) for one in node.keywords}
                written.add(given.get("code", ""))
                code = node.args[0]
                status = code.value if isinstance(code, ast.Constant) else None
                assert "code" in given or status in CODES, f"{file.name}:{node.lineno}"
    assert written == {"", "refusal.code", "INVALID_FILE.code"}
    return {INVALID_FILE.code, *(one.code for one in CODES.values())}
