"""Which role gets which answer from which operation: one row for every operation of the document.

The reasons for a status are told by its code, which other tests look at.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from leaderboard.api.urls import api
from tests.leaderboard import builders
from tests.leaderboard.web.addresses import csv_file
from tests.leaderboard.web.crawl import Probe
from tests.leaderboard.web.stage import DEV_TEXTS, EDITORS, GOLDS, OUTSIDERS, ROLES, Stage

Answers = Mapping[str, int]
MEMBERS = ("alice", "bob")
STAFF = ("ada", *EDITORS)


def answers(otherwise: int, **by_status: tuple[str, ...]) -> Answers:
    """`otherwise` for all but the roles named under `s<status>`; a visitor has no token: 401."""
    found = dict.fromkeys(ROLES, otherwise) | {"visitor": 401}
    for status, roles in by_status.items():
        found.update(dict.fromkeys(roles, int(status[1:])))
    return found


EVERYBODY = dict.fromkeys(ROLES, 200)
SIGNED_IN = answers(200)
TEAM = answers(403, s200=MEMBERS)
OWN = answers(404, s200=MEMBERS)
INSIDE = answers(403, s200=(*MEMBERS, *STAFF))

DESK = answers(404, s200=EDITORS)

TABLE: dict[str, Answers] = {
    "competitions": EVERYBODY,
    "competition": EVERYBODY,
    "leaderboard": EVERYBODY,
    "files": INSIDE,
    "file": INSIDE,
    "validate": TEAM,
    "submit": answers(403, s201=MEMBERS),
    "score_dev": INSIDE,
    "submissions": TEAM,
    "submission": OWN,
    "state": OWN,
    "describe": OWN,
    "cancel": answers(404, s409=MEMBERS),  # it is scored already
    "submission_file": OWN,
    "finals": TEAM,
    "choose_finals": TEAM,
    "limits": TEAM,
    "ledger": TEAM,
    "threads": INSIDE,
    "posts": INSIDE,
    "ask": answers(403, s201=(*MEMBERS, *STAFF)),
    "reply": answers(403, s201=(*MEMBERS, *STAFF)),
    # The desk is a 404 for all who do not run the contest.
    "versions": DESK,
    "upload_references": answers(404, s201=EDITORS),
    "rehearse": DESK,
    "rehearsal": DESK,
    "make_live": answers(404, s409=EDITORS),  # a draft is rehearsed first
    "discard": answers(404, s204=EDITORS),
    "all_submissions": DESK,
    "retry_failed": DESK,
    "exclude": DESK,
    "restore": answers(404, s409=EDITORS),  # it is on the boards
    "export": DESK,
    "teams": DESK,
    "grant": answers(404, s201=EDITORS),
    "announce": answers(404, s201=STAFF),
    "me": SIGNED_IN,
    "tokens": SIGNED_IN,
    "end_token": answers(404, s204=("alice",)),
    "inbox": SIGNED_IN,
    "mark_read": SIGNED_IN,
}


PARAMETER = re.compile(r"{(\w+)}")


@dataclass(frozen=True)
class Operation:
    """One of the OpenAPI document."""

    name: str
    method: str
    path: str

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(PARAMETER.findall(self.path))


@cache
def operations() -> tuple[Operation, ...]:
    """Those of the document, so that none is left out."""
    paths = api.get_openapi_schema()["paths"]
    return tuple(
        Operation(found["operationId"], method.upper(), path)
        for path, methods in paths.items()
        for method, found in methods.items()
    )


def expected(
    operation: Operation, role: str, *, whose: str = "own", private: bool = False
) -> tuple[str, ...]:
    """The statuses that are right: another's thing, and a contest that is hidden, is a 404."""
    if private and role in OUTSIDERS and "slug" in operation.parameters:
        return ("401", "404")
    right = TABLE[operation.name][role]
    if whose == "own":
        return (str(right),)
    return ("404",) if right < 400 else (str(right), "404")


def probe(stage: Stage, operation: Operation, values: Mapping[str, object]) -> Probe:
    """The well-meant request of this operation about these things."""
    where = PARAMETER.sub(lambda found: str(values[found[1]]), operation.path)
    sent = bodies(stage).get(operation.name)
    kind = sent().get("content_type", "") if sent else ""
    return Probe(where, operation.method, lambda: sent()["data"] if sent else {}, kind=kind)


def bodies(stage: Stage) -> dict[str, Callable[[], dict[str, Any]]]:
    """What a well-meant request sends, as the arguments of a test client. Files are read once."""

    def json(**body: object) -> Callable[[], dict[str, Any]]:
        return lambda: {"data": body, "content_type": "application/json"}

    return {
        "validate": lambda: {"data": {"file": csv_file()}},
        "submit": lambda: {"data": {"file": csv_file()}},
        "score_dev": lambda: {"data": {"file": csv_file(builders.texts_csv(DEV_TEXTS))}},
        "describe": json(note="다시 봄", method_name="첫 줄"),
        "choose_finals": json(submissions=[str(stage.best.pk)]),
        "upload_references": lambda: {
            "data": {"files": csv_file(builders.gold_csv(GOLDS), "golds.csv"), "seed": "1"},
        },
        "rehearse": json(),
        "make_live": json(reason="정답을 고쳤습니다"),
        "discard": json(),
        "retry_failed": json(),
        "exclude": json(reason="두 번 냄"),
        "grant": json(amount=1, reason="서버가 멈췄습니다"),
        "announce": json(text="내일 점검합니다"),
        "ask": json(kind="talk", title="이야기", text="안녕하세요"),
        "reply": json(text="알겠습니다"),
    }
