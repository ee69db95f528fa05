"""Which rows make the difference between two versions' totals of one submission.

A total is linear in its rows, so each row has its share of the difference, and the shares add up
to the whole. Reads every row's values: for owners and editors, who asked `visibility` before.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import numpy as np

from leaderboard.boards.text import SCALE, decimals, signed
from leaderboard.evaluation.queries import Values, row_values, rows_in_order
from leaderboard.references.models import ScoringVersion

SAME = 1e-9  # far below what is printed, far above the noise of adding up


@dataclass(frozen=True)
class RowShare:
    """One row's value under both versions, and what its change does to the total."""

    example_id: str
    split: str
    before: str | None
    after: str | None
    share: str


@dataclass(frozen=True)
class Cause:
    """The rows with the largest shares; `rest` is what is left of the whole difference."""

    rows: tuple[RowShare, ...]
    changed: int
    rest: str | None

    @property
    def others(self) -> int:
        """How many changed rows are not listed."""
        return self.changed - len(self.rows)


class Causes:
    """Compares submissions' rows of one board under two versions."""

    def __init__(self, live: ScoringVersion, version: ScoringVersion, board: str) -> None:
        self._live, self._version, self._board = live, version, board

    @cached_property
    def _sides(self) -> tuple["_Side", "_Side"]:
        return _Side(self._live, self._board), _Side(self._version, self._board)

    def of(self, submissions: Collection[UUID], at_most: int) -> dict[UUID, Cause]:
        """The causes for these submissions; those without both evaluations are left out."""
        values = row_values(submissions, (self._live.pk, self._version.pk))
        found = {}
        for submission_id in submissions:
            before = values.get((submission_id, self._live.pk))
            after = values.get((submission_id, self._version.pk))
            if before is not None and after is not None:
                found[submission_id] = self._cause(before, after, at_most)
        return found

    def _cause(self, before: Values, after: Values, at_most: int) -> Cause:
        old, new = self._sides
        ids = list(dict.fromkeys((*new.place, *old.place)))
        values_before, values_after = old.values(before, ids), new.values(after, ids)
        shares = np.nan_to_num(values_after) / new.rows - np.nan_to_num(values_before) / old.rows
        differs = ~np.isclose(values_before, values_after, rtol=0, atol=SAME)
        order = [place for place in np.argsort(-np.abs(shares), kind="stable") if differs[place]]
        listed = order[:at_most]
        # Where the number of rows changed, each row weighs a little more or less: that is here too.
        rest = float(shares.sum() - shares[listed].sum())
        return Cause(
            rows=tuple(
                RowShare(
                    example_id=ids[place],
                    split=new.splits.get(ids[place]) or old.splits.get(ids[place], ""),
                    before=_text(values_before[place]),
                    after=_text(values_after[place]),
                    share=signed(round(shares[place] * SCALE)),
                )
                for place in listed
            ),
            changed=len(order),
            rest=signed(round(rest * SCALE))
            if len(order) > len(listed) or abs(rest) > SAME
            else None,
        )


class _Side:
    """One version's rows of a board."""

    def __init__(self, version: ScoringVersion, board: str) -> None:
        rows = rows_in_order(version.reference_set_id)
        self.place = {
            example_id: place for place, (example_id, split) in enumerate(rows) if split == board
        }
        self.splits = dict(rows)
        self.rows = max(len(self.place), 1)
        profile = version.profile()
        self._counting = len(profile.counting)
        parts = 1 if profile.metric_aggregation == "sum" else self._counting
        self._scale = profile.scale / parts

    def values(self, metrics: Values, ids: list[str]) -> Values:
        """Each id's value as it enters the total; not a number where there is no such row."""
        totals = np.append(metrics[:, : self._counting].sum(axis=1) * self._scale, np.nan)
        places = [self.place.get(example_id, len(totals) - 1) for example_id in ids]
        chosen: Values = totals[places]
        return chosen


def _text(value: float) -> str | None:
    return None if np.isnan(value) else decimals(round(value * SCALE))
