"""Which revealed contest lacks its closing report, and what the report is made of."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from leaderboard.boards.gaps import deviations_of
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import ClosingReport, Placement
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.contest_file.decided import decided
from leaderboard.evaluation.claim import is_supported
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.ledger_lines import taken_by_day
from scoring.closing.bundle import SCHEMA
from scoring.closing.sheets import Sheet

AGAIN = timedelta(minutes=5)  # until the boards are looked at once more
Board = Placement.Board


@dataclass(frozen=True)
class DueReport:
    """A revealed contest whose report is missing, or was made of other standings.

    stands: board, submission, printed total, team's name, its rank or not, and its entries.
    deviations: of each team whose files were compared. by_day: how many files came.
    """

    version: ScoringVersion
    stands: tuple[tuple[str, UUID, int, str, bool, int], ...]
    deviations: Mapping[UUID, float]
    by_day: Sheet
    decisions: Sheet

    @property
    def stamp(self) -> str:
        """Equal for equal standings, in one form of the report."""
        contest = self.version.signature, self.version.competition.title
        known = sorted(self.deviations.items())
        said = (SCHEMA, *contest, self.stands, known, self.by_day, self.decisions)
        return hashlib.sha256(repr(said).encode()).hexdigest()


def due_report(at: datetime) -> DueReport | None:
    """The next one to make; None when every revealed contest has its own."""
    return next(due_reports(at), None)


def due_reports(at: datetime) -> Iterator[DueReport]:
    live = ScoringVersion.objects.filter(
        state=ScoringVersion.State.LIVE, competition__reveals_at__lte=at
    ).exclude(competition__closing_report__look_after__gt=at)
    rows = live.select_related("competition__closing_report", "reference_set").order_by("pk")
    for version in filter(is_supported, rows):
        if phase(version.competition, at) is not Phase.REVEALED:
            continue
        found = _found(version)
        kept = ClosingReport.objects.filter(competition=version.competition_id).first()
        if found.stands and (kept is None or kept.stamp != found.stamp):
            yield found
        elif kept is not None:
            ClosingReport.objects.filter(pk=kept.pk).update(look_after=at + AGAIN)


def _found(version: ScoringVersion) -> DueReport:
    days = sorted(taken_by_day(version.competition).items())
    return DueReport(
        version=version,
        stands=_stands(version),
        # As the table says it, so that whoever reads it back computes the same.
        deviations={team: round(one, 6) for team, one in deviations_of(version).items()},
        by_day=Sheet(("day", "files"), tuple((f"{day}", str(files)) for day, files in days)),
        decisions=decided(version.competition),
    )


def _stands(version: ScoringVersion) -> tuple[tuple[str, UUID, int, str, bool, int], ...]:
    return tuple(
        (board, *row)
        for board in (Board.PUBLIC.value, Board.PRIVATE.value)
        for row in standings_of(version, board, None).values_list(
            "submission_id", "printed", "team__name", "ranked", "entries"
        )
    )
