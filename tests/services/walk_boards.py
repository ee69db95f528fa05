"""Steps of the random walk that hand in, score, rehearse, decide about files, and look."""

from datetime import timedelta
from typing import ClassVar
from uuid import uuid4

from django.conf import settings
from django.db import connection, transaction
from django.test import override_settings

from leaderboard.actions.discipline import disqualify, exclude, reinstate, restore
from leaderboard.actions.references import check_next_references, upload_references
from leaderboard.actions.schedule import reschedule
from leaderboard.actions.scoring import evaluate_next, fail, retry, retry_failed
from leaderboard.actions.submissions import cancel, choose_finals, edit_note, submit
from leaderboard.actions.teams import (
    add_baseline,
    remove_baseline,
    rename_baseline,
    restore_baseline,
)
from leaderboard.actions.versions import discard, make_live, redraft, rehearse
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Placement
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import LeaseLost, ask_missing, next_claim
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Team
from leaderboard.worker.sweep import STEPS, sweep
from tests.leaderboard import builders
from tests.leaderboard.builders import CLOSES, GOLDS, NOON, OPENS
from tests.services.walker import Walker

OTHER = {**GOLDS, "talk_1": ("민수와 지우는 모레 서점에서 만난다.",), "talk_2": ("환불을 받았다.",)}
WORDS = sorted({word for golds in OTHER.values() for text in golds for word in text.split()})
VERSIONS = 8  # no more of them: a submission is scored under each
# By the machine's clock these would mistake the walk's moments: files younger than an hour would be
# old, and whoever scored something just now would have done so days ago, or never.
SWEPT = tuple((name, step) for name, step in STEPS if name != "stalled")


