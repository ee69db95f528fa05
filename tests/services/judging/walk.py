"""Steps of the random walk that make judge columns, have files judged, and decide about both."""

import random
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

from django.db.models import Count, Sum

from leaderboard.competitions.models import Competition
from leaderboard.judging.actions.configs import (
    copy_judge_config,
    create_judge_config,
    edit_judge_config,
    set_judge_sections,
)
from leaderboard.judging.actions.items import (
    approve_artefacts,
    begin_judge_review,
    review_artefacts,
)
from leaderboard.judging.actions.judgings import rejudge, request_judging
from leaderboard.judging.actions.running import (
    activate_judge_config,
    close_judge_circuit,
    freeze_judge_config,
    retire_judge_config,
)
from leaderboard.judging.actions.trust import begin_judge_repeat, stop_judge_repeat
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
from tests.services.walker import Walker

CONFIGS = 5
# Verbs that no process of the walk does by itself, and why.
LEFT_OUT = {
    "choose_by_policy": "a step of the sweep",
    "why_not_frozen": "reads",
    "upload_judge_labels": "needs people's labels of what a judge just said; one row, one lock",
}
CERTAIN = ("judge",)  # also in a short walk


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
    WEIGHTS: ClassVar[dict[str, int]] = {
        "judge": 30,
        "request_judging": 20,
        "rejudge": 4,
        "close_judge_circuit": 3,
        "begin_judge_repeat": 3,
        "stop_judge_repeat": 1,
        "create_judge_config": 1,
        "copy_judge_config": 1,
        "edit_judge_config": 4,
        "set_judge_sections": 1,
        "begin_judge_review": 2,
        "review_artefacts": 2,
        "approve_artefacts": 2,
        "freeze_judge_config": 3,
        "activate_judge_config": 4,
        "retire_judge_config": 1,
    }

    def judge(self) -> bool:
        noisy = NoisyJudge()
        return judge_next(now=lambda: NOON, connect=noisy.connect) is not None

    def request_judging(self) -> bool:
        found = self.submission(exclusion=None, evaluations__state="done")
        if found is None:
            return False
        user = self.one([found.submitted_by, self.olivia])
        request_judging(submission_id=found.pk, user=user, at=self.moment())
        return True

    def config(self, *states: str) -> JudgeConfig | None:
        found = JudgeConfig.objects.filter(competition=self.competition)
        return self.one(found.filter(state__in=states) if states else found)

    def judging(self) -> Judging | None:
        found = Judging.objects.filter(config__competition=self.competition)
        return self.one(found.select_related("config"))

    def rejudge(self) -> bool:
        if (found := self.judging()) is None:
            return False
        everything = self.dice.random() < 0.5
        rejudge(judging_id=found.pk, user=self.organizer(), everything=everything, at=NOON)
        return True

    def close_judge_circuit(self) -> bool:
        """Of a server that has just refused the key, as one does now and then."""
        if (config := self.config()) is None:
            return False
        circuit.block(config.pk, reason="planted")
        return close_judge_circuit(config_id=config.pk, user=self.olivia, at=NOON)

    def begin_judge_repeat(self) -> bool:
        if (found := self.judging()) is None:
            return False
        begin_judge_repeat(
            config_id=found.config_id, judging_id=found.pk, user=self.organizer(), at=NOON
        )
        return True

    def stop_judge_repeat(self) -> bool:
        """One that runs already, or has just begun."""
        if (found := self.judging()) is None:
            return False
        config, olivia = found.config_id, self.olivia
        with suppress(Refused):
            begin_judge_repeat(config_id=config, judging_id=found.pk, user=olivia, at=NOON)
        stop_judge_repeat(config_id=config, user=self.organizer(), at=NOON)
        return True

    def has_room_for_configs(self) -> bool:
        return JudgeConfig.objects.filter(competition=self.competition).count() < CONFIGS

    def create_judge_config(self) -> bool:
        held = self.competition.dialogue_sets.first()
        if not self.has_room_for_configs() or held is None:
            return False
        create_judge_config(
            competition=self.competition,
            user=self.organizer(),
            wanted=configs.wanted(held),
            at=NOON,
        )
        return True

    def copy_judge_config(self) -> bool:
        config = self.config()
        if not self.has_room_for_configs() or config is None:
            return False
        copy_judge_config(config_id=config.pk, user=self.organizer(), at=NOON)
        return True

    def edit_judge_config(self) -> bool:
        if (config := self.config("draft", "active")) is None:
            return False
        price, calls = self.dice.randrange(1, 9) * 10**5, config.calls_in_all + 10
        wanted = settings_of(config, price_input=price, calls_in_all=calls)
        edit_judge_config(config_id=config.pk, user=self.organizer(), wanted=wanted, at=NOON)
        return True

    def set_judge_sections(self) -> bool:
        if (config := self.config("draft")) is None:
            return False
        said = f"{self.dice.randrange(2, 5)}문장으로 쓴다."
        sections = [Section(name="요약", kind="free", instruction=said)]
        set_judge_sections(config_id=config.pk, user=self.organizer(), sections=sections, at=NOON)
        return True

    def begin_judge_review(self) -> bool:
        if (config := self.config("draft")) is None:
            return False
        begin_judge_review(config_id=config.pk, user=self.organizer(), at=NOON)
        return True

    def review_artefacts(self) -> bool:
        if (config := self.config("reviewing")) is None:
            return False
        review_artefacts(
            config_id=config.pk,
            user=self.organizer(),
            example_id=self.one(GOLDS),
            decisions=[Artefact(item_id="q1", is_kept=True, text="언제 만나는지 말하는가?")],
            at=NOON,
        )
        return True

    def approve_artefacts(self) -> bool:
        config = self.config("reviewing")
        return (
            config is not None
            and approve_artefacts(config_id=config.pk, user=self.organizer(), at=NOON) > 0
        )

    def freeze_judge_config(self) -> bool:
        if (config := self.config("reviewing")) is None:
            return False
        freeze_judge_config(config_id=config.pk, user=self.organizer(), accept_failed=True, at=NOON)
        return True

    def activate_judge_config(self) -> bool:
        if (config := self.config("frozen", "retired")) is None:
            return False
        activate_judge_config(config_id=config.pk, user=self.organizer(), at=NOON)
        return True

    def retire_judge_config(self) -> bool:
        if (config := self.config("active")) is None:
            return False
        retire_judge_config(config_id=config.pk, user=self.organizer(), at=NOON)
        return True
