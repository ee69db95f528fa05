"""Steps of the random walk that make judge columns, have files judged, and decide about both."""

import random
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

from django.db.models import Count, Sum

from leaderboard.competitions.models import Competition
from leaderboard.judging.actions.turn import judge_next
from leaderboard.judging.asking import circuit
from leaderboard.judging.asking.replies import (
    AskedOfJudge,
    JudgeReply,
    Transient,
    UnusableAnswer,
    Usage,
)
from leaderboard.judging.identity import settings_of
from leaderboard.judging.models import Artefact, Budget, JudgeConfig, Judging, Reservation, Section
from leaderboard.refusals import Refused
from tests.leaderboard.builders import GOLDS, NOON
from tests.leaderboard.judging import configs
from tests.leaderboard.judging.stage import ScriptedJudge
from tests.leaderboard.verbs import verbs
from tests.services.walker import NothingThere, Walker

CONFIGS = 5
# Verbs that no process of the walk does by itself, and why.
LEFT_OUT = {
    "choose_by_policy": "a step of the sweep",
    "why_not_frozen": "reads",
    "upload_judge_labels": "needs people's labels of what a judge just said; one row, one lock",
}
VERBS = {
    name: verb
    for name, verb in verbs("leaderboard.judging.actions").items()
    if name not in LEFT_OUT
}
# In which states a verb finds something to do with a config.
FIT = {
    "edit_judge_config": ("draft", "active"),
    **dict.fromkeys(("set_judge_sections", "begin_judge_review"), ("draft",)),
    **dict.fromkeys(
        ("review_artefacts", "approve_artefacts", "freeze_judge_config"), ("reviewing",)
    ),
    "switch_on_judge_config": ("reviewing",),
    "activate_judge_config": ("frozen", "retired"),
    "retire_judge_config": ("active",),
}
SCORED: dict[str, Any] = {"exclusion": None, "evaluations__state": "done"}
CERTAIN = ("judge_next",)  # also in a short walk


def configure(settings: Any) -> None:
    """An operator gave an address; everything passes in moments, and leases are lost."""
    settings.JUDGE_ENDPOINTS = {"default": {"base_url": "http://127.0.0.1:1/v1", "api_key": "k"}}
    for name, value in {
        "CONCURRENCY": 4,
        "CHUNK_SECONDS": 0.5,
        "HEARTBEAT_SECONDS": 0.2,
        "LEASE_SECONDS": 1,  # so that leases are lost
        "ATTEMPTS": 3,
        "BACKOFF_SECONDS": 0.01,
        "CALL_SECONDS": 1,
        "REQUEUE_SECONDS": 0.1,
        "CIRCUIT_SECONDS": 0.2,
        "CIRCUIT_LONGEST_SECONDS": 1,
    }.items():
        setattr(settings, f"JUDGE_{name}", value)


def prepare(made: Competition) -> None:
    """A judge column for the contest of the walk."""
    configs.active(made, submissions_per_team_day=1000)


def sums() -> list[str]:
    """Scopes whose counters are not the sums over their calls."""
    wrong = []
    for budget in Budget.objects.all():
        calls = Reservation.objects.filter(config=budget.config)
        kind, _, rest = budget.scope.partition(":")
        if kind == "judging":
            calls = calls.filter(judging=rest)
        elif kind == "team":
            team, _, day = rest.partition(":")
            calls = calls.filter(team=team, day=day)
        found = calls.aggregate(calls=Count("pk"), micros=Sum("micros", default=0))
        if found != {"calls": budget.calls, "micros": budget.micros}:
            wrong.append(f"{budget.scope}: {budget.calls} {budget.micros}, calls say {found}")
    return wrong


class NoisyJudge(ScriptedJudge):
    """Answers like the fake judge, at various prices; sometimes not, and sometimes badly."""

    def complete(self, asked: AskedOfJudge) -> JudgeReply:
        fate = random.random()
        if fate < 0.04:
            raise Transient("502", is_free=fate < 0.02)
        if fate < 0.06:
            raise UnusableAnswer("no_json", usage=Usage(100, 1))
        honest = super().complete(asked)
        return replace(honest, usage=Usage(random.randrange(50, 500), random.randrange(5, 50)))


