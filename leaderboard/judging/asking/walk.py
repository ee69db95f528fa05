"""One row on its way through a pipeline: which calls come next, what is asked, what came back."""

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any, cast
from uuid import UUID

from django.conf import settings

from leaderboard.judging.asking.replies import JudgeReply
from leaderboard.judging.identity import call_key
from leaderboard.judging.models import JudgeConfig, Reservation, StoredCall
from scoring.judges import joining, native, prompts, walking
from scoring.judges.call_graph import Call, Pipeline
from scoring.judges.parsing import Malformed, Refusal
from scoring.judges.prompts import Language, Message
from scoring.judges.records import Item, Status
from scoring.judges.schemas import SCHEMAS, Schema

Values = Mapping[str, Any]
Answer = Mapping[str, Any]


def check(pipeline: Pipeline, call: Call, values: Values, answer: Answer) -> None:
    """Raises Malformed. The published systems check nothing, and neither do we in their name."""
    match pipeline.family, call.kind:
        case "shared", "P1":
            joining.limits(answer["claims"])
        case "shared", "P2":
            joining.verdicts(values["P1.claims"], _listed("decomposition", answer["decomposition"]))
        case "shared", "P3":
            asked = values["asked"]
            joining.by_id(asked.questions, _listed("answers", answer["answers"]))
            joining.contents(asked, _listed("completeness", answer["completeness"]))
        case "shared", "P4":
            joining.by_id(values["asked"].adherence, _listed("adherence", answer["rubrics"]))
        case "artefacts", "S2":
            joining.by_id([each["id"] for each in values["S1.questions"]], answer["answers"])
        case "artefacts", "S3":
            joining.by_id([each["id"] for each in values["rubrics"]], answer["completeness"])


def _listed(name: str, items: Any) -> Sequence[Item]:
    """The items as they will be counted."""
    returned = native.returned({name: items})
    if returned.stopped:
        raise Malformed("wrong_form")
    listed: Sequence[Item] | None = getattr(returned, name)
    return listed or ()


RE_ASKS = 2


@dataclass(eq=False)
class Walk:
    """One row. `scope`: empty for shared answers. `stopped`: lost calls with status and code."""

    example_id: str
    pipeline: Pipeline
    values: dict[str, Any]
    scope: str = ""
    section_id: int | None = None
    over: set[str] = field(default_factory=set)
    asking: set[str] = field(default_factory=set)
    stopped: dict[str, tuple[Status, str]] = field(default_factory=dict)
    answers: dict[str, StoredCall] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        return len(self.over) == len(self.pipeline.calls)

    def next_calls(self) -> list[Call]:
        """The calls to make now; those with nothing to ask are passed on the way."""
        while True:
            ready = [
                call
                for call in self.pipeline.ready(frozenset(self.over))
                if call.id not in self.asking
            ]
            if not any(self._passed(call) for call in ready):
                return ready

    def _passed(self, call: Call) -> bool:
        lost = [self.stopped[before] for before in call.after if before in self.stopped]
        if lost:
            self.stop(call, *lost[0])
        elif walking.is_skipped(call, self.values):
            self.values = walking.with_answer(self.values, call, call.skipped)
            self.over.add(call.id)
        else:
            return False
        return True

    def answered(self, call: Call, stored: StoredCall) -> None:
        self.values = walking.with_answer(self.values, call, stored.answer)
        self.answers[call.id] = stored
        self.over.add(call.id)
        self.asking.discard(call.id)

    def stop(self, call: Call, status: Status, code: str) -> None:
        """There will be no answer to this call, nor to those that need it."""
        self.stopped[call.id] = status, code
        self.over.add(call.id)
        self.asking.discard(call.id)


