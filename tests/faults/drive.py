"""What a fault test asks of a stack's database, run as a process of its own.

python -m tests.faults.drive prepare 100 300     # 100 submissions of 300 rows wait
python -m tests.faults.drive audit               # JSON: what is there now
python -m tests.faults.drive rescore 10          # JSON: how many give the same values again
"""

import json
import random
import sys
from datetime import timedelta
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from leaderboard.actions.competition import create_competition  # noqa: E402
from leaderboard.actions.submissions import submit  # noqa: E402
from leaderboard.competitions.models import Competition  # noqa: E402
from leaderboard.evaluation.models import Evaluation, SplitScore  # noqa: E402
from leaderboard.evaluation.run import prepared_references  # noqa: E402
from leaderboard.submissions.models import QuotaEntry, Submission, submission_storage  # noqa: E402
from leaderboard.submissions.queries import Upload  # noqa: E402
from leaderboard.submissions.queries import texts as texts_of_file  # noqa: E402
from scoring.pipeline import score  # noqa: E402
from tests.leaderboard import builders  # noqa: E402

CANARY = "카나리아는새벽에운다"
WORDS = "민수 는 내일 도서관 에서 지우 를 만나 책 을 돌려주 고 점심 을 먹 기로 했 다".split()  # noqa: SIM905


def texts(rows: int, seed: int) -> dict[str, str]:
    """Sentences of 12 words drawn by a seed; ids are not consecutive."""
    draw = random.Random(seed)
    return {f"test_{2 * n}": " ".join(draw.choices(WORDS, k=12)) + "." for n in range(rows)}


def contest(slug: str, rows: int, tokenizer: str = "mecab-ko", **fields: Any) -> Competition:
    now = timezone.now()
    made = create_competition(
        owner=builders.creator(),
        at=now,
        slug=slug,
        title=slug,
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=1),
        reveals_at=now + timedelta(days=2),
        **fields,
    )
    golds = [texts(rows, seed) for seed in (1, 2, 3)]
    first = next(iter(golds[0]))
    rows_of = {
        name: tuple(f"{gold[name]} {CANARY}" if name == first else gold[name] for gold in golds)
        for name in golds[0]
    }
    splits = {name: ("public", "private")[n % 2] for n, name in enumerate(rows_of)}
    builders.live(made, builders.gold_csv(rows_of, splits), tokenizer=tokenizer)
    return made


def upload(rows: int, seed: int) -> Upload:
    lines = ["fname,summary", *(f"{name},{text}" for name, text in texts(rows, seed).items())]
    return Upload(f"seed-{seed}.csv", "\n".join(lines).encode())


def prepare(number: str, rows: str, tokenizer: str = "mecab-ko", people: str = "5") -> None:
    """A contest, teams of one, and `number` submissions that wait."""
    made = contest("faults", int(rows), tokenizer, daily_limit=1000, max_waiting=1000)
    teams = [builders.team(made, f"person{n}") for n in range(int(people))]
    for n in range(int(number)):
        by = teams[n % len(teams)]
        submit(team=by, user=by.captain, upload=upload(int(rows), n), key=str(n), at=timezone.now())


def audit() -> None:
    """Everything that must hold after any fault; standings are checked by their own command."""
    call_command("rebuild_standings", "--check", stdout=sys.stderr)
    evaluations = list(Evaluation.objects.all())
    files = set(submission_storage().listdir("")[1])
    print(
        json.dumps(
            {
                "submissions": Submission.objects.count(),
                "evaluations": len(evaluations),
                "states": sorted({row.state for row in evaluations}),
                "attempts": [row.attempt for row in evaluations],
                "scores": SplitScore.objects.count(),
                "charges": QuotaEntry.objects.filter(kind="charge").count(),
                "refunds": QuotaEntry.objects.filter(kind="refund").count(),
                "without_file": Submission.objects.exclude(file__in=files).count(),
            }
        )
    )


def rescore(number: str) -> None:
    """Score so many files anew; how many give the very values that are kept of them."""
    rows = Evaluation.objects.filter(state="done").order_by("finished_at", "pk")[: int(number)]
    equal = 0
    for row in rows:
        version = row.scoring_version
        prepared = prepared_references(version.reference_set_id, version.profile())
        given = texts_of_file(row.submission_id)
        report = score({name: given[name] for name in prepared.references.ids}, prepared)
        equal += report.example_blob() == bytes(row.example_scores.blob) and all(
            (part.total, part.signature)
            == (report.splits[part.split].total, report.splits[part.split].signature)
            for part in row.scores.all()
        )
    print(equal)


COMMANDS = {"prepare": prepare, "audit": audit, "rescore": rescore}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
