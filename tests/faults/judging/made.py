"""Judged contests and their twins without a judge.

python -m tests.faults.judging.made prepare talk:12:20   # talk and talk-off: 12 rows
python -m tests.faults.judging.made mend talk            # as an organizer does
"""

import contextlib
import sys

import django

django.setup()

from django.utils import timezone  # noqa: E402

from leaderboard.competitions.models import Competition  # noqa: E402
from leaderboard.judging.actions.judgings import UNANSWERED, rejudge  # noqa: E402
from leaderboard.judging.actions.running import close_judge_circuit  # noqa: E402
from leaderboard.judging.fake.answers import question  # noqa: E402
from leaderboard.judging.models import Artefact, JudgeConfig, Judging  # noqa: E402
from leaderboard.refusals import Refused  # noqa: E402
from tests.faults.drive import contest, texts  # noqa: E402
from tests.leaderboard import builders  # noqa: E402
from tests.leaderboard.judging import stage  # noqa: E402

LIMITS = {"daily_limit": 1000, "max_waiting": 1000}


def prepare(*pairs: str) -> None:
    """Each `slug:rows:teams`: two contests with the same golds and teams, half the rows public."""
    for words in pairs:
        slug, rows, teams = words.split(":")
        for name in (slug, f"{slug}-off"):
            made = contest(name, int(rows), **LIMITS)
            for number in range(int(teams)):
                builders.team(made, f"person{number}", called=f"팀 {number}")
        _judge(Competition.objects.get(slug=slug), int(rows))


def _judge(judged: Competition, rows: int) -> None:
    golds = [texts(rows, seed) for seed in (1, 2)]
    talks = {name: f"민수: {golds[0][name]}\n지우: {golds[1][name]}" for name in golds[0]}
    config = stage.judge_config(
        judged,
        dialogue_set=stage.dialogues(judged, talks),
        endpoint="fake",
        policy=JudgeConfig.Policy.BEST,
        submissions_per_team_day=1000,
    )
    Artefact.objects.bulk_create(
        Artefact(
            config=config,
            kind=Artefact.Kind.QUESTION,
            item_id=f"q{number}",
            example_id=name,
            text=question(gold[name]),
            source_answer=True,
        )
        for name in talks
        for number, gold in enumerate(golds, start=1)
    )
    stage.freeze(config)
    Competition.objects.filter(pk=judged.pk).update(shows_other_columns=True)


def mend(slug: str) -> None:
    """What an organizer does when the server is well again: have it asked, and judge anew."""
    config = JudgeConfig.objects.get(competition__slug=slug)
    olivia, now = builders.user("olivia"), timezone.now()
    with contextlib.suppress(Refused):  # it was never shut out
        close_judge_circuit(config_id=config.pk, user=olivia, at=now)
    failed = Judging.objects.filter(config=config, judgments__status__in=UNANSWERED).distinct()
    for judging in failed:
        rejudge(judging_id=judging.pk, user=olivia, reason="the server lied", at=now)


COMMANDS = {"prepare": prepare, "mend": mend}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
