"""What an operator sees of the whole product: logs, the doctor, and alarms that ring for real."""

import json
from typing import Any

import pytest

from tests.faults.drive import upload
from tests.person import Person
from tests.servers import Chat
from tests.stack import Stack

pytestmark = pytest.mark.faults


def heard(chat: Chat) -> list[tuple[str, str]]:
    return sorted((said["alarm"], said["state"]) for said in chat.heard)


def lines(log: str) -> list[dict[str, Any]]:
    """Every line of a log; one that is no JSON is an error."""
    return [json.loads(line) for line in log.splitlines() if line]


def test_the_doctor_finds_nothing_in_what_was_just_started_and_all_logs_are_json() -> None:
    env = {"METRICS_TOKEN": "token-of-a-test"}  # and no proxy, which nobody is to trust
    with Stack(env=env) as stack:
        stack.drive("faults.drive", "prepare", "0", "40")
        person = Person.signed_in(stack.url, "person0")
        token = person.token("/c/faults/submit")
        assert person.upload("/c/faults/submit", token, upload(40, 0).data).location
        stack.wait_for(lambda: '"event": "scored"' in stack.log("worker"), 60, "scored")
        assert "nothing is wrong" in stack.wait_for(lambda: healthy(stack), 60, "signs of all")
        scored = [each for each in lines(stack.log("worker")) if each["event"] == "scored"]
        assert [each["attempt"] for each in scored] == [1]
        assert scored[0].keys() >= {"evaluation", "submission"}
        started = {each["logger"] for each in lines(stack.log("web"))}
        assert "gunicorn.error" in started
        lines(stack.log("sweeper"))
        processes = person.json("/readyz?verbose")["workers"]
        assert {one["queue"] for one in processes} == {"web", "score", "sweeper"}
        stack.daemons["web"].process.terminate()
        gone = "from leaderboard.evaluation.models import Worker as W; print(W.objects.filter("
        gone += "queue='web').count())"
        stack.wait_for(
            lambda: stack.manage("shell", "--no-imports", "-c", gone) == "0\n", 60, "its sign gone"
        )


def healthy(stack: Stack) -> str:
    """What the doctor says, once it finds nothing."""
    try:
        return stack.manage("doctor")
    except AssertionError as error:
        print(error)
        return ""
