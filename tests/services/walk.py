"""One process of several that do whatever a contest allows, at random, on the same database.

python -m tests.services.walk prepare            # two contests, teams, versions
python -m tests.services.walk walk SEED SECONDS  # JSON: what was done, and every error
                                                 # (STEPs behind it: goes on until each was done)
python -m tests.services.walk finish             # score what still waits, then look at the sums
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from uuid import UUID

import django
from django.conf import settings

django.setup()
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

from django.db import connection  # noqa: E402
from django.db.models import Count, QuerySet  # noqa: E402

from leaderboard.evaluation.claim import ask_missing  # noqa: E402
from leaderboard.submissions.models import Cancellation, QuotaEntry, Submission  # noqa: E402
from leaderboard.teams.models import Team  # noqa: E402
from tests.leaderboard import builders  # noqa: E402
from tests.leaderboard.builders import CLOSES, GOLDS, OPENS  # noqa: E402
from tests.leaderboard.disagreements import disagreements  # noqa: E402
from tests.lock_order import LockOrder  # noqa: E402
from tests.services.walker import OTHER, SIDE, SLUG, Walker  # noqa: E402

TEAMS = 6
# Steps of apps that may be left out, each in the folder of its name.
OTHERS = [
    import_module(f"tests.services.{file.parent.name}.walk")
    for file in sorted(Path(__file__).parent.glob("*/walk.py"))
]
STEPS: list[type[Walker]] = [Walker, *(other.Steps for other in OTHERS)]
WEIGHTS = {name: weight for steps in STEPS for name, weight in steps.WEIGHTS.items()}
VERBS = {name: verb for steps in STEPS for name, verb in steps.VERBS.items()}
Everything = type("Everything", tuple(STEPS[::-1]), {"WEIGHTS": WEIGHTS, "VERBS": VERBS})

for _other in OTHERS:
    _other.configure(settings)


def prepare() -> None:
    made = builders.competition(SLUG, daily_limit=1000, max_waiting=1000)
    builders.live(made)
    for preset, golds in (("mean-sum", GOLDS), ("max-sum", OTHER)):
        builders.uploaded(made, builders.gold_csv(golds), preset=preset, at=OPENS)
    for n in range(TEAMS):
        builders.team(made, f"guest{n}")
    builders.team(builders.competition(SIDE), "guest0")
    for other in OTHERS:
        other.prepare(made)


def walk(seed: str, seconds: str, *certain: str) -> None:
    with connection.execute_wrapper(LockOrder()):
        print(json.dumps(Everything(int(seed)).walk(float(seconds), certain)))


def finish() -> None:
    """Score what still waits; then every ledger is the sum of its lines, and teams agree."""
    ask_missing(at=CLOSES)
    scored, wrong = builders.score_all(), [*ledgers(), *disagreements()]
    for other in OTHERS:
        wrong += other.sums()
    print(json.dumps({"scored": scored, "sums": wrong}))


def ledgers() -> list[str]:
    """Teams without one charge for each file, and files taken back but not paid back."""
    charged = dict(lines("charge").values_list("submission").annotate(Count("pk")))
    files = Submission.objects.filter(team__kind=Team.Kind.PARTICIPANT)
    wrong = [f"{pk} charged {charged.get(pk)}" for pk in ids(files) if charged.get(pk) != 1]
    paid_back = set(lines("refund").values_list("submission", flat=True))
    taken_back = Cancellation.objects.values_list("submission", flat=True)
    return wrong + [f"{pk} not paid back" for pk in taken_back if pk not in paid_back]


def lines(kind: str) -> QuerySet[QuotaEntry]:
    return QuotaEntry.objects.filter(kind=kind).order_by()


def ids(rows: QuerySet[Submission]) -> QuerySet[Submission, UUID]:
    return rows.values_list("pk", flat=True)


COMMANDS = {"prepare": prepare, "walk": walk, "finish": finish}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
