"""A contest whose golds are corrected while it runs, and everything its boards may say.

python -m tests.faults.gold_fix prepare 12 5 20  # 12 teams with 5 files of 20 rows; draft of v2
python -m tests.faults.gold_fix tables           # JSON: scores by version, times, notices
"""

import json
import sys
from collections import Counter, defaultdict
from datetime import timedelta

import django

django.setup()

from django.utils import timezone  # noqa: E402

from leaderboard.actions.submissions import submit  # noqa: E402
from leaderboard.evaluation.models import Evaluation, SplitScore  # noqa: E402
from leaderboard.inbox.models import Notification  # noqa: E402
from leaderboard.references.models import ScoringVersion  # noqa: E402
from leaderboard.submissions.models import QuotaEntry, Submission  # noqa: E402
from scoring.ranking import printed  # noqa: E402
from tests.faults.drive import contest, texts, upload  # noqa: E402
from tests.leaderboard import builders  # noqa: E402

SLUG = "fix"
CHANGED = 5


def prepare(teams: str, each: str, rows: str) -> None:
    """Files of the last twenty hours wait; v2 has other texts in the first five rows of golds."""
    now = timezone.now()
    made = contest(SLUG, int(rows), daily_limit=1000, max_waiting=1000)
    by = [builders.team(made, f"person{n}") for n in range(int(teams))]
    for n in range(int(teams) * int(each)):
        who = by[n % len(by)]
        at = now - timedelta(hours=20) + timedelta(seconds=n)
        submit(team=who, user=who.captain, upload=upload(int(rows), n), key=f"early{n}", at=at)
    golds = [texts(int(rows), seed) for seed in (1, 2, 3)]
    other = [texts(int(rows), seed) for seed in (11, 12, 13)]
    corrected = {
        name: tuple(gold[name] for gold in (other if number < CHANGED else golds))
        for number, name in enumerate(golds[0])
    }
    splits = {name: ("public", "private")[n % 2] for n, name in enumerate(corrected)}
    draft = builders.uploaded(made, builders.gold_csv(corrected, splits), at=now)
    first = ScoringVersion.objects.get(competition=made, number=1)
    print(json.dumps({"1": str(first.pk), "2": str(draft.pk)}))


def tables() -> None:
    """Scores by version, board and team as the pages print them, and what must not change."""
    scores: dict[str, dict[str, dict[str, list[object]]]] = defaultdict(
        lambda: {"public": defaultdict(list), "private": defaultdict(list)}
    )
    for score in SplitScore.objects.select_related(
        "evaluation__submission__team", "evaluation__scoring_version"
    ):
        metrics = {name: printed(value) / 10_000 for name, value in score.metrics.items()}
        number = str(score.evaluation.scoring_version.draft_number)
        team = score.evaluation.submission.team.name
        scores[number][score.split][team].append([score.printed / 10_000, metrics])
    ended = Counter(Evaluation.objects.filter(state="done").values_list("submission", flat=True))
    print(
        json.dumps(
            {
                "scores": scores,
                "signatures": {
                    str(version.draft_number): version.signature
                    for version in ScoringVersion.objects.all()
                },
                "received": {
                    str(row.pk): row.received_at.isoformat() for row in Submission.objects.all()
                },
                "evaluated": {str(pk): number for pk, number in ended.items()},
                "told": dict(
                    Counter(str(row.subject) for row in Notification.objects.filter(kind="scored"))
                ),
                "charges": QuotaEntry.objects.count(),
            }
        )
    )


COMMANDS = {"prepare": prepare, "tables": tables}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