class Steps(Walker):
    VERBS = VERBS
    WEIGHTS: ClassVar[dict[str, int]] = {
        **dict.fromkeys(VERBS, 2),
        **{"judge_next": 30, "request_judging": 20, "rejudge": 4, "close_judge_circuit": 3},
        **{"edit_judge_config": 4, "freeze_judge_config": 3, "activate_judge_config": 4},
        **dict.fromkeys(("create_judge_config", "copy_judge_config", "set_judge_sections"), 1),
        **dict.fromkeys(("retire_judge_config", "stop_judge_repeat"), 1),
    }

    def draw(self, one: str, name: str, given: dict[str, Any]) -> Any:
        if name not in VERBS:
            return super().draw(one, name, given)
        mine = JudgeConfig.objects.filter(competition=self.competition)
        if name in ("create_judge_config", "copy_judge_config") and mine.count() >= CONFIGS:
            raise NothingThere
        dice, states = self.dice, FIT.get(name, JudgeConfig.State.values)
        said = "언제 만나는지 말하는가?"
        values = {
            "config_id": lambda: self.there(mine.filter(state__in=states)).pk,
            "judging_id": lambda: self.there(self.judgings()).pk,
            "competition": lambda: self.competition,
            "wanted": lambda: self.wanted(given),
            "sections": lambda: [
                Section(name="요약", kind="free", instruction=f"{dice.randrange(2, 5)}문장으로")
            ],
            "example_id": lambda: self.one(GOLDS),
            "decisions": lambda: [Artefact(item_id="q1", is_kept=True, text=said)],
            "user": self.organizer,
            "at": lambda: NOON,
        }
        return values[one]()

    def there(self, rows: Any) -> Any:
        if (found := self.one(rows)) is None:
            raise NothingThere
        return found

    def judgings(self) -> Any:
        return Judging.objects.filter(config__competition=self.competition)

    def wanted(self, given: dict[str, Any]) -> JudgeConfig:
        if "config_id" not in given:
            return configs.wanted(self.there(self.competition.dialogue_sets.all()))
        config = JudgeConfig.objects.get(pk=given["config_id"])
        price, calls = self.dice.randrange(1, 9) * 10**5, config.calls_in_all + 10
        return settings_of(config, price_input=price, calls_in_all=calls)

    def judge_next(self) -> bool:
        noisy = NoisyJudge()
        return judge_next(now=lambda: NOON, connect=noisy.connect) is not None

    def request_judging(self) -> None:
        found = self.there(self.rows()["submission"].filter(**SCORED))
        user = self.one([found.submitted_by, self.olivia])
        self.verb("request_judging", submission_id=found.pk, user=user, at=self.moment())

    def rejudge(self) -> None:
        self.verb("rejudge", everything=self.dice.random() < 0.5)

    def freeze_judge_config(self) -> None:
        self.verb("freeze_judge_config", accept_failed=True)

    def close_judge_circuit(self) -> None:
        """Of a server that has just refused the key, as one does now and then."""
        config_id = self.draw("config_id", "close_judge_circuit", {})
        circuit.block(config_id, reason="planted")
        self.verb("close_judge_circuit", config_id=config_id, user=self.olivia)

    def begin_judge_repeat(self) -> None:
        found = self.there(self.judgings())
        self.verb("begin_judge_repeat", config_id=found.config_id, judging_id=found.pk)

    def stop_judge_repeat(self) -> None:
        """One that runs already, or has just begun."""
        found = self.there(self.judgings())
        about = {"config_id": found.config_id}
        with suppress(Refused):
            self.verb("begin_judge_repeat", **about, judging_id=found.pk, user=self.olivia)
        self.verb("stop_judge_repeat", **about)
