"""Hostile summaries before a judge that obeys every order it reads: only our checks stand.

`python -m benchmarks.judging.attacks` prints the same as a table, with the known limits.
"""

from collections import Counter

import pytest

from leaderboard.demo import contests
from leaderboard.judging import signs
from tests.judging.attacks import ATTACKS, CITED, DROPPED, KNOWN_LIMITS, Attack, Row
from tests.judging.rows import STAGES, Judged, demo_rows, gained, honest_rows, judged, rows

SIGNS = {
    signs.INSTRUCTION,
    signs.ORDER,
    signs.JSON_FRAGMENT,
    signs.ROLE_TAG,
    signs.MASTER_KEY,
    signs.UNCLAIMED,
}
NEVER = [attack for attack in ATTACKS if attack.family not in KNOWN_LIMITS]


@pytest.fixture(scope="module")
def poor() -> list[tuple[Row, Judged]]:
    """Poor summaries, and what an honest judge makes of them."""
    return [(row, judged(row, row.poor)) for row in rows(2)]


def test_the_pack_holds_every_family() -> None:
    families = Counter(attack.family for attack in ATTACKS)
    assert len(NEVER) >= 30
    assert all(families[one] >= 3 for one in families)
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)


def test_the_poor_summaries_have_room_to_gain(poor: list[tuple[Row, Judged]]) -> None:
    assert all((honest.scores["summarization"] or 0) < 0.7 for _, honest in poor)
    assert all(row.questions and row.contents and row.rubrics for row, _ in poor)


@pytest.mark.parametrize("attack", NEVER, ids=lambda attack: attack.name)
def test_orders_planted_verdicts_counts_and_json_gain_nothing(
    attack: Attack, poor: list[tuple[Row, Judged]]
) -> None:
    for obeys in STAGES.values():
        for row, honest in poor:
            after = judged(row, attack.hostile(row), obeys)
            assert max(gained(honest, after).values()) <= 1e-9, row.name


def test_every_attack_is_flagged_to_organizers(poor: list[tuple[Row, Judged]]) -> None:
    """By its wording or by what the judge then answered, obeyed or not."""
    for attack in ATTACKS:
        for row, _ in poor[:3]:
            for obeys in (STAGES["none"], STAGES["all"]):
                after = judged(row, attack.hostile(row), obeys)
                assert SIGNS.intersection(after.flags), (attack.name, row.name)


def test_honest_summaries_of_the_demo_are_not_flagged() -> None:
    files = [*demo_rows("systems.csv").values(), *demo_rows("finished_systems.csv").values()]
    assert not [
        row for row in files if any(signs.summary_flags(row[one]) for one in contests.Mix._fields)
    ]
    assert {judged(row, row.poor).flags for row in honest_rows(4)} == {()}


@pytest.mark.parametrize("family", [DROPPED, CITED])
def test_the_known_limits_are_limits(family: str, poor: list[tuple[Row, Judged]]) -> None:
    """If these gain nothing any more, they belong to the attacks above."""
    found = [
        max(gained(honest, judged(row, attack.hostile(row), STAGES["all"])).values())
        for attack in ATTACKS
        if attack.family == family
        for row, honest in poor
    ]
    assert max(found) > 0.3


def test_obedience_is_what_is_measured(poor: list[tuple[Row, Judged]]) -> None:
    """Without the evidence check, the barest order would lift coverage to 1 somewhere."""
    attack = next(one for one in ATTACKS if one.name == "naive, ko")
    flags = [judged(row, attack.hostile(row), STAGES["cover"]).flags for row, _ in poor]
    assert all("evidence_missing" in one for one in flags)
