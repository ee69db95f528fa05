"""One process of several that do whatever a contest allows, at random, on the same database.

python -m tests.services.walk prepare            # a contest with six teams and three versions
python -m tests.services.walk walk SEED STEPS    # JSON: how often each thing was done
python -m tests.services.walk finish             # score what still waits
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import django
from django.db import connection, transaction

django.setup()

from leaderboard.actions.cancel import cancel  # noqa: E402
from leaderboard.actions.choose_finals import choose_finals  # noqa: E402
from leaderboard.actions.discard import discard  # noqa: E402
from leaderboard.actions.disqualify import disqualify  # noqa: E402
from leaderboard.actions.evaluate import evaluate_next  # noqa: E402
from leaderboard.actions.exclude import exclude  # noqa: E402
from leaderboard.actions.fail import fail  # noqa: E402
from leaderboard.actions.make_live import make_live  # noqa: E402
from leaderboard.actions.refusals import Refused  # noqa: E402
from leaderboard.actions.rehearse import rehearse  # noqa: E402
from leaderboard.actions.reinstate import reinstate  # noqa: E402
from leaderboard.actions.repair import ask_missing  # noqa: E402
from leaderboard.actions.reschedule import Dates, reschedule  # noqa: E402
from leaderboard.actions.restore import restore  # noqa: E402
from leaderboard.actions.upload_golds import upload_golds  # noqa: E402
from leaderboard.boards.changes import marks  # noqa: E402
from leaderboard.boards.instants import keep_newest  # noqa: E402
from leaderboard.boards.ladder import totals  # noqa: E402
from leaderboard.boards.models import BoardInstant, Placement  # noqa: E402
from leaderboard.boards.rows import standings_of  # noqa: E402
from leaderboard.competitions.models import Competition  # noqa: E402
from leaderboard.evaluation.claim import LeaseLost, next_claim  # noqa: E402
from leaderboard.references.models import ScoringVersion  # noqa: E402
from leaderboard.references.queries import versions_being_scored  # noqa: E402
from leaderboard.submissions.intake import Upload  # noqa: E402
from leaderboard.submissions.models import Submission  # noqa: E402
from leaderboard.teams.models import Team  # noqa: E402
from tests.leaderboard import builders  # noqa: E402
from tests.leaderboard.builders import CLOSES, GOLDS, NOON, OPENS  # noqa: E402

SLUG = "walk"
TEAMS = 6
OTHER = {**GOLDS, "talk_1": ("민수와 지우는 모레 서점에서 만난다.",), "talk_2": ("환불을 받았다.",)}
WORDS = sorted({word for golds in OTHER.values() for text in golds for word in text.split()})


def prepare() -> None:
    made = builders.competition(SLUG, daily_limit=1000, max_waiting=1000)
    builders.live(made)
    for preset, golds in (("mean-sum", GOLDS), ("max-sum", OTHER)):
        upload_golds(
            competition=made,
            user=builders.user("olivia"),
            files=[Upload("golds.csv", builders.gold_csv(golds))],
            preset=preset,
            tokenizer="mecab-ko",
            at=OPENS,
        )
    for n in range(TEAMS):
        builders.team(made, f"person{n}")


class Walker:
    """Draws what to do next; a refusal is an answer, any other error ends the walk."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.done: Counter[str] = Counter()
        self.competition = Competition.objects.get(slug=SLUG)
        self.olivia = builders.user("olivia")
        self.steps: dict[Callable[[], object], int] = {
            self.submit: 30,
            self.evaluate: 35,
            self.lose: 3,
            self.finals: 10,
            self.exclude: 8,
            self.restore: 6,
            self.disqualify: 2,
            self.reinstate: 3,
            self.cancel: 4,
            self.rehearse: 5,
            self.make_live: 5,
            self.discard: 2,
            self.sweep: 4,
            self.freeze: 2,
            self.look: 20,
        }

    def walk(self, steps: int) -> Counter[str]:
        for step in self.dice.choices([*self.steps], [*self.steps.values()], k=steps):
            try:
                if step() is not False:
                    self.done[step.__name__] += 1
            except Refused as refused:
                self.done[f"refused {refused.code}"] += 1
        return self.done

    def moment(self) -> datetime:
        return OPENS + (CLOSES - OPENS) * self.dice.random()

    def team(self) -> Team:
        teams = self.competition.teams.select_related("captain", "competition").order_by("pk")
        return self.dice.choice(list(teams))

    def submission(self, **where: object) -> Submission | None:
        found = Submission.objects.filter(team__competition=self.competition, **where)
        return self.dice.choice(list(found.select_related("team__competition")) or [None])

    def version(self, *states: str) -> ScoringVersion | None:
        found = self.competition.scoring_versions.filter(state__in=states)
        return self.dice.choice(list(found.select_related("competition")) or [None])

    def submit(self) -> None:
        texts = {name: " ".join(self.dice.choices(WORDS, k=5)) for name in GOLDS}
        builders.hand_in(self.team(), texts, at=self.moment(), key=str(uuid4()))

    def evaluate(self) -> bool:
        return evaluate_next(now=lambda: NOON) is not None

    def lose(self) -> bool:
        """A scoring that falls over."""
        claim = next_claim(at=NOON)
        if claim is None:
            return False
        try:
            fail(claim=claim, failure="planted", at=NOON)
        except LeaseLost:
            return False
        return True

    def finals(self) -> bool:
        team = self.team()
        own = list(Submission.objects.filter(team=team, evaluations__state="done").distinct())
        chosen = self.dice.sample(own, min(len(own), self.dice.randrange(3)))
        choose_finals(
            team=team, user=team.captain, submission_ids=[row.pk for row in chosen], at=NOON
        )
        return bool(chosen)

    def exclude(self) -> bool:
        found = self.submission(exclusion=None)
        if found is None:
            return False
        exclude(submission=found, user=self.olivia, reason="같은 파일", at=NOON)
        return True

    def restore(self) -> bool:
        found = self.submission(exclusion__isnull=False)
        if found is None:
            return False
        restore(submission=found, user=self.olivia, at=NOON)
        return True

    def disqualify(self) -> None:
        disqualify(team=self.team(), user=self.olivia, reason="규칙 위반", at=NOON)

    def reinstate(self) -> None:
        reinstate(team=self.team(), user=self.olivia, at=NOON)

    def cancel(self) -> bool:
        found = self.submission(cancellation=None, evaluations__state="queued")
        if found is None:
            return False
        cancel(submission=found, user=found.submitted_by, at=NOON)
        return True

    def rehearse(self) -> bool:
        version = self.version("draft", "retired")
        if version is None:
            return False
        rehearse(version=version, user=self.olivia, at=self.moment())
        return True

    def make_live(self) -> bool:
        version = self.version("rehearsing")
        if version is None:
            return False
        for _ in range(50):  # mostly it is refused while something waits
            if not self.evaluate():
                break
        make_live(version=version, user=self.olivia, accept_failed=True, at=NOON)
        return True

    def discard(self) -> bool:
        version = self.version("rehearsing")
        if version is None:
            return False
        discard(version=version, user=self.olivia, at=NOON)
        return True

    def sweep(self) -> None:
        """What the sweeper does, at whatever time."""
        ask_missing(at=CLOSES)
        at = self.moment()
        for version in versions_being_scored():
            keep_newest(version=version, at=at)

    def freeze(self) -> None:
        """Move the freeze; it may still come, for the organizer acts when the contest opens."""
        now = Competition.objects.get(pk=self.competition.pk)
        later = self.moment() + timedelta(minutes=1)
        moved = replace(Dates.of(now), freezes_at=min(later, CLOSES))
        reschedule(competition=now, user=self.olivia, dates=moved, at=OPENS)

    def look(self) -> None:
        """What is kept of a board under its marks is what the board is at these marks."""
        version = self.version("live", "rehearsing")
        board = self.dice.choice(Placement.Board.values)
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            filled = BoardInstant.objects.filter(scoring_version=version, filled=True)
            instant = self.dice.choice([None, *filled.values_list("instant", flat=True)])
            kept = totals(version, board, instant, marks(version.pk, [instant])[instant])
            rows = standings_of(version, board, instant).order_by("printed")
            assert kept.all == tuple(rows.values_list("printed", flat=True)), "an old board is kept"


def finish() -> None:
    ask_missing(at=CLOSES)
    print(json.dumps({"scored": builders.score_all()}))


def walk(seed: str, steps: str) -> None:
    print(json.dumps(Walker(int(seed)).walk(int(steps))))


COMMANDS = {"prepare": prepare, "walk": walk, "finish": finish}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
