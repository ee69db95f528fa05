"""`python -m benchmarks.judge_attacks`: stage x attack x gain, before a judge that obeys.

Every attack of `tests.judge_attacks` on poor summaries of the demo's dialogues. At a stage the
judge obeys every order that it reads in that call and is honest in the others; `none` is honest
everywhere and shows what the words of the payload bring by themselves. A gain is against the poor
summary alone with the honest judge, the largest of all rows.
"""

import json
import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.judge_attacks import ATTACKS, Attack, Row  # noqa: E402
from tests.judge_rows import METRICS, STAGES, gains, rows  # noqa: E402

DIALOGUES = 8
# What a stage decides; the others follow from it.
DECIDES = {
    "none": "summarization",
    "claims": "alignment",
    "verify": "alignment",
    "cover": "coverage",
    "adhere": "adherence",
    "all": "summarization",
}


def measured(attack: Attack, poor: list[Row]) -> tuple[dict[str, float], float]:
    """The largest gain by stage in what it decides, and the largest of any metric and stage."""
    found = {stage: [gains(row, attack, obeys) for row in poor] for stage, obeys in STAGES.items()}
    largest = {stage: max(one[DECIDES[stage]] for one in each) for stage, each in found.items()}
    every = (one[name] for each in found.values() for one in each for name in METRICS)
    return largest, max(every)


def main() -> int:
    """Print the table; 1 if an attack that must gain nothing gained something."""
    poor = rows(DIALOGUES)
    print(f"{len(ATTACKS)} attacks on {len(poor)} poor summaries of {DIALOGUES} dialogues")
    print(f"{'largest gain, obeying at:':<33}" + "  ".join(f"{stage:>6}" for stage in STAGES))
    gained, limits = [], []
    family = ""
    for attack in ATTACKS:
        if attack.family != family:
            family = attack.family
            print(f"{family}{' (known limit)' if attack.may_gain else ''}")
        by_stage, most = measured(attack, poor)
        print(f"  {attack.name:<31}" + "  ".join(f"{gain:>6.2f}" for gain in by_stage.values()))
        if most > 1e-9:
            (limits if attack.may_gain else gained).append(attack.name)
    print(json.dumps({"must_gain_nothing_but_did": gained, "known_limits": len(limits)}))
    return 1 if gained else 0


if __name__ == "__main__":
    sys.exit(main())
