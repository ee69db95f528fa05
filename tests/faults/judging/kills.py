"""Killing the judge worker in the middle of judging, and counting what was asked twice."""

from dataclasses import dataclass

from tests.faults.judging.uploads import unknown_ends
from tests.judging.stack import JUDGE, JudgeStack, file, ranked
from tests.person import Person

DELAY = 0.15  # seconds an answer takes, so that a kill always finds calls under way


@dataclass(frozen=True)
class Counts:
    """What came of it. in_flight: calls under way at the kills, as the server saw them.

    repeats: requests for a question that had been asked before. ledger: calls that were paid for;
    settled: those whose answer was stored; unsettled: listed as having an unknown end.
    """

    kills: int
    in_flight: int
    asked: int
    repeats: int
    ledger: int
    settled: int
    unsettled: int
    stored: int


def kill_in_the_middle(
    stack: JudgeStack, members: list[Person], slug: str, *, rows: int, kills: int
) -> Counts:
    """Hand files in, kill the worker `kills` times while it judges them, wait until all is judged.

    Kills are spread over the work: the next one comes when its share of the answers was given.
    """
    stack.control(delay=DELAY, forget=True)
    for number, member in enumerate(members):
        ranked(stack, member, slug, file(f"{slug} {number}", rows))
    calls = len(members) * rows // 2 * 3
    in_flight = 0
    for number in range(1, kills + 1):
        share = calls * number // (kills + 2)
        stack.wait_for(
            lambda goal=share: (now := stack.judge_log())["answered"] >= goal and now["in_flight"],  # type: ignore[misc]
            60,
            f"{share} answers and calls under way",
        )
        in_flight += stack.judge_log()["in_flight"]
        stack.kill(JUDGE, tree=True)
        stack.restart(JUDGE)
    stack.wait_for(lambda: stack.complete(slug), 60 + 10 * kills, "everything judged")
    stack.control(delay=0)
    log, tables = stack.judge_log(), stack.tables(slug)
    return Counts(
        kills=kills,
        in_flight=in_flight,
        asked=log["requests"],
        repeats=sum(count - 1 for count in log["asked_by_key"].values()),
        ledger=sum(tables["ledger"].values()),
        settled=tables["ledger"]["answered"],
        unsettled=unknown_ends(tables),
        stored=tables["stored"],
    )
