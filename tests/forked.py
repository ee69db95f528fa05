"""Commands of one installation, each in a child of a process that has loaded Django once.

A process of its own would spend a second on imports before it does anything, hundreds of times.
"""

import contextlib
import json
import os
import runpy
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import django
from django.core.management import execute_from_command_line
from django.db import connections

STREAMS = 3  # input, output, errors


class Commands:
    """`run` is `subprocess.run` of `python -m MODULE WORDS…` or `manage.py WORDS…`, but quicker."""

    def __init__(self, env: Mapping[str, str], cwd: Path) -> None:
        self.env = dict(env)
        self._line, theirs = socket.socketpair()
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "tests.forked"],
            cwd=cwd,
            env=self.env,
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        theirs.close()

    def run(
        self, *words: str, text: str | None = None, timeout: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Its end and what it printed; code 1 and the reason where not even Django could start."""
        ours, theirs = socket.socketpair()
        with contextlib.closing(ours), contextlib.ExitStack() as opened:
            asked, *streams = (opened.enter_context(tempfile.TemporaryFile()) for _ in range(4))
            _rewound(asked, json.dumps(words))
            _rewound(streams[0], text or "")
            with contextlib.closing(theirs), contextlib.suppress(BrokenPipeError):
                numbers = [theirs.fileno(), *(file.fileno() for file in (asked, *streams))]
                socket.send_fds(self._line, [b"."], numbers)
            ours.settimeout(timeout)
            code = ours.recv(8).decode()
            if not code and self._parent.poll() is not None:
                return subprocess.CompletedProcess(words, 1, "", self._parent.communicate()[1])
            return subprocess.CompletedProcess(words, int(code or -1), *map(_all, streams[1:]))

    def close(self) -> None:
        self._line.close()
        self._parent.communicate()


def _rewound(file: IO[bytes], text: str) -> None:
    file.write(text.encode())
    file.seek(0)


def _all(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def serve(line: socket.socket) -> None:
    """Run what is asked for in children until whoever asks has gone."""
    while numbers := socket.recv_fds(line, 1, 2 + STREAMS)[1]:
        if os.fork() == 0:
            line.close()
            _answer(*numbers)
        for number in numbers:
            os.close(number)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _answer(line: int, asked: int, *streams: int) -> None:
    for place, number in enumerate(streams):
        os.dup2(number, place)
    with os.fdopen(asked) as file:
        words: list[str] = json.load(file)
    code = 1
    try:
        code = _code_of(words)
    except BaseException:
        traceback.print_exc()
    finally:
        connections.close_all()  # what SQLite has in its log goes into the file then
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os.write(line, str(code).encode())
        os._exit(code)


def _code_of(words: list[str]) -> int:
    try:
        if words[0] == "manage.py":
            execute_from_command_line(words)
        else:
            sys.argv = words
            runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


if __name__ == "__main__":
    django.setup()
    serve(socket.socket(fileno=os.dup(0)))
