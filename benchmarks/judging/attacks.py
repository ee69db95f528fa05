"""`python -m benchmarks.judging.attacks`: stage x attack x gain, before a judge that obeys.

Every attack of `tests.judging.attacks` on poor summaries of the demo's dialogues. At a stage the
judge obeys every order that it reads in that call and is honest in the others; `none` is honest
everywhere and shows what the words of the payload bring by themselves. A gain is against the poor
summary alone with the honest judge, the largest of all rows.
"""

import json
import os
import sys
from dataclasses import dataclass

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.judging.attacks import ATTACKS, Attack, Row  # noqa: E402
from tests.judging.rows import STAGES, Judged, gained, judged, rows  # noqa: E402

DIALOGUES = 8
NOTHING = 1e-9
# What a stage decides; the others follow from it.
DECIDES = {
    "none": "summarization",
    "claims": "alignment",
    "verify": "alignment",
    "cover": "coverage",
    "adhere": "adherence",
    "all": "summarization",
}


@dataclass(frozen=True)
class Measured:
    """Of one attack: the largest gain by stage in what it decides, the largest of any metric and
    stage, and on how many of the rows where it gains organizers see a flag."""

    by_stage: dict[str, float]
    most: float
    gaining: int
    flagged: int


def measured(attack: Attack, poor: list[tuple[Row, Judged]]) -> Measured:
    """Hold an attack against every row at every stage."""
    by_stage, most, gaining, flagged = {}, 0.0, 0, 0
    for stage, obeys in STAGES.items():
        found = []
        for row, honest in poor:
            after = judged(row, attack.hostile(row), obeys)
            gain = gained(honest, after)
            found.append(gain[DECIDES[stage]])
            if max(gain.values()) > NOTHING:
                gaining += 1
                flagged += bool(after.flags)
            most = max(most, *gain.values())
        by_stage[stage] = max(found)
    return Measured(by_stage, most, gaining, flagged)


def main() -> int:
    """Print the table; 1 if an attack that must gain nothing gained, or one gained unseen."""
    poor = [(row, judged(row, row.poor)) for row in rows(DIALOGUES)]
    print(f"{len(ATTACKS)} attacks on {len(poor)} poor summaries of {DIALOGUES} dialogues")
    heads = "  ".join(f"{stage:>6}" for stage in STAGES)
    print(f"{'largest gain, obeying at:':<33}{heads}  flagged")
    gained_something, limits, unseen = [], [], []
    family = ""
    for attack in ATTACKS:
        if attack.family != family:
            family = attack.family
            print(f"{family}{' (known limit)' if attack.may_gain else ''}")
        found = measured(attack, poor)
        cells = "  ".join(f"{gain:>6.2f}" for gain in found.by_stage.values())
        seen = f"{found.flagged}/{found.gaining}" if found.gaining else ""
        print(f"  {attack.name:<31}{cells}  {seen:>7}".rstrip())
        if found.most > NOTHING:
            (limits if attack.may_gain else gained_something).append(attack.name)
        if found.flagged < found.gaining:
            unseen.append(attack.name)
    result = {"gained": gained_something, "unseen": unseen, "known_limits": len(limits)}
    print(json.dumps(result))
    return 1 if gained_something or unseen else 0


if __name__ == "__main__":
    sys.exit(main())
