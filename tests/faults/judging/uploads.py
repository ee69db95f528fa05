"""Uploads to a judged contest and to its twin without a judge, and what is compared afterwards."""

from dataclasses import dataclass
from typing import Any

from tests.judging.stack import JudgeStack, file, ranked
from tests.person import Person

ROWS = 8


@dataclass(frozen=True)
class Pairs:
    """Seconds from each POST until the file was ranked, in pairs."""

    judged: list[float]
    plain: list[float]


def people(stack: JudgeStack, number: int) -> list[Person]:
    """The captains of the teams that `tests.faults.judging.made prepare` made."""
    return [Person.signed_in(stack.url, f"person{n}") for n in range(number)]


def hand_in(stack: JudgeStack, members: list[Person], slug: str) -> Pairs:
    """Each member hands the same file in to both contests, in turns the one or the other first.

    While the twin's file is on its way, nothing of the judge runs.
    """
    found = Pairs([], [])
    for number, member in enumerate(members):
        content = file(f"{slug} {number}", ROWS)  # of its own, or the store would know it
        for twin in (True, False) if number % 2 else (False, True):
            if twin:
                with stack.without_judge():
                    found.plain.append(ranked(stack, member, f"{slug}-off", content))
            else:
                found.judged.append(ranked(stack, member, slug, content))
    return found


def repeated(log: Any) -> int:
    """How often the server gave a usable answer to a question it had answered before."""
    return sum(count - 1 for count in log["answered_by_key"].values())


def unknown_ends(tables: Any) -> int:
    """Calls of the ledger whose answer may have been given and was not heard."""
    outcomes = tables["outcomes"]
    lost = sum(outcomes.get(code, 0) for code in ("timeout", "broken_body", "too_large"))
    return int(lost + tables["ledger"].get("unsettled", 0) + tables["ledger"].get("open", 0))