@dataclass(eq=False)
class Ask:
    """One call of one row, through all its attempts and re-asks."""

    walk: Walk
    call: Call
    key: str
    # Where an answer to the question may stand in the store: that of any asking will do.
    keys: tuple[str, ...]
    material: Mapping[str, Any]
    schema: Schema
    messages: tuple[Message, ...]
    sample_index: int = 0
    max_tokens: int | None = None  # None: the config's own
    attempts: int = 0
    began: float = 0.0  # monotonic, of the first attempt
    due: float = 0.0
    reservation: Reservation | None = None

    @property
    def question(self) -> str:
        """The same for every asking of the same thing."""
        return self.keys[0]

    @property
    def is_begun(self) -> bool:
        return self.sample_index > _first_number(self.call) or self.attempts > 0


def stored_calls(keys: Iterable[str]) -> dict[str, StoredCall]:
    return StoredCall.objects.in_bulk(list(set(keys)))


def keep_call(
    key: str, reply: JudgeReply, *, competition_id: UUID, at: datetime
) -> tuple[StoredCall, bool]:
    """The answer that counts, and whether it is this one: the first one stored wins."""
    return StoredCall.objects.get_or_create(
        key=key,
        defaults={
            "competition_id": competition_id,
            "body": reply.raw,
            "answer": dict(reply.answer),
            "model": reply.model[:120],
            "fingerprint": reply.fingerprint[:120],
            "input_tokens": reply.usage.input_tokens if reply.usage else None,
            "output_tokens": reply.usage.output_tokens if reply.usage else None,
            "latency_ms": reply.latency_ms,
            "created_at": at,
        },
    )


def first_ask(config: JudgeConfig, walk: Walk, call: Call) -> Ask | None:
    """The call as it will be made; None if a published system's code fails at this place."""
    language = cast(Language, config.language)
    try:
        material = walking.material(call, walk.values)
    except Refusal as refusal:
        walk.stop(call, Status.CONTENT_FAILED, type(refusal).__name__)
        return None
    prompt, schema = prompts.load(call.prompt, language), SCHEMAS[call.schema]
    # The published systems ask twice even where the question is the same.
    scope = f"{walk.scope}:{call.id}" if walk.scope else ""
    keys = tuple(
        call_key(
            config,
            prompt=prompt,
            schema=schema,
            material=material,
            scope=scope,
            sample_index=sample_index,
            max_tokens=limit,
        )
        for sample_index, limit in _askings(config, call)
    )
    messages = prompts.build(prompt, material, prompts.tag(_secret(), material))
    first = _first_number(call)
    return Ask(walk, call, keys[0], keys, material, schema, messages, sample_index=first)


def next_ask(config: JudgeConfig, ask: Ask, *, was_cut: bool) -> Ask | None:
    """The question under another number, once with twice the room; None after the last re-ask."""
    if ask.sample_index - _first_number(ask.call) >= RE_ASKS:
        return None
    most = ask.max_tokens or (_twice_the_room(config) if was_cut else None)
    asking = ask.sample_index + 1, most
    return replace(
        ask,
        key=ask.keys[_askings(config, ask.call).index(asking)],
        sample_index=ask.sample_index + 1,
        max_tokens=most,
        attempts=0,
        began=0.0,
        due=0.0,
        reservation=None,
    )


def _askings(config: JudgeConfig, call: Call) -> list[tuple[int, int | None]]:
    """Every number and limit under which a question may come to be asked; None: the config's."""
    limits, first = dict.fromkeys([None, _twice_the_room(config)]), _first_number(call)
    again = [(first + number, limit) for number in range(1, RE_ASKS + 1) for limit in limits]
    return [(first, None), *again]


def _first_number(call: Call) -> int:
    """Each sample has numbers of its own; those of the first one are what a single asking has."""
    return call.sample * (RE_ASKS + 1)


def _twice_the_room(config: JudgeConfig) -> int | None:
    limit = config.sampling.get("max_tokens")
    return None if limit is None else 2 * int(limit)


@cache
def _secret() -> bytes:
    key = settings.SECRET_KEY.encode()
    return hmac.new(key, b"leaderboard.judging.walk", hashlib.sha256).digest()
