"""Answers meet what was asked, by id: the denominator is what was asked, never what came back."""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.judges.parsing import Malformed
from scoring.judges.records import MAX_CLAIM_CHARACTERS, MAX_CLAIMS, Asked, Item


def by_id(asked: Sequence[str], items: Sequence[Item]) -> dict[str, Item]:
    """Items by id, in the order asked; `Malformed` unless each id came exactly once.

    >>> by_id(["c1"], [{"id": "c1"}, {"id": "c1"}])
    Traceback (most recent call last):
    ...
    scoring.judges.parsing.Malformed: duplicate_id
    """
    found = {item["id"]: item for item in items}
    if len(found) != len(items):
        raise Malformed("duplicate_id")
    if found.keys() - set(asked):
        raise Malformed("foreign_id")
    if len(found) != len(asked):
        raise Malformed("missing_id")
    return {each: found[each] for each in asked}


def limits(claims: Sequence[Item]) -> None:
    """`Malformed` for more or longer claims than the prompt allows: asked for again."""
    if len(claims) > MAX_CLAIMS:
        raise Malformed("too_many_claims")
    if any(len(claim["point"]) > MAX_CLAIM_CHARACTERS for claim in claims):
        raise Malformed("claim_too_long")


def verdicts(claims: Sequence[Item], decomposition: Sequence[Item]) -> dict[str, Item]:
    """Each claim's verdict."""
    ids = [claim["id"] for claim in claims]
    if len(set(ids)) != len(ids):
        raise Malformed("duplicate_id")
    return by_id(ids, decomposition)


def contents(asked: Asked, given: Sequence[Item]) -> dict[str, Mapping[str, Any]]:
    """Contents by rubric, both by id; a rubric without contents may be left out."""
    named = {each["id"] for each in given}
    expected = [rubric for rubric, ids in asked.completeness.items() if ids or rubric in named]
    return {
        rubric: by_id(asked.completeness[rubric], item["content_list"])
        for rubric, item in by_id(expected, given).items()
    }
