"""Fifty clients of a team hand in at the same instant, and no worker runs: the limits hold."""

import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest

from tests.person import Answer, Person
from tests.stack import Stack

pytestmark = pytest.mark.faults
CLIENTS = 50
Database = Literal["sqlite", "postgres"]
WORDS = "민수 는 내일 도서관 에서 지우 를 만나 책 을 돌려주 고 점심 을 먹 기로 했 다".split()  # noqa: SIM905


@pytest.fixture(
    scope="module",
    params=[
        # One writes at a time there; only where many do can the limits fail to hold.
        pytest.param("sqlite", marks=pytest.mark.slow),
        pytest.param("postgres", marks=pytest.mark.services),
    ],
)
def web(request: pytest.FixtureRequest) -> Iterator[Stack]:
    """Only the web server, as `./run` starts it, with the contests of `crowd`."""
    db: Database = request.param
    with Stack(db, only=("web",)) as stack:
        crowd(stack, "prepare")
        yield stack


def crowd(stack: Stack, *words: str) -> Any:
    """Run `tests.faults.crowd` against the stack; its JSON answer, if it prints one."""
    return stack.drive("faults.crowd", *words)


def file(seed: int, rows: int = 20) -> bytes:
    """A valid file for the contests of `crowd`; each seed another one."""
    draw = random.Random(seed)
    lines = [f"test_{2 * n},{' '.join(draw.choices(WORDS, k=12))}." for n in range(rows)]
    return "\n".join(["fname,summary", *lines]).encode()


def all_at_once(
    stack: Stack,
    slug: str,
    file_of: Callable[[int], bytes],
    key_of: Callable[[int], str | None],
) -> list[Answer]:
    """Two people's windows press the button together; the answers in their order."""
    people = [Person.signed_in(stack.url, name) for name in ("alice", "bob")]
    forms = [person.token(f"/c/{slug}/submit") for person in people]
    windows = [people[n % len(people)].copy() for n in range(CLIENTS)]
    barrier = threading.Barrier(CLIENTS)
    answers: dict[int, Answer] = {}
    took: dict[int, float] = {}

    def press(n: int) -> None:
        barrier.wait(60)
        began = time.monotonic()
        form = forms[n % len(people)]
        answers[n] = windows[n].upload(f"/c/{slug}/submit", form, file_of(n), key=key_of(n))
        took[n] = time.monotonic() - began

    threads = [threading.Thread(target=press, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(answers) == CLIENTS, stack.logs()
    p95 = statistics.quantiles(took.values(), n=20)[-1]
    print(f"{slug}: {CLIENTS} at once, p95 {p95:.2f} s, longest {max(took.values()):.2f} s")
    return [answers[n] for n in range(CLIENTS)]


def refused(answers: list[Answer]) -> list[Answer]:
    return [answer for answer in answers if answer.status != 302]


@pytest.mark.parametrize(
    ("slug", "accepted", "reason"),
    [
        ("many", 12, "오늘 낼 수 있는 횟수를 모두 썼습니다."),
        ("three", 3, "이 팀의 제출 3개가 아직 채점을 기다립니다."),
    ],
    ids=["daily_limit", "max_waiting"],
)
def test_of_fifty_at_once_exactly_as_many_as_allowed_are_taken(
    web: Stack, slug: str, accepted: int, reason: str
) -> None:
    answers = all_at_once(web, slug, file, lambda n: None)
    assert Counter(answer.status for answer in answers) == {
        302: accepted,
        429: CLIENTS - accepted,
    }, web.logs()
    # Beyond thirty refusals an hour the brake on floods may answer instead, as cleanly.
    assert sum(reason in answer.text for answer in refused(answers)) >= 30
    for answer in refused(answers):
        assert answer.retry_after is not None
        assert 0 < answer.retry_after <= 86_400
    taken = {answer.location for answer in answers if answer.status == 302}
    assert len(taken) == accepted, "each its own submission"
    now = crowd(web, "tables", slug)
    assert now["submissions"] == now["evaluations"] == now["charged"] == accepted
    assert now["charged_once"] == accepted
    assert now["left_today"] == 12 - accepted
    assert (now["other_lines"], now["without_file"], now["files_of_nobody"]) == (0, 0, 0)
    page = Person.signed_in(web.url, "bob").get(f"/c/{slug}/submit").text
    assert f"{12 - accepted} / 12" in page, "the strip says the same"


def test_one_key_pressed_fifty_times_is_one_submission(web: Stack) -> None:
    # Every fifth window sends another file under the same key.
    answers = all_at_once(web, "one-key", lambda n: file(n % 5 == 0), lambda n: "one-key")
    status = Counter(answer.status for answer in answers)
    assert set(status) == {302, 422}, web.logs()
    assert sorted(status.values()) == [10, 40], "those who sent the bytes that came first"
    assert len({answer.location for answer in answers if answer.status == 302}) == 1
    now = crowd(web, "tables", "one-key")
    assert now["submissions"] == now["evaluations"] == now["charged"] == 1
    assert (now["left_today"], now["files_of_nobody"]) == (11, 0)
    assert now["newest"] in next(a.location for a in answers if a.location)
