"""How far the order of a board can be believed: made by a task, read by the page in one row.

Made of what everybody sees of the board, so in a freeze of the freeze's rows, and of the private
ones only from the reveal on, with the other facts that the panel of the board is made of. Numbers
and method are `scoring.statistics`'.
"""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from leaderboard.boards.columns import SCALE
from leaderboard.boards.listing import rank_in, standings_of
from leaderboard.boards.models import Switch
from leaderboard.boards.visibility import BoardView, Viewer, boards_of_everybody
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.models import SplitScore
from leaderboard.evaluation.queries import each_row_values, rows_in_order
from leaderboard.evaluation.run import VersionFailed, Work, keeping, workable
from leaderboard.insight.models import BoardBands
from leaderboard.insight.near_duplicates import alike_among
from leaderboard.insight.specificity import lift_of
from leaderboard.references.models import ScoringVersion
from scoring.pipeline import row_totals
from scoring.statistics import seed_of
from scoring.statistics.bands import VERSION, bands, ranks_between

SMALL = 1_000  # teams; the bands of a larger board take seconds
SOON, LATER = timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True)
class Due:
    """A board whose bands are missing or were made of other standings.

    `stands`: submission and printed total of each ranked team, in the board's order.
    """

    version: ScoringVersion
    board: str
    instant: datetime | None
    stands: tuple[tuple[UUID, int], ...]

    @property
    def stamp(self) -> str:
        """Equal for equal standings of which the same is known."""
        known = (VERSION, "leaders", self.instant, self.stands)
        return hashlib.sha256(repr(known).encode()).hexdigest()


def due(at: datetime) -> Due | None:
    """A board of a live version whose bands are missing or of other standings; None: all are made.

    A small board is looked at again after a minute, a large one after an hour.
    """
    live = workable(Work.BANDS).filter(state=ScoringVersion.State.LIVE)
    of_live = BoardBands.objects.filter(scoring_version__in=live).defer("totals")
    kept = {(bands.scoring_version_id, bands.board): bands for bands in of_live}
    for version in live.select_related("competition", "reference_set").order_by("pk"):
        for board, instant in boards_of_everybody(version.competition, at):
            known = kept.get((version.pk, board))
            if known is not None and known.look_after > at:
                continue
            with suppress(VersionFailed), keeping(version, Work.BANDS):
                rows = standings_of(version, board, instant, "stands_until").filter(ranked=True)
                stands = tuple(rows.values_list("submission_id", "printed"))
                found = Due(version, board, instant, stands)
                if known is None or known.stamp != found.stamp:
                    return found
                pause = _pause(len(stands))
                BoardBands.objects.filter(pk=known.pk).update(look_after=at + pause)
    return None


def _pause(teams: int) -> timedelta:
    return SOON if teams <= SMALL else LATER


def make_bands(found: Due, at: datetime) -> BoardBands:
    """Compute and keep them. Safe to run twice, and beside itself."""
    rows = _rows(found)
    printed = np.sort(np.array([total for _, total in found.stands], dtype=np.int64))
    threshold, signature = None, ""
    if len(rows) > 1:
        of_rows = bands(rows, seed=seed_of(found.version.reference_set.sha256))
        signature = of_rows.signature
        if of_rows.threshold is not None:
            threshold = round(of_rows.threshold * SCALE)
    made, _ = BoardBands.objects.update_or_create(
        scoring_version=found.version,
        board=found.board,
        defaults={
            "stamp": found.stamp,
            "made_at": at,
            "look_after": at + _pause(len(found.stands)),
            "instant": found.instant,
            "rows": rows.shape[1],
            "threshold": threshold,
            "signature": signature,
            "facts": _facts(found) | {"leaders": _leaders(printed, threshold)},
            "totals": printed.astype("<i8").tobytes(),
        },
    )
    return made


def make_next_bands(at: datetime) -> bool:
    """Of one board that is due; False when none is."""
    found = due(at)
    if found is not None:
        with suppress(VersionFailed), keeping(found.version, Work.BANDS):
            make_bands(found, at)
    return found is not None


