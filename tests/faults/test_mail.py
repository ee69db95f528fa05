"""Hundreds of mails past a server that hangs, is slow, refuses and dies, and sweepers that do."""

import signal
import time
from collections import Counter
from typing import Any, Literal

import pytest

from tests.mail_server import MailServer
from tests.servers import SilentServer, wait_for
from tests.stack import Stack

pytestmark = pytest.mark.faults
PEOPLE = 150  # more than all servers before the last one take


def states(stack: Stack) -> dict[str, int]:
    found: dict[str, int] = stack.drive("faults.mailing", "states")
    return found


def is_there(port: int, **what: Any) -> MailServer:
    """A mail server at the port of one that is just leaving."""

    def listens() -> MailServer | None:
        try:
            return MailServer(port=port, **what)
        except OSError:
            return None

    return wait_for(listens, 10, "the port")


@pytest.mark.parametrize("db", [pytest.param("sqlite", marks=pytest.mark.slow), "postgres"])
def test_each_is_mailed_at_least_once_and_those_in_doubt_under_one_id(
    db: Literal["sqlite", "postgres"],
) -> None:
    with SilentServer() as silent:
        port = silent.port
        env = {"EMAIL_URL": f"smtp://127.0.0.1:{port}", "EMAIL_TIMEOUT": "2"}
        with Stack(db=db, env=env, only=("sweeper",)) as stack:
            _past_everything(stack, silent)


def _past_everything(stack: Stack, silent: SilentServer) -> None:
    port = silent.port
    stack.drive("faults.mailing", "prepare", str(PEOPLE))
    # It takes every connection and says nothing: the other steps of the sweeper go on.
    wait_for(lambda: silent.connections, 20, "somebody who waits for the mail server")
    wait_for(lambda: states(stack)["marked"] == 0, 5, "the other steps")
    assert "sent" not in states(stack)
    for each in (silent._listener, *silent._taken):
        each.close()
    mails, doubts = [], 0
    stack.drive("faults.mailing", "later")
    # Slow, and three addresses that it refuses, one for good. Two sweepers send, both are killed.
    refuses = {"person1@school.example": 550, "person2@school.example": 451}
    other = stack.popen("sweeper")
    with is_there(port, seconds=0.005, codes=refuses) as slow:
        for number in (25, 50):
            wait_for(lambda number=number: len(slow.mails) > number, 60, "mails")
            stack.kill("sweeper")
            stack.restart("sweeper")
            doubts += 1
        other.send_signal(signal.SIGKILL)
        other.wait(10)
        doubts += 1
    mails += slow.mails
    # It is gone in the middle of a mail that it took.
    stack.drive("faults.mailing", "later")
    with is_there(port, dies_after=40, codes=refuses) as dying:
        wait_for(lambda: dying.is_dead, 60, "its end")
        doubts += 1
        time.sleep(1)
    mails += dying.mails
    stack.drive("faults.mailing", "later")
    with is_there(port, codes={"person1@school.example": 550}) as good:

        def ended() -> bool:
            time.sleep(1)  # who takes a lease away all the time lets nobody end what it is for
            stack.drive("faults.mailing", "later")
            return states(stack).get("waiting", 0) == 0

        wait_for(ended, 120, "the last mail")
    mails += good.mails
    heard = Counter(str(mail["To"]) for mail in mails)
    assert len(heard) == PEOPLE - 1
    assert "person1@school.example" not in heard
    assert states(stack) | {"marked": 0} == {"sent": PEOPLE - 1, "failed": 1, "marked": 0}
    ids = {(str(mail["To"]), str(mail["Message-ID"])) for mail in mails}
    assert len(ids) == PEOPLE - 1  # who got it twice got the same
    assert max(heard.values()) <= 2
    assert heard.total() - len(heard) <= doubts
    assert '"where"' not in stack.log("sweeper")  # an error that nobody foresaw
