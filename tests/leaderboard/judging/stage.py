"""A contest with a judge config, and a judge that is a function."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from leaderboard.competitions.models import Competition
from leaderboard.judging.actions.turn import judge_next
from leaderboard.judging.asking.replies import AskedOfJudge, JudgeReply, NoAnswer, Usage
from leaderboard.judging.fake import answers
from leaderboard.judging.identity import artefact_hash, config_hash
from leaderboard.judging.models import (
    Budget,
    ColumnValue,
    JudgeConfig,
    Judging,
    Reservation,
    Section,
)
from leaderboard.judging.plan import planned_ids
from leaderboard.references.models import DialogueSet
from leaderboard.submissions.models import Submission
from tests.leaderboard.builders import GOLDS, NOON, OPENS, user
from tests.leaderboard.judging.configs import dialogues

DAY = date(2026, 11, 20)
DIALOGUES = {
    name: f"#Person1#: {golds[0]} 맞지?\n#Person2#: 그래, 네 말대로 {golds[1]}"
    for name, golds in GOLDS.items()
}


def judge_config(contest: Competition, **fields: Any) -> JudgeConfig:
    """An active config without items; give other fields to change it."""
    wanted = {
        "number": JudgeConfig.objects.filter(competition=contest).count() + 1,
        "label": "시험 심사",
        "state": JudgeConfig.State.ACTIVE,
        "endpoint": "default",
        "model": "fake-1",
        "sampling": {"temperature": 0, "max_tokens": 1000},
        "created_by": user("olivia"),
        "created_at": OPENS,
        **fields,
    }
    if "dialogue_set" not in wanted:
        wanted["dialogue_set"] = DialogueSet.objects.filter(
            competition=contest
        ).first() or dialogues(contest, DIALOGUES)
    return freeze(JudgeConfig.objects.create(competition=contest, **wanted))


def freeze(config: JudgeConfig) -> JudgeConfig:
    """Set both hashes as freezing does."""
    config.artefact_hash = artefact_hash(config)
    config.config_hash = config_hash(config)
    config.save(update_fields=["artefact_hash", "config_hash"])
    return config


USAGE = Usage(100, 20)


def reply(answer: Mapping[str, Any], usage: Usage | None = USAGE) -> JudgeReply:
    return JudgeReply(
        raw=str(dict(answer)),
        answer=answer,
        model="fake-1",
        fingerprint="fp",
        usage=usage,
        latency_ms=7,
    )


Script = NoAnswer | Callable[[dict[str, Any]], Mapping[str, Any]]


class ScriptedJudge:
    """Answers as the fake judge does, in this process; `scripts` come first, by schema, in order.

    A script is raised, or called with the honest answer. `asked` counts calls by schema. `model`
    and `fingerprint` are what it says of itself from now on.
    """

    model, fingerprint = "fake-1", "fp"

    def __init__(self, **scripts: Sequence[Script]) -> None:
        self.scripts: dict[str, list[Script]] = {name: list(each) for name, each in scripts.items()}
        self.asked: Counter[str] = Counter()
        self.samples: list[tuple[str, int, int | None]] = []
        self.seen: list[str] = []
        self.lock = threading.Lock()

    @property
    def calls(self) -> int:
        return self.asked.total()

    def connect(self, endpoint: Mapping[str, str]) -> "ScriptedJudge":
        return self

    def complete(self, asked: AskedOfJudge) -> JudgeReply:
        name, text = asked.schema.name, asked.messages[1]["content"]
        with self.lock:
            self.asked[name] += 1
            self.samples.append((name, asked.sample_index, asked.params.get("max_tokens")))
            self.seen.append(text)
            scripts = self.scripts.get(name)
            script = scripts.pop(0) if scripts else None
        material = json.loads(text.split("===")[2])
        answer = answers.BY_SCHEMA[name](material)
        if isinstance(script, NoAnswer):
            raise script
        honest = reply(script(answer) if script else answer)
        return replace(honest, model=self.model, fingerprint=self.fingerprint)

    def close(self) -> None:
        """Nothing to close."""


def work(judge: ScriptedJudge, at: datetime = NOON) -> int:
    """Do a judge worker's work in this process until nothing can be done now; how many turns."""
    turns = 0
    while judge_next(now=lambda: at, connect=judge.connect) is not None:
        turns += 1
        assert turns < 50, "the same work is taken up again and again"
    return turns


def built(
    contest: Competition, instruction: str = "한 문장으로 쓴다.", **fields: Any
) -> JudgeConfig:
    """An active config whose items were made by the fake judge's rules and all kept."""
    config = judge_config(contest, state=JudgeConfig.State.REVIEWING, **fields)
    if instruction:
        Section.objects.create(config=config, position=1, name="요약", instruction=instruction)
    work(ScriptedJudge())
    Reservation.objects.all().delete()
    Budget.objects.all().delete()
    config.state = JudgeConfig.State.ACTIVE
    config.save(update_fields=["state"])
    return freeze(config)


def request(config: JudgeConfig, given: Submission, board: str = "public") -> Judging:
    """A judging that waits, as the action makes it."""
    return Judging.objects.create(
        config=config,
        submission=given,
        board=board,
        requested_at=NOON,
        day=DAY,
        rows=len(planned_ids(config, board)),
    )


def metrics(judging: Judging) -> dict[str, float | None]:
    """The column's values of a judging, by metric."""
    return dict(ColumnValue.objects.filter(judging=judging).values_list("metric", "mean"))


def states() -> dict[str, int]:
    """How many calls are reserved in each state."""
    return Counter(Reservation.objects.values_list("state", flat=True))


class Killed(BaseException):
    """In the middle of a tick: what the tick wrote is rolled back with it."""


def killed_after(judge: ScriptedJudge, calls: int) -> Callable[[], datetime]:
    """A clock that ends its worker once the judge was called so often."""

    def clock() -> datetime:
        if judge.calls >= calls:
            raise Killed
        return NOON

    return clock
