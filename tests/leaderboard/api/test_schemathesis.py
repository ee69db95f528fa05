"""Requests that nobody thought of, drawn from the OpenAPI document, as three kinds of people.

Every check of schemathesis looks at every answer: no 5xx, the documented status, kind and shape,
what is not of the document's shape refused, what is of it taken, no token no answer.
"""

import io
from collections import Counter
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
import schemathesis
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import positive_data_acceptance
from urllib3 import HTTPResponse

from tests.leaderboard.material import NOON
from tests.leaderboard.web.addresses import known_values
from tests.leaderboard.web.stage import build, secret_of, stop_clock

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]
# What is of the document's shape and refused all the same, by rules that no document can say.
REFUSE = {
    "leaderboard": "a day that is no past one of the contest",
    "submit": "the file does not hold the contest's ids",
    "score_dev": "the file does not hold the dev set's ids",
    "choose_finals": "more than two, or files that are not scored",
    "ask": "a title or text of blanks alone",
    "reply": "a text of blanks alone",
    "grant": "a day without the contest",
    "announce": "an audience of nobody",
    "upload_references": "the files hold no golds",
}


URL = "http://testserver"


def _answered(adapter: HTTPAdapter, request: PreparedRequest, **_: object) -> Response:
    """In place of a socket: the very bytes that would be sent, to the application in here."""
    where = urlsplit(str(request.url))
    body = request.body or b""
    answer = Client(raise_request_exception=False).generic(
        str(request.method),
        where.path,
        body.encode() if isinstance(body, str) else body,
        content_type=request.headers.get("Content-Type", ""),
        headers=dict(request.headers),
        QUERY_STRING=where.query,
    )
    told = HTTPResponse(
        body=io.BytesIO(b"".join(answer)),
        headers=list(answer.headers.items()),
        status=answer.status_code,
        preload_content=False,
    )
    return adapter.build_response(request, told)


def drawn(role: str, each: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, dict[Any, Any]]:
    """How many requests were made, and what was found: the first of each kind by operation."""
    stop_clock(monkeypatch, NOON)
    monkeypatch.setattr(HTTPAdapter, "send", _answered)
    stage = build()
    said = {"Accept-Encoding": "identity"}
    if role != "visitor":
        said["Authorization"] = f"Bearer {secret_of(role)}"
    # A NUL is refused for all addresses alike (test_nul.py), and no document says so of a text.
    # The token is the role's: what is drawn in its place would never be sent.
    drawing = {"allow-x00": False, "with-security-parameters": False}
    config = SchemathesisConfig.from_dict({"generation": drawing})
    schema = schemathesis.openapi.from_url(f"{URL}/api/v1/openapi.json", config=config)
    asked: Counter[str] = Counter()
    found: dict[Any, Any] = {}

    def look(case: Any) -> None:
        name = case.operation.definition.raw["operationId"]
        asked[name] += 1
        with transaction.atomic():
            try:
                answer = case.call(headers=said)
                case.validate_response(
                    answer,
                    headers=said,
                    excluded_checks=[positive_data_acceptance] if name in REFUSE else [],
                )
            except FailureGroup as failures:
                for one in failures.exceptions:
                    found.setdefault((name, type(one).__name__), (case.as_curl_command(), str(one)))
            finally:
                transaction.set_rollback(True)

    known = {name: str(value) for name, value in known_values(stage).items()}
    for result in schema.get_all_operations():
        operation = result.ok()
        own = {one.name: known[one.name] for one in operation.path_parameters}
        for mode in GenerationMode:
            for fixed in [{}, *([{"path_parameters": own}] if own else [])]:
                cases = operation.as_strategy(generation_mode=mode, **fixed)
                draw = settings(
                    max_examples=each,
                    deadline=None,
                    database=None,
                    derandomize=True,
                    phases=[Phase.generate],
                    suppress_health_check=list(HealthCheck),
                )
                with suppress(Unsatisfiable):  # nothing that could be of another shape
                    draw(given(cases)(look))()
    return asked.total(), found


@pytest.mark.whole
@pytest.mark.parametrize(
    ("role", "each"),
    [
        ("alice", 1),
        *(
            pytest.param(role, 12, marks=pytest.mark.slow)
            for role in ("visitor", "alice", "olivia")  # together more than 2,000 requests
        ),
    ],
)
def test_no_request_finds_a_fault(role: str, each: int, monkeypatch: pytest.MonkeyPatch) -> None:
    number, found = drawn(role, each, monkeypatch)
    print(f"{number} requests as {role}")
    assert found == {}
    assert number >= 55 * each
