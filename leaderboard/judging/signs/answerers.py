"""Which models gave a config's answers, and whether that changed on the way.

A server behind one model name may put another model there, or say so by another fingerprint; rows
judged before and after are then not measured alike. Only answers about summaries count: who wrote
the items does not matter, people read and froze them.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Protocol
from uuid import UUID

from django.db.models import Max, Min, Sum

from leaderboard.competitions.models import Competition
from leaderboard.judging.models import Answerer, JudgeConfig, Judging, Judgment, StoredCall


class Named(Protocol):
    """What a server says of itself beside an answer; either may be empty."""

    @property
    def model(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...


@dataclass(frozen=True)
class AnsweredBy:
    """One pair of model and fingerprint, and how many answers of a config's rows it gave.

    An answer counts once for each row that rests on it. `first_at` and `last_at` are the instants
    at which the first and the last of them were stored.
    """

    model: str
    fingerprint: str
    answers: int
    first_at: datetime
    last_at: datetime


def of(judging: Judging) -> list[Answerer]:
    """Who gave the answers that its rows rest on now, unsaved."""
    rows = Judgment.objects.filter(judging=judging).values_list("call_keys", flat=True)
    keys = [key for calls in rows for key in calls.values()]
    # Without the bodies: they are thousands of texts.
    stored = StoredCall.objects.only("model", "fingerprint", "created_at").in_bulk(set(keys))
    found: dict[tuple[str, str], Answerer] = {}
    for call in (stored[key] for key in keys if key in stored):
        at = call.created_at
        one = found.setdefault(
            (call.model, call.fingerprint),
            Answerer(
                judging=judging,
                model=call.model,
                fingerprint=call.fingerprint,
                answers=0,
                first_at=at,
                last_at=at,
            ),
        )
        one.answers += 1
        one.first_at, one.last_at = min(one.first_at, at), max(one.last_at, at)
    return list(found.values())


def replace(judging: Judging, answered: Collection[Answerer]) -> list[Answerer]:
    """Write them over the ones before, in the caller's transaction; those that nobody met yet.

    These differ from what answered under this config so far, or from one another. Two workers that
    meet the same one in the same instant both get it.
    """
    known = list(Answerer.objects.filter(judging__config=judging.config_id))
    own = [one for one in known if one.judging_id == judging.pk]
    if {_values(one) for one in own} == {_values(one) for one in answered}:
        return []
    Answerer.objects.filter(judging=judging).delete()
    Answerer.objects.bulk_create(answered, batch_size=500)
    strangers = []
    for one in sorted(answered, key=lambda each: each.first_at):
        if not any(_is_same(one, other) for other in known):
            strangers += [one] if any(differ(one, other) for other in known) else []
            known.append(one)
    return strangers


def differ(one: Named, other: Named) -> bool:
    """Whether another model, or the same in another state, must have answered.

    What a server did not say differs from nothing.
    """
    if one.model and other.model and one.model != other.model:
        return True
    return bool(one.fingerprint and other.fingerprint) and one.fingerprint != other.fingerprint


def has_changed(answered: Iterable[Named]) -> bool:
    """Whether any two of these differ."""
    return any(differ(one, other) for one, other in combinations(answered, 2))


def of_config(config: JudgeConfig) -> list[AnsweredBy]:
    """Every pair that answered under this config, the oldest first; one query."""
    rows = (
        Answerer.objects.filter(judging__config=config)
        .values("model", "fingerprint")
        .annotate(answers=Sum("answers"), first_at=Min("first_at"), last_at=Max("last_at"))
        .order_by("first_at", "model", "fingerprint")
    )
    return [AnsweredBy(**row) for row in rows]


def changed_configs(competition: Competition) -> list[UUID]:
    """The contest's configs whose answers came from pairs that differ; one query."""
    rows = Answerer.objects.filter(judging__config__competition=competition)
    pairs: dict[UUID, list[_Voice]] = {}
    for config, model, fingerprint in (
        rows.values_list("judging__config", "model", "fingerprint").order_by().distinct()
    ):
        pairs.setdefault(config, []).append(_Voice(model, fingerprint))
    return [config for config, those in pairs.items() if has_changed(those)]


@dataclass(frozen=True)
class _Voice:
    model: str
    fingerprint: str


def _values(one: Answerer) -> tuple[str, str, int, datetime, datetime]:
    return (one.model, one.fingerprint, one.answers, one.first_at, one.last_at)


def _is_same(one: Named, other: Named) -> bool:
    return (one.model, one.fingerprint) == (other.model, other.fingerprint)
