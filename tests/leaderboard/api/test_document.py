"""The OpenAPI document and its page."""

import ast
import re
from collections import Counter

import pytest
from django.utils.html import escape
from django.utils.translation import override

from leaderboard.accounts.names import NameProblem
from leaderboard.actions.refusals import Refused
from leaderboard.api import calls, competitions, own_submissions, submissions, wording
from leaderboard.api.codes import codes, file_codes
from leaderboard.api.examples import EXAMPLES
from leaderboard.api.page import TAGS, OperationText, groups
from leaderboard.api.urls import api
from leaderboard.competitions.schedule import ScheduleRefusal
from leaderboard.web.problems import CODES, INVALID_FILE
from leaderboard.web.templatetags.formatting import coded
from tests.leaderboard.api.documented import texts
from tests.leaderboard.web.pages import browser
from tests.servers import ROOT


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_what_its_schema_says(name: str) -> None:
    schema = next(
        vars(module)[name]
        for module in (submissions, own_submissions, competitions, calls)
        if name in vars(module)
    )
    schema.model_validate(EXAMPLES[name])
    # What may be missing of a problem is that of a certain kind.
    further = {"fields", "rows", "total_problems", "limits"} if name == "ProblemOut" else set()
    assert EXAMPLES[name].keys() == schema.model_fields.keys() - further
    assert api.get_openapi_schema()["components"]["schemas"][name]["examples"] == [EXAMPLES[name]]


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_page_has_every_operation_with_its_scope(language: str) -> None:
    page = browser(language=language).get("/api").text
    for one in every_operation(language):
        asked = f"<code>{one.method} {escape(one.path)}</code>\n"
        begins = page.index(f'id="{one.name}"')
        summary = page[begins : page.index("</summary>", begins)]
        assert asked in summary
        assert coded(one.summary) in summary
        assert f'<span class="badge">{one.scope}</span>' in summary or not one.scope
    scopes = {one.name: one.scope for one in every_operation(language)}
    assert (scopes["competitions"], scopes["limits"]) == ("", "read")
    assert (scopes["submit"], scopes["make_live"]) == ("submit", "organize")


def test_a_new_operation_has_a_heading_and_its_korean_text() -> None:
    again = "python -m tests.leaderboard.api.documented, then ./run texts"
    assert list(wording.TEXTS) == texts(), again
    assert groups(api).keys() == TAGS.keys()
    with override("ko"):
        shown = [one for found in every_operation("ko") for one in (found.summary, found.rest)]
        shown += map(str, TAGS.values())
    assert [one for one in shown if one and not re.search("[가-힣]", one)] == []


def test_fields_show_what_lies_in_them() -> None:
    known = {one.name: one for one in every_operation("en")}
    answers = {name: {field.name: field.kind for field in known[name].answer} for name in known}
    assert answers["submit"]["limits"] == "LimitsOut"
    assert answers["submit"]["limits.left_today"] == "integer"
    assert answers["submission"]["scores.*.metrics"] == "{…: number}"
    assert answers["validate"]["problems[].code"] == "string"
    assert answers["validate"]["refusal.ko.detail"] == "string"
    assert answers["competitions"]["[].slug"] == "string"


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_code_that_an_error_can_have_has_its_anchor(language: str) -> None:
    page = browser(language=language).get("/api").text
    anchors = re.findall(r' id="([^"]+)"', page)
    assert [name for name, times in Counter(anchors).items() if times > 1] == []
    said = {key for kind in (Refused, ScheduleRefusal, NameProblem) for key in kind.sentences}
    known = {key.partition(".")[0] for key in said} | codes_of_errors()
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


def every_operation(language: str) -> list[OperationText]:
    with override(language):
        return [one for found in groups(api).values() for one in found]
