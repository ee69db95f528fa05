"""Hostile summaries before a judge that obeys every order it reads: only our checks stand.

`python -m benchmarks.judge_attacks` prints the same as a table, with the known limits.
"""

from collections import Counter

import pytest

from tests.judge_attacks import ATTACKS, CITED, DROPPED, KNOWN_LIMITS, Attack, Row
from tests.judge_rows import METRICS, STAGES, gains, judged, rows

NEVER = [attack for attack in ATTACKS if attack.family not in KNOWN_LIMITS]


@pytest.fixture(scope="module")
def poor() -> list[Row]:
    return rows(2)


def test_the_pack_holds_every_family() -> None:
    families = Counter(attack.family for attack in ATTACKS)
    assert len(NEVER) >= 30
    assert all(families[one] >= 3 for one in families)
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)


def test_the_poor_summaries_have_room_to_gain(poor: list[Row]) -> None:
    scores = [judged(row, row.poor).scores for row in poor]
    assert all((one["summarization"] or 0) < 0.7 for one in scores)
    assert all(row.questions and row.contents and row.rubrics for row in poor)


@pytest.mark.parametrize("attack", NEVER, ids=lambda attack: attack.name)
def test_orders_planted_verdicts_counts_and_json_gain_nothing(
    attack: Attack, poor: list[Row]
) -> None:
    for obeys in STAGES.values():
        for row in poor:
            assert max(gains(row, attack, obeys).values()) <= 1e-9, row.name


@pytest.mark.parametrize("family", [DROPPED, CITED])
def test_the_known_limits_are_limits(family: str, poor: list[Row]) -> None:
    """If these gain nothing any more, they belong to the attacks above."""
    found = [
        max(gains(row, attack, STAGES["all"])[name] for name in METRICS)
        for attack in ATTACKS
        if attack.family == family
        for row in poor
    ]
    assert max(found) > 0.3


def test_obedience_is_what_is_measured(poor: list[Row]) -> None:
    """Without the evidence check, the barest order would lift coverage to 1 somewhere."""
    attack = next(one for one in ATTACKS if one.name == "naive, ko")
    flags = [judged(row, attack.hostile(row), STAGES["cover"]).flags for row in poor]
    assert all("evidence_missing" in one for one in flags)
