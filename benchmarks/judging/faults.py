"""`python -m benchmarks.judging.faults`: every fault of a judge while files come in, and 20 kills.

Real parts over loopback: gunicorn, SQLite, the folder broker, scoring worker, judge worker, sweeper
and the fake judge. For each fault twenty teams hand the same file in to a judged contest and to its
twin without a judge, in turns; while the twin's file is on its way, everything of the judge stands
still. Then the fault ends and all has to be judged.

`scored`, `as 0`, `blocked`: rows while the fault lasts, which an organizer has judged anew
afterwards where the server lied. `all s`: seconds from its end until every row has a score.
`again`: usable answers the server gave to a question it had answered; `lost`: calls that the client
gave up on, whose answer may have been given. `--check` runs a few, to see that it works.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.judging.fake.faults import FAULTS
from tests.faults.judging.kills import Counts, kill_in_the_middle
from tests.faults.judging.uploads import ROWS, Pairs, hand_in, people, repeated, unknown_ends
from tests.judging.stack import SERVER, JudgeStack
from tests.person import Person

TEAMS, KILLS, KILL_ROWS = 20, 20, 200
WARM_UP = 4  # pairs before the first table: every process has met its first file
GOAL_RATIO = 1.2
DEAD = "dead"
SLOW_SECONDS = 3  # longer than a client of the stack waits
# An answer takes this while files come in: a fake that answers at once would take the processor
# that a real judge, elsewhere, does not. Afterwards it need not dawdle.
ANSWER_SECONDS, HURRIED_SECONDS = 0.4, 0.02


@dataclass(frozen=True)
class Outcome:
    """One fault: the pairs of uploads, and what the tables said during and after it."""

    fault: str
    pairs: Pairs
    same_board: bool
    during: Mapping[str, Any]
    after: Mapping[str, Any]
    log: Mapping[str, Any]
    complete_after: float

    @property
    def ratio(self) -> float:
        return statistics.median(self.pairs.judged) / statistics.median(self.pairs.plain)

    @property
    def repeats(self) -> int:
        return repeated(self.log)

    @property
    def allowed(self) -> int:
        return unknown_ends(self.after)

    @property
    def met(self) -> bool:
        """The board is that of the twin; all is judged; nothing that was stored is asked again."""
        done = self.after["statuses"] == {"scored": TEAMS * ROWS // 2}
        return self.same_board and done and self.repeats <= self.allowed


def disturbed(stack: JudgeStack, members: list[Person], fault: str) -> Outcome:
    """One fault from its beginning until everything is judged."""
    slug = f"f-{fault}"
    stack.judged("prepare", f"{slug}:{ROWS}:{len(members)}")
    plan = [] if fault == DEAD else [{"fault": fault, "times": None}]
    stack.control(faults=plan, slow=SLOW_SECONDS, delay=ANSWER_SECONDS, forget=True)
    if fault == DEAD:
        stack.kill(SERVER)
    pairs = hand_in(stack, members, slug)
    board = stack.board(slug)
    time.sleep(1)  # the judge goes on being asked, and failing, without any upload
    during = stack.tables(slug)
    if fault == DEAD:
        stack.restart(SERVER)
        stack.wait_for(stack.judge_answers, 20, "the fake judge again")
    stack.control(faults=[], delay=HURRIED_SECONDS)
    ended = time.monotonic()
    stack.judged("mend", slug)
    stack.wait_for(lambda: stack.complete(slug), 120, f"everything judged after {fault}")
    same = board == stack.board(slug) == stack.board(f"{slug}-off")
    took = time.monotonic() - ended
    return Outcome(fault, pairs, same, during, stack.tables(slug), stack.judge_log(), took)


def line(found: Outcome) -> str:
    """One line of the table."""
    then = found.during["statuses"]
    cells = [
        f"{found.fault:<16}",
        f"{statistics.median(found.pairs.judged) * 1000:6.0f}",
        f"{statistics.median(found.pairs.plain) * 1000:6.0f}",
        f"{found.ratio:5.2f}",
        f"{'same' if found.same_board else 'DIFFERS':>7}",
        f"{then.get('scored', 0):7}",
        f"{then.get('content_failed', 0):5}",
        f"{then.get('source_blocked', 0):7}",
        f"{found.complete_after:7.1f}",
        f"{found.log['requests']:6}",
        f"{found.after['stored']:6}",
        f"{found.repeats:4}/{found.allowed}",
    ]
    return "  ".join(cells)


HEAD = (
    "fault             judged   plain  ratio    board   scored   as 0  blocked    all s   asked  "
    "stored  again/lost"
)


def print_kills(found: Counts) -> bool:
    """The second table; whether it holds."""
    print(f"judge worker killed {found.kills} times")
    for name in ("in_flight", "asked", "repeats", "ledger", "settled", "stored", "unsettled"):
        print(f"  {name.replace('_', ' '):<10} {getattr(found, name):6}")
    return (
        found.repeats <= found.unsettled
        and found.settled == found.stored
        and 0 <= found.ledger - found.asked <= found.unsettled
    )


def main() -> int:
    """Print both tables; 1 if a goal is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--fault", action="append", help="only these")
    options = parser.parse_args()
    faults = options.fault or (["dead", "500", "prose"] if options.check else [DEAD, *FAULTS])
    kills, rows = (3, 40) if options.check else (KILLS, KILL_ROWS)
    with JudgeStack() as stack:
        stack.judged("prepare", f"warm:{ROWS}:{TEAMS}", f"killed:{rows}:{TEAMS}")
        members = people(stack, TEAMS)
        hand_in(stack, members[:WARM_UP], "warm")
        print(f"{TEAMS} files a fault, {ROWS} rows, POST to ranked in ms (medians)")
        print(f"while files come in, an answer takes the judge {ANSWER_SECONDS} s")
        print(HEAD, flush=True)
        found = []
        for fault in faults:
            found.append(disturbed(stack, members, fault))
            print(line(found[-1]), flush=True)
        kept = print_kills(kill_in_the_middle(stack, members[:2], "killed", rows=rows, kills=kills))
    judged = [second for one in found for second in one.pairs.judged]
    plain = [second for one in found for second in one.pairs.plain]
    ratio = statistics.median(judged) / statistics.median(plain)
    met = kept and all(one.met for one in found) and ratio <= GOAL_RATIO
    print(json.dumps({"ratio": round(ratio, 2), "goal_ratio": GOAL_RATIO, "met": met}))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
