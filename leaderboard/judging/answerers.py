"""Which models gave a config's answers, and whether that changed on the way.

A server behind one model name may put another model there, or say so by another fingerprint; rows
judged before and after are then not measured alike. Only answers about summaries count: who wrote
the items does not matter, people read and froze them.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import combinations
from uuid import UUID

from django.db.models import Max, Min, Sum

from leaderboard.competitions.models import Competition
from leaderboard.judging.models import Answerer, JudgeConfig, Judging, Judgment, StoredCall


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
        if (one.model, one.fingerprint) not in {(each.model, each.fingerprint) for each in known}:
            strangers += [one] if any(differ(one, other) for other in known) else []
            known.append(one)
    return strangers


def differ(one: Answerer, other: Answerer) -> bool:
    """Whether another model, or the same in another state, must have answered.

    What a server did not say differs from nothing.
    """
    if one.model and other.model and one.model != other.model:
        return True
    return bool(one.fingerprint and other.fingerprint) and one.fingerprint != other.fingerprint


def has_changed(answered: Iterable[Answerer]) -> bool:
    """Whether any two of these differ."""
    return any(differ(one, other) for one, other in combinations(answered, 2))


def of_config(config: JudgeConfig) -> list[Answerer]:
    """Every pair that answered under this config, added up over its rows, the oldest first."""
    rows = (
        Answerer.objects.filter(judging__config=config)
        .values("model", "fingerprint")
        .annotate(number=Sum("answers"), first=Min("first_at"), last=Max("last_at"))
        .order_by("first", "model", "fingerprint")
    )
    return [
        Answerer(
            model=row["model"],
            fingerprint=row["fingerprint"],
            answers=row["number"],
            first_at=row["first"],
            last_at=row["last"],
        )
        for row in rows
    ]


def changed_configs(competition: Competition) -> list[UUID]:
    """The contest's configs whose answers came from pairs that differ; one query."""
    rows = Answerer.objects.filter(judging__config__competition=competition)
    pairs: dict[UUID, list[Answerer]] = {}
    for config, model, fingerprint in (
        rows.values_list("judging__config", "model", "fingerprint").order_by().distinct()
    ):
        pairs.setdefault(config, []).append(Answerer(model=model, fingerprint=fingerprint))
    return [config for config, those in pairs.items() if has_changed(those)]


def _values(one: Answerer) -> tuple[str, str, int, datetime, datetime]:
    return (one.model, one.fingerprint, one.answers, one.first_at, one.last_at)
