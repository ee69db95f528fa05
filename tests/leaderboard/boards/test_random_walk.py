"""After any walk of actions the stored standings equal those recomputed from the scores."""

import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db.models import Max
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from leaderboard.actions.competition import edit_competition
from leaderboard.actions.discipline import disqualify, exclude, reinstate, restore
from leaderboard.actions.registration import join
from leaderboard.actions.schedule import reschedule
from leaderboard.actions.scoring import evaluate_next
from leaderboard.actions.submissions import cancel, choose_finals, submit
from leaderboard.actions.teams import add_baseline
from leaderboard.actions.versions import discard, make_live, rehearse
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Placement
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import ask_missing
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.references.models import ScoringVersion
from leaderboard.refusals import Refused
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload, counted
from leaderboard.teams.models import Team
from scoring.findings import InvalidSubmission
from tests.leaderboard import builders
from tests.leaderboard.builders import GOLDS, NOON, SPLITS

pytestmark = pytest.mark.django_db

STEPS = 60
CLOSES = NOON + timedelta(days=6)
WORDS = ("눈이", "온다", "민수는", "도서관에서", "지우를", "만난다", "회의가", "주전자를")
PEOPLE = ("alice", "bob", "charlie", "dana", "erin")

some = st.integers(min_value=0, max_value=10**6)