class BoardSteps(Walker):
    WEIGHTS: ClassVar[dict[str, int]] = {
        "submit": 30,
        "evaluate": 35,
        "lose": 3,
        "retry": 2,
        "retry_failed": 1,
        "choose_finals": 10,
        "edit_note": 2,
        "exclude": 8,
        "restore": 6,
        "disqualify": 2,
        "reinstate": 3,
        "cancel": 4,
        "upload_references": 1,
        "redraft": 1,
        "check_references": 2,
        "rehearse": 5,
        "make_live": 5,
        "discard": 2,
        "add_baseline": 1,
        "rename_baseline": 1,
        "remove_baseline": 1,
        "restore_baseline": 1,
        "sweep": 4,
        "freeze": 2,
        "look": 20,
    }

    def file(self) -> Upload:
        texts = {name: " ".join(self.dice.choices(WORDS, k=5)) for name in GOLDS}
        return Upload("predictions.csv", builders.prediction_csv(texts))

    def submit(self) -> bool:
        team = self.team(competition=self.competition, kind=Team.Kind.PARTICIPANT)
        person = self.member(team) if team else None
        if team is None or person is None:
            return False
        key = str(uuid4())
        submit(team=team, user=person, upload=self.file(), key=key, at=self.moment())
        return True

    def evaluate(self) -> bool:
        return evaluate_next(now=lambda: NOON) is not None

    def lose(self) -> bool:
        """A scoring that falls over; for half of them it was the last attempt."""
        claim = next_claim(at=NOON)
        if claim is None:
            return False
        attempts = self.one([claim.attempt, settings.SCORING_MAX_ATTEMPTS])
        try:
            with override_settings(SCORING_MAX_ATTEMPTS=attempts):
                fail(claim=claim, failure="planted", at=NOON)
        except LeaseLost:
            return False
        return True

    def retry(self) -> bool:
        failed = Evaluation.objects.filter(state="failed").select_related("submission")
        if not failed.exists():
            self.lose()
        if (found := self.one(failed)) is None:
            return False
        retry(evaluation=found, user=self.organizer(), at=NOON)
        return True

    def retry_failed(self) -> bool:
        return retry_failed(competition=self.competition, user=self.olivia, at=NOON) > 0

    def choose_finals(self) -> bool:
        team = self.team(competition=self.competition)
        person = self.member(team) if team else None
        if team is None or person is None:
            return False
        own = list(Submission.objects.filter(team=team, evaluations__state="done").distinct())
        chosen = self.dice.sample(own, min(len(own), self.dice.randrange(3)))
        choose_finals(team=team, user=person, submission_ids=[row.pk for row in chosen], at=NOON)
        return bool(chosen)

    def edit_note(self) -> bool:
        found = self.submission()
        if found is None:
            return False
        edit_note(submission=found, user=found.submitted_by, note="메모", method_name="복사")
        return True

    def exclude(self) -> bool:
        found = self.submission(exclusion=None)
        if found is None:
            return False
        exclude(submission=found, user=self.organizer(), reason="같은 파일", at=NOON)
        return True

    def restore(self) -> bool:
        found = self.submission(exclusion__isnull=False)
        if found is None:
            return False
        restore(submission=found, user=self.organizer(), at=NOON)
        return True

    def disqualify(self) -> None:
        team = self.team(kind=Team.Kind.PARTICIPANT)
        disqualify(team=team, user=self.organizer(), reason="규칙 위반", at=NOON)

    def reinstate(self) -> None:
        reinstate(team=self.team(), user=self.organizer(), at=NOON)

    def cancel(self) -> bool:
        found = self.submission(cancellation=None, evaluations__state="queued")
        if found is None:
            return False
        cancel(submission=found, user=found.submitted_by, at=NOON)
        return True

    def has_room(self) -> bool:
        return ScoringVersion.objects.filter(competition=self.competition).count() < VERSIONS

    def upload_references(self) -> bool:
        if not self.has_room():
            return False
        golds = builders.gold_csv(self.one([GOLDS, OTHER]))
        upload_references(
            competition=self.competition,
            user=self.organizer(),
            files=[Upload("golds.csv", golds)],
            preset=self.one(["mean-sum", "max-sum"]),
            tokenizer="mecab-ko",
            at=OPENS,
        )
        return True

    def redraft(self) -> bool:
        version = self.version(*ScoringVersion.State.values)
        if version is None or not self.has_room():
            return False
        redraft(
            version=version,
            user=self.organizer(),
            preset=self.one(["mean-sum", "max-sum"]),
            tokenizer="mecab-ko",
            at=OPENS,
        )
        return True

    def check_references(self) -> bool:
        return check_next_references()

    def rehearse(self) -> bool:
        version = self.version("draft", "retired")
        if version is None:
            return False
        rehearse(version=version, user=self.organizer(), at=self.moment())
        return True

    def make_live(self) -> bool:
        version = self.version("rehearsing")
        if version is None:
            return False
        ask_missing(at=CLOSES)  # as a sweep does: what was handed in meanwhile has to be scored too
        for _ in range(200):  # mostly it is refused while something waits
            if not self.evaluate():
                break
        make_live(version=version, user=self.organizer(), accept_failed=True, at=NOON)
        return True

    def discard(self) -> bool:
        version = self.version("draft", "rehearsing")
        if version is None:
            return False
        discard(version=version, user=self.organizer(), at=NOON)
        return True

    def baseline(self) -> Team | None:
        return self.team(competition=self.competition, kind=Team.Kind.BASELINE)

    def add_baseline(self) -> bool:
        if Team.objects.filter(competition=self.competition, kind="baseline").count() > 3:
            return False
        add_baseline(
            competition=self.competition,
            user=self.organizer(),
            name=f"기준선 {self.dice.randrange(5)}",
            upload=self.file(),
            at=NOON,
        )
        return True

    def rename_baseline(self) -> bool:
        if (team := self.baseline()) is None:
            return False
        name = self.one(["탈퇴한 팀", *(f"기준선 {n}" for n in range(5))])
        rename_baseline(team=team, user=self.organizer(), name=name, at=NOON)
        return True

    def remove_baseline(self) -> bool:
        if (team := self.baseline()) is None:
            return False
        remove_baseline(team=team, user=self.organizer(), at=NOON)
        return True

    def restore_baseline(self) -> bool:
        if (team := self.baseline()) is None:
            return False
        restore_baseline(team=team, user=self.organizer(), at=NOON)
        return True

    def sweep(self) -> None:
        """What the sweeper does, at whatever time."""
        sweep(self.moment(), SWEPT)

    def freeze(self) -> None:
        """Move the freeze; it may still come, for the organizer acts when the contest opens."""
        now = Competition.objects.get(pk=self.competition.pk)
        later = self.moment() + timedelta(minutes=1)
        moved = {"freezes_at": min(later, CLOSES)}
        reschedule(competition=now, user=self.organizer(), dates=moved, at=OPENS)

    def look(self) -> bool:
        """The totals of a board, now or at a past instant, are those of its rows."""
        version = self.version("live", "rehearsing")
        board = self.dice.choice(Placement.Board.values)
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            instant = self.dice.choice([None, *builders.midnights(version.competition)])
            totals = standings_of(version, board, instant, "stands_until").values_list(
                "team", "printed"
            )
            rows = standings_of(version, board, instant).values_list("team", "printed")
            assert list(totals) == list(rows), "totals are not those of the rows"
        return True
