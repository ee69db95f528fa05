"""As tests/faults/test_held_bodies.py, by the facade: its last call names a file sent before."""

import json
import sqlite3
import time
from contextlib import closing

import pytest

from tests.faults.test_held_bodies import BEFORE, REVEALED, Alice, Way, answer, end
from tests.leaderboard.material import prediction_csv
from tests.stack import DATABASE, Stack

pytestmark = pytest.mark.faults
FACADE = "/api/v1/competitions.CompetitionApiService"


def create(alice: Alice, slug: str) -> Way:
    """Send a file, and answer the call that submits it."""
    start = json.dumps({"competitionName": slug, "fileName": "p.csv"}).encode()
    with alice.begin(Way("POST", f"{FACADE}/StartSubmissionUpload", "", start), held=0) as sock:
        told = json.loads(sock.makefile("rb").read().partition(b"\r\n\r\n")[2])
    where = "/" + told["createUrl"].split("/", 3)[3]
    assert answer(alice.begin(Way("PUT", where, "text/csv", prediction_csv()), held=0)) == 201
    body = json.dumps({"competitionName": slug, "blobFileTokens": told["token"]}).encode()
    return Way("POST", f"{FACADE}/CreateSubmission", "text/plain", body)


def test_a_call_that_ends_after_the_reveal_decides_nothing() -> None:
    with Stack(only=("web",), env={"KAGGLE_FACADE": "1"}) as stack:
        alice = Alice(stack)
        ways = {slug: create(alice, slug) for slug in ("late", "strict")}
        held = {slug: alice.begin(way, held=1) for slug, way in ways.items()}
        writer = sqlite3.connect(stack.folder / DATABASE, isolation_level=None)
        with closing(writer):
            end(writer, *ways)
        time.sleep(REVEALED)
        for slug, sock in held.items():
            sock.sendall(ways[slug].body[-1:])
        assert {slug: answer(sock) for slug, sock in held.items()} == {"late": 200, "strict": 403}
        found = stack.drive("faults.held", "found")
        assert found["late"] == BEFORE | {"late": 1, "files": 4}
        assert found["strict"] == BEFORE
