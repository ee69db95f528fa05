"""How far a team's best total is flattered by choosing it among its files, for that team alone.

Of public rows, so that it says nothing of hidden ones; in coarse steps and once a day, so that it
says little of which rows are public.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import numpy as np

from leaderboard.boards.visibility import Viewer
from leaderboard.competitions.schedule import day
from leaderboard.evaluation.queries import row_values, rows_in_order
from leaderboard.submissions.models import Submission
from scoring.comparison import row_totals
from scoring.profile import Profile
from scoring.statistics.luck import luck


@dataclass(frozen=True)
class Flattery:
    """points: rounded to the step that is shown, which is 0.01 of a full mark of 3.

    files: that the best was chosen from, all received before `until`, the last midnight.
    """

    points: Decimal
    step: Decimal
    files: int
    rows: int
    until: datetime


def flattery(own: Sequence[Submission], viewer: Viewer) -> Flattery | None:
    """Of these counted submissions of the viewer's own team; None with fewer than two of a day
    before. Two queries.
    """
    until = day(viewer.competition, viewer.at).starts_at
    earlier = [one.pk for one in own if one.received_at < until]
    version = viewer.version
    if version is None or len(earlier) < 2:
        return None
    of_set = enumerate(rows_in_order(version.reference_set_id))
    public = [place for place, (_, split) in of_set if split == "public"]
    profile = version.profile()
    # In one order, so that two readers find the same last bit.
    by_file = sorted(row_values(earlier, [version.pk]).items(), key=lambda kept: kept[0])
    values = [row_totals(kept, profile)[public] for _, kept in by_file]
    found = luck(np.stack(values)) if values else None
    if found is None:
        return None
    step = step_of(profile)
    points = (Decimal(found.luck) / step).to_integral_value() * step
    return Flattery(points, step, found.files, found.rows, until)


def step_of(profile: Profile) -> Decimal:
    """What the line is rounded to: 0.01 of a full mark of 3, and no finer under another.

    >>> step_of(Profile()), step_of(Profile(metric_aggregation="mean", scale=100))
    (Decimal('0.01'), Decimal('1'))
    """
    return Decimal(1).scaleb(math.ceil(math.log10(profile.full_mark / 300)))
