"""How many requests each route answered, how, and how fast, since this server started.

One table in memory for all processes of a gunicorn: it is made before they are forked, so any of
them tells the whole. Each machine and container has its own.
"""

import fcntl
import mmap
import tempfile
import threading
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, product
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.urls import get_resolver

BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds; one more for what took longer
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "other")
CLASSES = ("2xx", "3xx", "4xx", "5xx")
NO_ROUTE = "none"  # static files, probes, and addresses that lead nowhere
_CELLS = len(BUCKETS) + 2  # the last one: the sum of seconds


class Counted(NamedTuple):
    """Requests of one route, method and class of status; `buckets`: up to each bound, then all."""

    labels: tuple[str, str, str]
    buckets: list[tuple[str, float]]
    seconds: float


class Table:
    """Numbers in a file without a name, which the kernel unlocks when a process is killed."""

    def __init__(self, routes: list[str]) -> None:
        keys = product(routes, METHODS, CLASSES)
        self._places = {key: number * _CELLS for number, key in enumerate(keys)}
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (it stays open)
        self._file.truncate(8 * _CELLS * len(self._places))
        self._cells = memoryview(mmap.mmap(self._file.fileno(), 0)).cast("d")
        self._threads = threading.Lock()  # the file's lock knows processes alone

    def count(self, request: HttpRequest, status: int, seconds: float) -> None:
        route = request.resolver_match.view_name if request.resolver_match else NO_ROUTE
        method = request.method if request.method in METHODS else "other"
        place = self._places.get((route, str(method), f"{status // 100}xx"))
        if place is None:
            return  # a status of no class, such as 101
        with self._threads:
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            try:
                self._cells[place + bisect_left(BUCKETS, seconds)] += 1
                self._cells[place + _CELLS - 1] += seconds
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)

    def counted(self) -> Iterator[Counted]:
        """What was asked for at all."""
        bounds = [*map(str, BUCKETS), "+Inf"]
        for key, place in self._places.items():
            *cells, seconds = self._cells[place : place + _CELLS]
            if any(cells):
                yield Counted(key, list(zip(bounds, accumulate(cells), strict=True)), seconds)


@cache
def table() -> Table:
    """This server's; asked for once before the processes are forked."""
    return Table([*_names(get_resolver(), ""), NO_ROUTE])


def _names(resolver: Any, prefix: str) -> list[str]:
    """Every name that `resolver_match.view_name` may have; of one without, its function's path."""
    found: dict[str, None] = {}
    for pattern in resolver.url_patterns:
        if hasattr(pattern, "url_patterns"):
            own = f"{prefix}{pattern.namespace}:" if pattern.namespace else prefix
            found |= dict.fromkeys(_names(pattern, own))
        else:
            found[f"{prefix}{pattern.name or pattern.lookup_str}"] = None
    return list(found)
