"""Golds are corrected in a running contest: rehearsed, looked at, made live, and taken back.

Real workers score, teams go on uploading, and readers read the board all the while.
"""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import pytest

from scoring.ranking import ranks
from tests.faults.drive import upload
from tests.faults.test_killed_workers import states
from tests.person import Person
from tests.stack import Stack

pytestmark = pytest.mark.faults
BOARD = "/c/fix/leaderboard.json"
MOVE = re.compile(
    r"<td[^>]*>(?P<before>\d+|–) → <b>(?P<after>\d+|–)</b></td>"
    r"\s*<th[^>]*>(?:<span[^>]*>)?(?P<team>[^<]+)<.*?"
    r'<td class="num two">(?P<old>[^<]+)</td>\s*<td[^>]*><b>(?P<new>[^<]+)</b></td>',
    re.DOTALL,
)
WAITS = re.compile(r'role="alert"><b>예행 채점이 아직 \d+개 남았습니다\.</b>')


def drive(stack: Stack, *words: str) -> Any:
    """Run `tests.faults.gold_fix` against the stack; its JSON answer."""
    return stack.drive("faults.gold_fix", *words)


@dataclass
class Watcher:
    """Somebody who reads one board without a pause."""

    who: Person
    board: str
    seen: list[dict[str, Any]] = field(default_factory=list)

    def read(self) -> None:
        self.seen.append(self.who.json(f"{BOARD}?board={self.board}"))


@dataclass
class Uploader:
    """Teams that hand in one file after the other."""

    people: list[Person]
    rows: int
    taken: list[str] = field(default_factory=list)

    def hand_in(self) -> None:
        number = len(self.taken)
        who = self.people[number % len(self.people)]
        form, data = "/c/fix/submit", upload(self.rows, 1000 + number).data
        answer = who.upload(form, who.token(form), data)
        assert answer.location is not None, answer.text
        self.taken.append(answer.location.rsplit("/", 1)[-1])
        time.sleep(0.2)


@contextmanager
def meanwhile(*actors: Watcher | Uploader) -> Iterator[None]:
    """Let each act again and again in a thread of its own; what one of them met is raised."""
    over = threading.Event()
    met: list[BaseException] = []

    def act(step: Any) -> None:
        try:
            while not over.is_set():
                step()
        except BaseException as error:
            met.append(error)

    steps = [actor.read if isinstance(actor, Watcher) else actor.hand_in for actor in actors]
    threads = [threading.Thread(target=act, args=(step,)) for step in steps]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(60)
    assert met == []


@dataclass(frozen=True)
class Desk:
    """Olivia at the rehearsal's page of one version."""

    stack: Stack
    olivia: Person
    page: str

    def rehearse(self) -> None:
        answer = self.olivia.send(self.page, {"verb": "rehearse"})
        assert answer.status == 302, (answer.text, self.stack.logs())

    def nothing_left(self) -> bool:
        text = self.olivia.get(self.page).text
        return re.search(r"남은 예행 채점</dt>\s*<dd>\s*0\s*</dd>", text) is not None

    def preview(self, board: str) -> list[tuple[str, ...]]:
        """The moves in the order of the page: team, ranks and totals before and after."""
        text = self.olivia.get(f"{self.page}?board={board}&all=1").text
        return [
            found.group("team", "before", "after", "old", "new") for found in MOVE.finditer(text)
        ]

    def make_live(self, number: int) -> None:
        """Press until it is taken: an upload that came meanwhile must be scored first."""

        def taken() -> bool:
            shown = self.olivia.send(self.page, {"verb": "make_live"}).text
            seen = re.search(r'name="seen" value="(\w+)"', shown)
            sent = {"verb": "make_live", "seen": seen[1] if seen else ""}
            answer = self.olivia.send(self.page, sent)
            waits = answer.status == 200 or WAITS.search(answer.text) is not None
            assert answer.status == 302 or waits, (answer.text, self.stack.logs())
            return not waits

        self.stack.wait_for(taken, 60, f"v{number} live")
        assert self.olivia.json(BOARD)["version"] == number


def lines(answer: dict[str, Any]) -> list[tuple[str, str, str]]:
    """A board as the preview prints it: team, rank, total."""
    return [(row["team"], str(row["rank"]), f"{row['total']:.4f}") for row in answer["rows"]]


def check_no_mix(answer: dict[str, Any], tables: dict[str, Any]) -> None:
    """Every row of an answer is a score of the one version that the answer names."""
    number = str(answer["version"])
    assert answer["signature"] == tables["signatures"][number]
    own = tables["scores"][number][answer["board"]]
    for row in answer["rows"]:
        assert [row["total"], row["metrics"]] in own[row["team"]], (number, row)
    totals = [round(row["total"] * 10_000) for row in answer["rows"]]
    assert totals == sorted(totals, reverse=True)
    assert [row["rank"] for row in answer["rows"]] == ranks(totals)


