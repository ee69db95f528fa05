"""Doing several things at the same instant, on connections of their own."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import close_old_connections, connection, transaction

from leaderboard.competitions.locking import lock
from leaderboard.refusals import Refused
from tests.lock_order import LockOrder


def answer_of(act: Callable[[], Any]) -> str:
    """`done`, the code of the refusal, or the name of an error that nobody should meet."""
    try:
        act()
    except Refused as refused:
        return refused.code
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "done"


def all_at_once(*acts: Callable[[], Any]) -> Counter[str]:
    """What each of these answered, begun at the same instant on connections of their own."""
    barrier, answers = threading.Barrier(len(acts)), Counter[str]()

    def run(act: Callable[[], Any]) -> None:
        close_old_connections()
        barrier.wait(20)
        with connection.execute_wrapper(LockOrder()):
            answers[answer_of(act)] += 1
        connection.close()

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return answers


@contextmanager
def waiting(act: Callable[[], Any], rows: Any) -> Iterator[list[str]]:
    """`act` begins while these rows are locked here; its answer is there after the block."""
    answers: list[str] = []

    def run() -> None:
        answers.append(answer_of(act))
        connection.close()

    thread = threading.Thread(target=run)
    with transaction.atomic():
        lock(rows)
        thread.start()
        time.sleep(0.5)  # far longer than it takes to come to the lock
        yield answers
    thread.join(60)
