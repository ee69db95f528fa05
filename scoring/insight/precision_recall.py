"""Precision and recall beside an F1: whether a file says too much or too little.

Each is taken over the golds by itself, as the profile takes the F1: under `max` the best precision
and the best recall may be against two golds, so the F1 does not follow from them.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from scoring.metrics import parse
from scoring.pipeline import SplitReport
from scoring.profile import Profile


class Side(NamedTuple):
    """Of one metric of the total, whose name people know as `label`; fractions 0..1."""

    label: str
    precision: float
    recall: float


def sides_profile(profile: Profile) -> Profile:
    """The profile that scores both of each metric of the total; its own total means nothing.

    >>> sides_profile(Profile(metrics=("rouge1", "length"))).metrics
    ('rouge1.precision', 'rouge1.recall')
    """
    names = (f"{one}.{side}" for one in _families(profile) for side in ("precision", "recall"))
    return replace(profile, metrics=tuple(names))


def sides_by_split(profile: Profile, splits: Mapping[str, SplitReport]) -> dict[str, list[Side]]:
    """By split. profile: the contest's; splits: as a report under `sides_profile` has them."""
    return {
        name: [
            Side(
                parse(family).label,
                split.metrics[f"{family}.precision"],
                split.metrics[f"{family}.recall"],
            )
            for family in _families(profile)
        ]
        for name, split in splits.items()
    }


def _families(profile: Profile) -> list[str]:
    return list(dict.fromkeys(one.name.partition(".")[0] for one in profile.counting))
