"""A proxy on the loopback that cuts connections after so many bytes."""

import contextlib
import random
import socket
import threading
from collections.abc import Iterator
from typing import NamedTuple


class Cut(NamedTuple):
    """After how many bytes, of the request or else of the answer."""

    of_request: bool
    after: int


def cuts(number: int, *, seed: int, request: int, answer: int) -> list[Cut]:
    """Random points of requests and answers of about these lengths."""
    draw = random.Random(seed)
    return [
        Cut(of_request, draw.randrange(request if of_request else answer))
        for of_request in (bool(draw.randrange(2)) for _ in range(number))
    ]


@contextlib.contextmanager
def cutting(port: int, points: list[Cut]) -> Iterator[str]:
    """The address of a proxy before `port` that cuts its first connections there, and then none."""
    listener = socket.create_server(("127.0.0.1", 0))
    left = iter(points)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                inside, _ = listener.accept()
                threading.Thread(target=_carry, args=(inside, port, next(left, None))).start()

    threading.Thread(target=accept, daemon=True).start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def _carry(inside: socket.socket, port: int, cut: Cut | None) -> None:
    outside = socket.create_connection(("127.0.0.1", port))
    both = (inside, outside)
    request = cut.after if cut and cut.of_request else None
    answer = cut.after if cut and not cut.of_request else None
    sender = threading.Thread(target=_pump, args=(inside, outside, request, both))
    sender.start()
    _pump(outside, inside, answer, both)
    sender.join()
    for end in both:
        end.close()


def _pump(
    source: socket.socket, target: socket.socket, left: int | None, both: tuple[socket.socket, ...]
) -> None:
    """Carry bytes until one end closes, or `left` of them have gone over: then close both."""
    with contextlib.suppress(OSError):
        while left != 0:
            data = source.recv(4096 if left is None else min(left, 4096))
            if not data:
                break
            target.sendall(data)
            left = None if left is None else left - len(data)
    for end in both:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
