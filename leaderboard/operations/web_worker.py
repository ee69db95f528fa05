"""gunicorn's threaded worker, whose threads are given only to clients that have sent something.

gthread gives each connection a thread before the first line of its request is read, and lets that
thread wait for the body, and for the reader of the answer, as long as it pleases the client:
sixteen slow sockets stop a site. Here the poller, which spends only a buffer on a connection, reads

- the head, at most 16 KB within 10 s;
- a body of at most 16 KB, which almost all forms are, and as much of a larger one.

The rest of a larger body is read by its thread as the application asks for it; at most half the
threads of a process do that, and the next uploads wait without a thread. Whoever falls behind the
rates in `web_clients` is closed, the slowest first where its thread is needed; one address may have
eight bodies or answers below the least rate, and any number of others. Proxies
(forwarded_allow_ips) speak for many and are not counted. All numbers are for one process.

What the kernel does not take of an answer at once is left to the poller: a file of any size, and
up to 512 KB of anything else.

What is left: an answer that is no file and does not fit into both (about 900 KB) is sent by its
thread, so readers that take just enough of such a one hold threads. The proxy of compose.yaml
buffers answers and bodies of any size, limits each address and speaks TLS.

Nothing here imports Django: gunicorn loads it before the application.
"""

import errno
import selectors
import socket
import struct
import time
from collections import defaultdict, deque
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from gunicorn.errors import ConfigError
from gunicorn.workers.gthread import ThreadWorker

from leaderboard.operations.web_clients import (
    SEND_BUFFER_BYTES,
    Body,
    ClientSocket,
    Connection,
    Stage,
)

HEAD_BYTES = 16 * 1024
SLOW_ONES_OF_AN_ADDRESS = 8  # bodies and answers
ROUND_SECONDS = 0.5
_READ_BYTES = 16 * 1024

_TOO_LARGE = ("431 Request Header Fields Too Large", "The head of the request is too large.")
_NO_PLACE = (
    "503 Service Unavailable\r\nRetry-After: 30",
    "지금 파일을 올리는 사람이 많습니다. 잠시 뒤 다시 올려 주세요.\n"
    "Many people are uploading files. Please try again in a minute.",
)