class Contest(RuleBasedStateMachine):
    """A contest in which participants and organizers do one thing after another."""

    taken: ClassVar[int] = 0
    refused: ClassVar[int] = 0

    @initialize()
    def begin(self) -> None:
        self.at = NOON
        self.slug = f"walk-{uuid4().hex[:8]}"
        builders.open_competition(
            self.slug,
            closes_at=CLOSES,
            reveals_at=CLOSES + timedelta(days=1),
            daily_limit=1000,
        )
        for name in PEOPLE[:2]:
            builders.team(self.contest, name)

    # --- what is there now

    @property
    def contest(self) -> Competition:
        return Competition.objects.get(slug=self.slug)

    def teams(self) -> list[Team]:
        return list(Team.objects.filter(competition__slug=self.slug).order_by("created_at", "name"))

    def submissions(self) -> list[Submission]:
        found = Submission.objects.filter(team__competition__slug=self.slug)
        return list(found.order_by("received_at", "pk").select_related("team__competition"))

    def versions(self) -> list[ScoringVersion]:
        return list(ScoringVersion.objects.filter(competition__slug=self.slug).order_by("number"))

    def doing(self, act: Callable[..., Any], **words: Any) -> None:
        """An action that may be refused; either way the boards must stay right."""
        Contest.taken += 1
        try:
            act(**words, at=self.at)
        except (Refused, InvalidSubmission):  # the latter once golds with other ids are live
            Contest.refused += 1

    # --- what people do

    @rule(minutes=st.integers(min_value=1, max_value=900))
    def time_passes(self, minutes: int) -> None:
        self.at += timedelta(minutes=minutes)

    @rule(which=some)
    def joins(self, which: int) -> None:
        name = PEOPLE[which % len(PEOPLE)]
        self.doing(join, user=builders.user(name), competition=self.contest)

    @rule(which=some, words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
    def hands_in(self, which: int, words: list[str]) -> None:
        people = [team for team in self.teams() if team.kind == Team.Kind.PARTICIPANT]
        team = people[which % len(people)]
        texts = {name: " ".join(words) for name in list(GOLDS)[which % 3 :]}
        upload = Upload("predictions.csv", builders.prediction_csv(texts))
        self.doing(submit, team=team, user=team.captain, upload=upload, key=uuid4().hex)

    @rule(number=st.integers(min_value=1, max_value=12))
    def workers_score(self, number: int) -> None:
        for _ in range(number):
            if evaluate_next(now=lambda: self.at) is None:
                break

    @rule(which=some, more=some)
    def chooses_finals(self, which: int, more: int) -> None:
        teams = self.teams()
        team = teams[which % len(teams)]
        own = [one.pk for one in self.submissions() if one.team_id == team.pk]
        chosen = {own[which % len(own)], own[more % len(own)]} if own and more % 5 else set()
        self.doing(choose_finals, team=team, user=team.captain, submission_ids=chosen)

    @rule(which=some)
    def cancels(self, which: int) -> None:
        if found := self.submissions():
            one = found[-1 - which % min(3, len(found))]
            self.doing(cancel, submission=one, user=one.submitted_by)

    # --- what the organizer does

    @rule(which=some, out=st.booleans())
    def excludes_or_restores(self, which: int, out: bool) -> None:
        if found := self.submissions():
            act = exclude if out else restore
            one = found[which % len(found)]
            self.doing(act, submission=one, user=builders.user("olivia"), reason="검토")

    @rule(which=some, out=st.booleans())
    def disqualifies_or_reinstates(self, which: int, out: bool) -> None:
        teams = self.teams()
        act = disqualify if out else reinstate
        self.doing(act, team=teams[which % len(teams)], user=builders.user("olivia"), reason="검토")

    @rule(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
    def adds_a_baseline(self, words: list[str]) -> None:
        upload = Upload("b.csv", builders.prediction_csv(dict.fromkeys(GOLDS, " ".join(words))))
        self.doing(
            add_baseline,
            competition=self.contest,
            user=builders.user("olivia"),
            name=f"기준선 {uuid4().hex[:6]}",
            upload=upload,
        )

    @rule(which=some)
    def uploads_golds_and_rehearses(self, which: int) -> None:
        if len(self.versions()) > 5:
            return
        names = list(GOLDS)
        golds = GOLDS | {names[which % 4]: (f"{WORDS[which % 8]} {WORDS[which % 5]}",)}
        if which % 3 == 0:  # other ids
            golds.pop(names[which % 4])
        data, tokenizer = builders.gold_csv(golds, SPLITS), "chars" if which % 2 else "mecab-ko"
        version = builders.uploaded(self.contest, data, at=self.at, tokenizer=tokenizer)
        self.doing(rehearse, version=version, user=builders.user("olivia"))

    @rule(which=some, verb=st.sampled_from((rehearse, discard, make_live)))
    def decides_about_a_version(self, which: int, verb: Callable[..., Any]) -> None:
        versions = self.versions()
        words: dict[str, Any] = {"accept_failed": True} if verb is make_live else {}
        version = versions[which % len(versions)]
        self.doing(verb, version=version, user=builders.user("olivia"), **words)

    @rule(hours=st.integers(min_value=-4, max_value=60), frozen=st.booleans())
    def moves_the_freeze(self, hours: int, frozen: bool) -> None:
        freeze = self.at + timedelta(hours=hours) if frozen else None
        dates = {"freezes_at": freeze}
        user = builders.user("olivia")
        self.doing(reschedule, competition=self.contest, user=user, dates=dates)

    @rule(rule_=st.sampled_from(("finals", "best")), late=st.booleans())
    def changes_the_rules(self, rule_: str, late: bool) -> None:
        wanted = {"finals_rule": rule_, "late_entries": late}
        user = builders.user("olivia")
        self.doing(edit_competition, competition=self.contest, user=user, wanted=wanted)

    @rule()
    def the_sweeper_comes_round(self) -> None:
        ask_missing(at=self.at)

    # --- what must hold

    @invariant()
    def stored_equals_recomputed(self) -> None:
        if hasattr(self, "slug"):
            said = io.StringIO()
            call_command("rebuild_standings", "--check", "--competition", self.slug, stdout=said)

    @invariant()
    def past_boards_are_what_was_received_before(self) -> None:
        """By the best public totals of each team; the totals alone say the same as whole rows."""
        for version in ScoringVersion.objects.filter(
            competition__slug=getattr(self, "slug", ""), state__in=("live", "rehearsing")
        ):
            for instant in (None, NOON + timedelta(days=1), self.at):
                best = (
                    SplitScore.objects.filter(
                        evaluation__scoring_version=version,
                        evaluation__state="done",
                        evaluation__received_at__lt=instant or self.at + timedelta(days=99),
                        evaluation__submission__team__disqualified_at=None,
                        split="public",
                        **counted("evaluation__submission__"),
                    )
                    .values_list("evaluation__submission__team")
                    .annotate(Max("printed"))
                )
                for board in Placement.Board.values:
                    rows = standings_of(version, board, instant).values_list("team", "printed")
                    totals = standings_of(version, board, instant, "stands_until")
                    assert list(totals.values_list("team", "printed")) == list(rows)
                    if board == "public":
                        assert dict(rows) == dict(best)

    def teardown(self) -> None:
        Evaluation.objects.filter(state="queued").update(state="cancelled")


# 34 walks are the 2,000 actions of the long run; a push takes fewer.
@pytest.mark.whole
@pytest.mark.parametrize("walks", [0, pytest.param(34, marks=pytest.mark.slow)])
def test_stored_standings_equal_recomputed_ones_after_any_walk(walks: int) -> None:
    walks = walks or max(3, settings().max_examples // 20)  # the first walk goes nowhere
    Contest.taken = Contest.refused = 0

    @seed(20261121)
    @settings(
        max_examples=walks,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=[Phase.generate],  # shrinking would walk for hours; the seed repeats it
        suppress_health_check=list(HealthCheck),
    )
    class Walk(Contest):
        pass

    run_state_machine_as_test(Walk)
    print(f"{walks * STEPS} steps, {Contest.taken} decisions, {Contest.refused} of them refused")
    assert Contest.taken - Contest.refused > walks * STEPS // 10
