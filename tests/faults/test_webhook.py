"""Messages of a webhook past a server that hangs, and sweepers that are killed while it does."""

import signal
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import pytest

from tests.servers import wait_for
from tests.stack import Stack

pytestmark = pytest.mark.faults
MESSAGES = 30


class Chat(ThreadingHTTPServer):
    """Keeps the id of each message it hears, and answers unless it `hangs`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Hearing)
        self.ids: list[str] = []
        self.goes_on = threading.Event()
        self.hangs_at = MESSAGES // 3
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def handle_error(self, request: object, client_address: object) -> None:
        """Who talks to it may be killed at any time."""


class Hearing(BaseHTTPRequestHandler):
    server: Chat

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.ids.append(self.headers["Webhook-Id"])
        if len(self.server.ids) > self.server.hangs_at:
            self.server.goes_on.wait()
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


def states(stack: Stack) -> dict[str, int]:
    found: dict[str, int] = stack.drive("faults.calling", "states")
    return found


@pytest.mark.parametrize("db", [pytest.param("sqlite", marks=pytest.mark.slow), "postgres"])
def test_each_arrives_and_the_one_in_flight_is_repeated_under_its_id(
    db: Literal["sqlite", "postgres"],
) -> None:
    with Chat() as chat:
        port = chat.server_address[1]
        env = {"WEBHOOK_ALLOWED_HOSTS": f"127.0.0.1:{port}", "WEBHOOK_SECONDS": "90"}
        with Stack(db=db, env=env, only=("sweeper",)) as stack:
            _past_a_hanging_server(stack, chat, port)


def _past_a_hanging_server(stack: Stack, chat: Chat, port: int) -> None:
    stack.drive("faults.calling", "prepare", str(port), str(MESSAGES))
    heard = chat.hangs_at + 1
    doubts = []
    for _ in range(2):  # twice, for the second sweeper finds what the first left
        wait_for(lambda heard=heard: len(chat.ids) == heard, 60, "the call that hangs")
        doubts.append(chat.ids[-1])
        stack.drive("faults.calling", "mark")
        wait_for(lambda: states(stack)["marked"] == 0, 30, "the sweeper's other steps")
        found = states(stack)
        assert (found["sent"], found["waiting"]) == (chat.hangs_at, MESSAGES - chat.hangs_at)
        stack.kill("sweeper", signal.SIGKILL)
        stack.drive("faults.calling", "later")  # not before the kill: its lease is over by now
        stack.restart("sweeper")
        heard += 1
    wait_for(lambda: len(chat.ids) == heard, 60, "the same call by the third sweeper")
    doubts.append(chat.ids[-1])
    chat.goes_on.set()
    wait_for(lambda: states(stack)["waiting"] == 0, 60, "the last message")
    assert len(set(doubts)) == 1  # one message, under one id
    count = Counter(chat.ids)
    assert len(count) == MESSAGES
    assert count.pop(doubts[0]) == len(doubts)
    assert set(count.values()) == {1}
    assert states(stack) == {"sent": MESSAGES, "waiting": 0, "marked": 0}
    assert '"where"' not in stack.log("sweeper")  # an error that nobody foresaw