class PatientWorker(ThreadWorker):
    """gthread with connections that wait. Its own run(), handle() and stopping stay as they are.

    Everything here happens on the poller's thread; `handle` alone runs on the others.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.waiting: dict[Connection, None] = {}  # without a thread, the oldest first
        self.queue: deque[Connection] = deque()  # of those, the uploads without a place
        self.busy: set[Connection] = set()  # with a thread, or next in line for one
        self.uploads: set[Connection] = set()  # of those, with a body that comes meanwhile
        self.next_round = 0.0

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        super().check_config(cfg, log)
        if cfg.is_ssl or cfg.proxy_protocol != "off" or "h2" in cfg.http_protocols:
            raise ConfigError("TLS, HTTP/2 and the PROXY protocol end at the proxy in front.")

    # --- What the inherited loop calls -----------------------------------------------------------

    def accept(self, listener: socket.socket) -> None:
        """Take a connection; no thread knows of it yet."""
        try:
            accepted, address = listener.accept()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                raise
            return
        client = ClientSocket(fileno=accepted.detach())
        with suppress(OSError):  # macOS: it has left already
            client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        self.nr_conns += 1
        if self.nr_conns >= self.worker_connections:
            self.make_room()
        self.listen_to(Connection(self.cfg, client, address, listener.getsockname()))

    def on_client_socket_readable(self, conn: Connection, client: ClientSocket) -> None:
        """Meet the next request on a connection that was kept."""
        if conn in self.keepalived_conns:  # else closed by an earlier event of this round
            self.poller.unregister(client)
            self.keepalived_conns.remove(conn)
            self.listen_to(conn)

    def enqueue_req(self, conn: Connection) -> None:
        self.leave(conn)
        conn.sock.renew()
        self.busy.add(conn)
        super().enqueue_req(conn)

    def finish_request(self, conn: Connection, fs: "Future[Any]") -> None:
        """Keep the connection for its next request, or close it, without waiting for anybody."""
        self.busy.discard(conn)
        self.uploads.discard(conn)
        if conn.sock.has_unsent():
            self.give_out(conn, fs)
            self.admit()
            return
        try:
            stays = bool(fs.result())
        except Exception:
            stays = False
        if not stays:
            self.linger(conn)
        else:
            conn.sock.ahead = conn.parser.unreader.take_buffered() + conn.sock.ahead
            if conn.sock.ahead:
                self.listen_to(conn)
            else:
                super().finish_request(conn, fs)
        self.admit()

    def give_out(self, conn: Connection, fs: "Future[Any]") -> None:
        """Send what the thread left of the answer as its client reads it; then finish."""

        def on_writable(_socket: object) -> None:
            if conn not in self.waiting:
                return  # closed by an earlier event of this round
            try:
                conn.sock.push()
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                self.drop(conn)
                return
            if not conn.sock.has_unsent():
                self.leave(conn)
                self.finish_request(conn, fs)

        conn.enter(Stage.ANSWER)
        self.waiting[conn] = None
        try:
            conn.sock.setblocking(False)
            conn.sock.going.begin()
            self.poller.register(conn.sock, selectors.EVENT_WRITE, on_writable)
        except (OSError, ValueError):  # closed by its thread
            self.drop(conn)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        super().wait_for_and_dispatch_events(min(timeout, ROUND_SECONDS))

    def murder_pending(self) -> None:
        """Close who has taken too long; called after each wait of the poller."""
        now = time.monotonic()
        if now < self.next_round:
            return
        self.next_round = now + ROUND_SECONDS
        for conn in [each for each in self.waiting if each.overdue(now, stopping=not self.alive)]:
            if conn.stage is Stage.PLACE:
                self.refuse(conn, *_NO_PLACE)
            else:
                self.drop(conn)
        self.hold_addresses(now)
        # The slowest make room for uploads without a place, and for requests without a thread.
        self.cut_slowest(self.uploads, len(self.queue), now)
        self.cut_slowest(self.busy, len(self.busy) - self.cfg.threads, now)

    # --- Before and after a thread ---------------------------------------------------------------

    def listen_to(self, conn: Connection) -> None:
        """Read a request's head and as much of its body as is read ahead."""
        conn.enter(Stage.HEAD)
        self.watch(conn)
        if conn.sock.ahead:
            self.look(conn)

    def watch(self, conn: Connection) -> None:
        self.waiting[conn] = None
        conn.sock.setblocking(False)
        self.poller.register(
            conn.sock, selectors.EVENT_READ, lambda _socket: self.on_readable(conn)
        )

    def on_readable(self, conn: Connection) -> None:
        if conn not in self.waiting:
            return  # closed by an earlier event of this round
        try:
            data = socket.socket.recv(conn.sock, _READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self.drop(conn)
        elif conn.stage is not Stage.END:
            conn.sock.ahead += data
            conn.sock.coming.move(len(data))
            self.look(conn)

    def look(self, conn: Connection) -> None:
        """Find out whether what was read ahead is enough for a thread."""
        ahead = conn.sock.ahead
        if conn.stage is Stage.HEAD:
            end = ahead.find(b"\r\n\r\n")
            if end < 0 and ahead.count(b"\n") != ahead.count(b"\r\n"):
                return self.enqueue_req(conn)  # the parser refuses it as it stands
            if (len(ahead) if end < 0 else end) > HEAD_BYTES:
                return self.refuse(conn, *_TOO_LARGE)
            if end < 0:
                return None
            conn.enter(Stage.BODY)
            conn.sock.renew()
            conn.sock.coming.begin()
            conn.sock.arrived = conn.since
            conn.head_bytes, conn.body = end + 4, Body.announced(ahead[:end])
        body = ahead[conn.head_bytes :]
        if conn.body.complete(body):
            self.enqueue_req(conn)
        elif conn.body.ready(body):
            self.poller.unregister(conn.sock)
            conn.enter(Stage.PLACE)
            self.queue.append(conn)
            self.admit()
        return None

    def admit(self) -> None:
        """Give threads to uploads, to half of the threads at most."""
        while self.queue and len(self.uploads) < max(1, self.cfg.threads // 2):
            conn = self.queue.popleft()
            self.uploads.add(conn)
            self.enqueue_req(conn)

    def leave(self, conn: Connection) -> None:
        """Take a connection out of those that wait, whatever it waited for."""
        self.waiting.pop(conn, None)
        with suppress(ValueError):
            self.queue.remove(conn)
        with suppress(KeyError, ValueError):
            self.poller.unregister(conn.sock)

    # --- Ends ------------------------------------------------------------------------------------

    def drop(self, conn: Connection) -> None:
        self.leave(conn)
        self.nr_conns -= 1
        if conn.stage is Stage.ANSWER:
            with suppress(OSError):  # the kernel need not keep what nobody reads
                conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        conn.close()

    def refuse(self, conn: Connection, status: str, text: str) -> None:
        """Answer without a thread."""
        self.leave(conn)
        content = text.encode()
        head = f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {len(content)}\r\n"
        kind = "Content-Type: text/plain; charset=utf-8\r\n\r\n"
        with suppress(OSError):
            socket.socket.send(conn.sock, (head + kind).encode() + content)
        self.linger(conn)

    def linger(self, conn: Connection) -> None:
        """Say that no more comes, and close when the client has: else it may lose the answer.

        The inherited way waits here, for two seconds, while nobody else is heard.
        """
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            conn.enter(Stage.END)
            self.watch(conn)
        except (OSError, ValueError):
            self.drop(conn)

    def make_room(self) -> None:
        """Close the connection that matters least: all places are taken."""
        least = min(self.waiting, key=lambda conn: conn.stage, default=None)
        if self.keepalived_conns and (least is None or least.stage is not Stage.END):
            least = self.keepalived_conns.popleft()
        if least is not None:
            self.drop(least)

    def hold_addresses(self, now: float) -> None:
        """Close the slowest clients of an address that has too many below the least rate."""
        slow: dict[str, list[Connection]] = defaultdict(list)
        moving = (each for each in self.waiting if each.stage in (Stage.BODY, Stage.ANSWER))
        for conn in (*moving, *self.uploads):
            if conn.pace.is_slow(now) and not conn.from_proxy():
                slow[conn.client[0]].append(conn)
        for found in slow.values():
            found.sort(key=lambda conn: conn.pace.left(now))
            for conn in found[: max(0, len(found) - SLOW_ONES_OF_AN_ADDRESS)]:
                if conn in self.waiting:
                    self.drop(conn)
                else:
                    conn.sock.cut()

    def cut_slowest(self, among: Iterable[Connection], number: int, now: float) -> None:
        """Wake the threads that wait for the slowest clients, as many as are needed elsewhere."""
        if number > 0:
            left = {conn: conn.sock.favour_left(now) for conn in among}
            slow = [conn for conn in left if left[conn] <= 0]
            for conn in sorted(slow, key=left.__getitem__)[:number]:
                conn.sock.cut()