def _rows(found: Due) -> NDArray[np.float64]:
    """Files x rows of the board's split: each row's share of the total."""
    version = found.version
    places = [
        place
        for place, (_, of) in enumerate(rows_in_order(version.reference_set_id))
        if of == found.board
    ]
    totals = np.zeros((len(found.stands), len(places)))
    profile = version.profile()
    names = [name for name, _ in found.stands]
    for number, values in enumerate(each_row_values(names, version.pk)):
        totals[number] = row_totals(values, profile)[places]
    return totals


def bands_seen(viewer: Viewer, view: BoardView) -> BoardBands | None:
    """Those of exactly the rows that this viewer sees; of a past board nothing is kept.

    One query, however often the same viewer asks.
    """
    version = viewer.version
    if version is None or not (view.instant is None or view.own_moves):
        return None
    known = viewer.listings
    if (key := ("bands", view)) not in known:
        rows = BoardBands.objects.filter(scoring_version=version, board=view.board)
        known[key] = rows.filter(instant=view.instant).first()
    found: BoardBands | None = known[key]
    return found


class RankRange(NamedTuple):
    """Between which ranks a team may truly stand, and whether it may be the first."""

    best: int
    worst: int
    leads: bool


def ranges(
    bands: BoardBands, threshold: int, printed: Sequence[int], today: Sequence[int]
) -> list[RankRange | None]:
    """Of printed totals; the own one of today in a freeze is not among those of the bands.

    today: the totals that the board ranks now, ascending. None where the rank among these is
    another one: then the bands are older than it, by up to an hour where the board is large.
    """
    then, asked = ascending(bands), np.array(printed, dtype=np.int64)
    both = (ranks.tolist() for ranks in ranks_between(then, threshold, asked))
    known = then.tolist()
    return [
        RankRange(best, max(best, worst), best == 1)
        if rank_in(today, total) == rank_in(known, total)
        else None
        for total, best, worst in zip(printed, *both, strict=True)
    ]


def _leaders(totals: NDArray[np.int64], threshold: int | None) -> int | None:
    """How many teams may be the first; the totals ascend.

    >>> _leaders(np.array([10, 40, 50, 60]), 15)
    2
    """
    if threshold is None:
        return None
    best, _ = ranks_between(totals, threshold, totals)
    return int((best == 1).sum())


def ascending(bands: BoardBands) -> NDArray[np.int64]:
    """The printed totals of the ranked teams, the lowest first."""
    return np.frombuffer(bytes(bands.totals), dtype="<i8").astype(np.int64)


FIRST = 20  # teams whose files are compared with each other


def _facts(found: Due) -> dict[str, object]:
    """What the panel of the board is made of."""
    version, board, instant = found.version, found.board, found.instant
    stands = [submission for submission, _ in found.stands]
    tells = bool(stands) and is_supported(version)
    alike = alike_among(version, stands[:FIRST]) if len(stands) > 1 else None
    return {
        "signatures": _signatures(version, board, instant),
        "top_lift": lift_of(version, board, stands[0]).ratio if tells else None,
        "copies": None if alike is None else len(alike),
        "alike": alike or [],
        "switch": _switch(version, board, instant),
    }


def _signatures(version: ScoringVersion, board: str, instant: datetime | None) -> int:
    """In how many ways the totals were made that stand there."""
    standing: Any = standings_of(version, board, instant).order_by().values("submission")
    scores = SplitScore.objects.filter(
        evaluation__scoring_version=version, evaluation__submission__in=standing, split=board
    )
    return scores.order_by().values("signature").distinct().count()


def _switch(
    version: ScoringVersion, board: str, instant: datetime | None
) -> dict[str, object] | None:
    """Who moved as this version took another's place; in a freeze only if that was before."""
    rows = Switch.objects.filter(scoring_version=version, board=board)
    newest = (rows if instant is None else rows.filter(at__lt=instant)).first()
    if newest is None:
        return None
    ranks = [(before and before[0], after and after[0]) for _, before, after in newest.moves]
    placed = [pair for pair in ranks if pair != (None, None)]
    return {
        "moved": sum(before != after for before, after in placed),
        "teams": len(placed),
        "first_stays": any(before == after == 1 for before, after in placed),
    }
