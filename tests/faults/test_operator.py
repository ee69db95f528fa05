"""What an operator sees of the whole product: logs, the doctor, and alarms that ring for real."""

import json
from typing import Any

import pytest

from tests.faults.drive import upload
from tests.person import Person
from tests.servers import Chat
from tests.stack import Stack

pytestmark = pytest.mark.faults
# As if the file had been waiting for so long already, and as many had failed.
LATER = """
from datetime import timedelta
from django.db.models import F
from django.utils import timezone
from leaderboard.evaluation.models import Evaluation
earlier = F("received_at") - timedelta(minutes=2)
Evaluation.objects.filter(state="queued").update(received_at=earlier)
"""
FAILED = """
from django.utils import timezone
from leaderboard.evaluation.models import Evaluation
Evaluation.objects.filter(state="queued").update(
    state="failed", failure="MemoryError", finished_at=timezone.now()
)
"""


def heard(chat: Chat) -> list[tuple[str, str]]:
    return sorted((said["alarm"], said["state"]) for said in chat.heard)


@pytest.mark.slow  # two minutes of standstill
def test_each_alarm_rings_once_and_ends_once() -> None:
    with Chat() as chat:
        env = {
            "ALARM_WEBHOOK": f"http://{chat.place}/",
            "WEBHOOK_ALLOWED_HOSTS": chat.place,
            "ALARM_DISK_MB": "1000000000",
        }
        with Stack(env=env) as stack:
            stack.drive("faults.drive", "prepare", "0", "40")
            stack.kill("worker", tree=True)
            person = Person.signed_in(stack.url, "person0")
            token = person.token("/c/faults/submit")

            def send(number: int) -> None:
                assert person.upload("/c/faults/submit", token, upload(40, number).data).location

            for number in range(3):
                send(number)
            stack.manage("shell", "--no-imports", "-c", FAILED)
            for number in range(3, 6):
                send(number)
            stack.manage("shell", "--no-imports", "-c", FAILED)
            send(6)
            stack.manage("shell", "--no-imports", "-c", LATER)
            golds = stack.folder / "files" / "golds"
            aside = golds.rename(golds.with_name("aside"))
            golds.write_text("no folder")
            kinds = {"disk", "failures", "waiting", "waiting_long", "store"}
            begun = sorted((kind, "begins") for kind in kinds)
            stack.wait_for(lambda: heard(chat) == begun, 120, "each alarm, once")
            golds.unlink()
            aside.rename(golds)
            stack.restart("worker")
            over = sorted((kind, "ends") for kind in ("waiting", "waiting_long", "store"))
            stack.wait_for(lambda: heard(chat) == sorted(begun + over), 120, "their ends")


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
