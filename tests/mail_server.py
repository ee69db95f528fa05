"""A real mail server on a free port, as good and as bad as a test needs it."""

import socket
import socketserver
import threading
import time
from collections import Counter
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Self, cast


class MailServer(socketserver.ThreadingTCPServer):
    """Takes mails for the block's time.

    `seconds`: before each answer. `codes`: what an address is answered instead of 250.
    `dies_after`: of so many mails the last is taken, and before that is said it goes away.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(
        self,
        *,
        port: int = 0,
        seconds: float = 0,
        codes: dict[str, int] | None = None,
        dies_after: int | None = None,
    ) -> None:
        super().__init__(("127.0.0.1", port), _Session)
        self.port = int(self.server_address[1])
        self.seconds, self.codes, self.dies_after = seconds, codes or {}, dies_after
        self.is_dead = False
        self.mails: list[EmailMessage] = []
        self.lock = threading.Lock()

    @property
    def recipients(self) -> Counter[str]:
        return Counter(str(mail["To"]) for mail in self.mails)

    def of(self, address: str) -> list[EmailMessage]:
        return [mail for mail in self.mails if mail["To"] == address]

    def keep(self, data: bytes) -> bool:
        """Whether the sender may be told that the mail was taken."""
        with self.lock:
            self.mails.append(message_from_bytes(data, policy=policy.default))
            self.is_dead = self.is_dead or len(self.mails) == self.dies_after
            return not self.is_dead

    def handle_error(self, request: object, client_address: object) -> None:
        """Who talks to it may go away at any time."""

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()


class _Session(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        server = cast(MailServer, self.server)
        if server.is_dead:
            return
        self.say("220 ready")
        refused = 0
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"RCPT":
                refused = server.codes.get(line.partition(b"<")[2].partition(b">")[0].decode(), 0)
                self.say(f"{refused} no" if refused else "250 yes")
            elif word == b"DATA":
                self.say("354 go on")
                if not server.keep(self.body()):
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.say("250 taken")
            elif word == b"QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 yes")

    def say(self, answer: str) -> None:
        time.sleep(cast(MailServer, self.server).seconds)
        self.wfile.write(f"{answer}\r\n".encode())

    def body(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        return b"".join(lines)