def check_promise(moves: list[tuple[str, ...]], board: dict[str, Any]) -> None:
    """The preview foretold exactly this board, and somebody moves."""
    assert [(team, after, new) for team, _, after, _, new in moves] == lines(board)
    assert any(was != after for _, was, after, _, _ in moves)


def check_seen(db: str, watchers: list[Watcher], tables: dict[str, Any]) -> None:
    """The readers saw v1, then v2, then v1, and each answer is of one version alone."""
    for number, other in (("1", "2"), ("2", "1")):
        for board, by_team in tables["scores"][number].items():
            for team, scores in by_team.items():
                elsewhere = tables["scores"][other][board][team]
                assert not [s for s in scores if s in elsewhere], "a mix would not show"
    for watcher in watchers:
        assert [n for n, _ in groupby(a["version"] for a in watcher.seen)] == [1, 2, 1]
        for answer in watcher.seen:
            check_no_mix(answer, tables)
        print(f"{db} {watcher.board}: {len(watcher.seen)} answers, none of two versions")


def check_unmoved(then: dict[str, Any], now: dict[str, Any], active: set[str]) -> None:
    """Who handed in nothing more stands as in the beginning, with the old time.

    A file's lift and length come when a worker had time to look, which may be between the two.
    """
    today = {row["team"]: row for row in now["rows"]}
    for row in then["rows"]:
        if row["team"] not in active:
            later = today[row["team"]].keys() - row.keys()
            assert later <= {"lift_percent", "length"}
            stands = {name: today[row["team"]][name] for name in row}
            assert {**stands, "rank": 0} == {**row, "rank": 0}


@pytest.mark.parametrize(
    ("db", "teams", "each", "rows"),
    [
        ("sqlite", 8, 3, 20),
        pytest.param("postgres", 12, 5, 20, marks=[pytest.mark.services, pytest.mark.slow]),
        pytest.param("sqlite", 30, 10, 100, marks=pytest.mark.slow),
    ],
    ids=["sqlite", "postgres", "three_hundred"],
)
def test_corrected_golds_come_and_go_while_everybody_goes_on(
    db: Any, teams: int, each: int, rows: int
) -> None:
    with Stack(db) as stack:
        versions = drive(stack, "prepare", str(teams), str(each), str(rows))
        early = teams * each
        olivia = Person.signed_in(stack.url, "olivia")
        desks = {
            number: Desk(stack, olivia, f"/c/fix/desk/golds/{pk}/rehearsal")
            for number, pk in versions.items()
        }

        def all_ended() -> bool:
            return set(states(stack)) == {"done"}

        stack.wait_for(all_ended, 180, "all scored under v1")
        before = drive(stack, "tables")
        first_board = {b: olivia.json(f"{BOARD}?board={b}") for b in ("public", "private")}
        uploader = Uploader([Person.signed_in(stack.url, f"person{n}") for n in range(3)], rows)
        watchers = [
            Watcher(Person(stack.url, "somebody"), "public"),
            Watcher(olivia.copy(), "private"),
        ]

        # v2: rehearsed while uploads go on; looked at when all has ended; made live.
        with meanwhile(*watchers):
            with meanwhile(uploader):
                desks["2"].rehearse()
                stack.wait_for(lambda: len(uploader.taken) > 5, 60, "uploads meanwhile")
            under_both = list(uploader.taken)
            stack.wait_for(desks["2"].nothing_left, 120, "v2 rehearsed")
            stack.wait_for(all_ended, 60, "the uploads scored under v1 too")
            promised = {board: desks["2"].preview(board) for board in first_board}
            assert olivia.json(BOARD)["version"] == 1, "unseen until it is made live"
            desks["2"].make_live(2)
            time.sleep(0.5)
        second_board = {b: olivia.json(f"{BOARD}?board={b}") for b in first_board}
        for board, moves in promised.items():
            assert len(moves) == teams
            check_promise(moves, second_board[board])

        # v1 again: the switch itself happens while uploads go on.
        with meanwhile(*watchers, uploader):
            desks["1"].rehearse()
            desks["1"].make_live(1)
            taken = len(uploader.taken)
            stack.wait_for(lambda: len(uploader.taken) > taken + 2, 60, "uploads after it")
        stack.wait_for(all_ended, 120, "all scored")
        stack.manage("rebuild_standings", "--check")
        after = drive(stack, "tables")

        check_seen(db, watchers, after)
        active = {person.name for person in uploader.people}
        for board, answer in first_board.items():
            check_unmoved(answer, olivia.json(f"{BOARD}?board={board}"), active)
        received = after["received"]
        assert before["received"].items() <= received.items(), "times of upload stay"
        assert len(received) == early + len(uploader.taken) == after["charges"]
        assert all(after["evaluated"][pk] == 2 for pk in [*before["received"], *under_both])
        assert set(before["told"].values()) == {1}
        assert all(after["told"].get(pk, 0) <= 1 for pk in received), "told once, not per version"
        assert all(after["told"][pk] == 1 for pk in under_both)
