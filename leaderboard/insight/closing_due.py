"""Which revealed contest lacks its closing report, and what the report is made of."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from leaderboard.boards.columns import columns
from leaderboard.boards.listing import BY_TOTAL, listing, standings_of
from leaderboard.boards.models import Placement
from leaderboard.boards.visibility import BoardView, Viewer, visible_boards
from leaderboard.competitions.models import Organizer
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.failures import VersionFailed, Work, keeping, workable
from leaderboard.insight.decided import decided
from leaderboard.insight.gaps import deviations_of
from leaderboard.insight.models import ClosingReport
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import dialogue_set_of
from leaderboard.submissions.ledger import taken_by_day
from scoring.insight.closing.bundle import SCHEMA
from scoring.insight.closing.sheets import Sheet

AGAIN = timedelta(minutes=5)  # until the boards are looked at once more
Board = Placement.Board


@dataclass(frozen=True)
class DueReport:
    """A revealed contest whose report is missing, or was made of something else.

    stands: board, submission, printed total, team's name, its rank or not, and its entries.
    deviations: of each team whose files were compared. by_day: how many files came. columns: board,
    name, submission and value of what stands beside the total. dialogues: the hash of their set.
    """

    version: ScoringVersion
    stands: tuple[tuple[str, UUID, int, str, bool, int], ...]
    deviations: Mapping[UUID, float]
    by_day: Sheet
    decisions: Sheet
    columns: tuple[tuple[str, str, UUID, str], ...]
    dialogues: str | None

    @property
    def stamp(self) -> str:
        """Equal where the report would be, in one form of it."""
        contest = self.version.signature, self.version.competition.title
        seed = self.version.reference_set.split_seed
        known = sorted(self.deviations.items())
        tables = self.by_day, self.decisions, self.columns
        said = (SCHEMA, *contest, seed, self.stands, known, *tables, self.dialogues)
        return hashlib.sha256(repr(said).encode()).hexdigest()


def due_report(at: datetime) -> DueReport | None:
    """The next one to make; None when every revealed contest has its own."""
    return next(due_reports(at), None)


def due_reports(at: datetime) -> Iterator[DueReport]:
    """Those to make, as asked for. A contest that has its own is looked at again after AGAIN."""
    live = (
        workable(Work.REPORT)
        .filter(state=ScoringVersion.State.LIVE, competition__reveals_at__lte=at)
        .exclude(competition__closing_report__look_after__gt=at)
    )
    rows = live.select_related("competition__closing_report", "reference_set").order_by("pk")
    for version in filter(is_supported, rows):
        if phase(version.competition, at) is not Phase.REVEALED:
            continue
        found = None
        with suppress(VersionFailed), keeping(version, Work.REPORT):
            found = _found(version, at)
        if found is None:
            continue
        kept = ClosingReport.objects.filter(competition=version.competition_id).first()
        if found.stands and (kept is None or kept.stamp != found.stamp):
            yield found
        elif kept is not None:
            ClosingReport.objects.filter(pk=kept.pk).update(look_after=at + AGAIN)


def _found(version: ScoringVersion, at: datetime) -> DueReport:
    days = sorted(taken_by_day(version.competition).items())
    dialogues = dialogue_set_of(version)
    return DueReport(
        version=version,
        stands=_stands(version),
        # As the table says it, so that whoever reads it back computes the same.
        deviations={team: round(one, 6) for team, one in deviations_of(version).items()},
        by_day=Sheet(("day", "files"), tuple((f"{day}", str(files)) for day, files in days)),
        decisions=decided(version.competition),
        columns=_beside(version, at),
        dialogues=None if dialogues is None else dialogues.sha256,
    )


def _beside(version: ScoringVersion, at: datetime) -> tuple[tuple[str, str, UUID, str], ...]:
    """As those see them who may read the final boards, of which the editors are some."""
    editors = Organizer.objects.filter(competition=version.competition, role=Organizer.Role.OWNER)
    owner = editors.select_related("user").order_by("pk").first()
    if owner is None:
        return ()
    viewer = Viewer(
        competition=version.competition,
        user=owner.user,
        at=at,
        role=owner.role,
        team=None,
        version=version,
        teams=0,
        has_dev_set=False,
    )
    found = []
    for board in visible_boards(viewer):
        seen = listing(viewer, board)
        rows = seen.rows(BY_TOTAL, "", slice(None)) if seen else []
        for column in columns(viewer, BoardView(board, None), rows) if rows else ():
            if column.is_reference:
                for row, value in zip(rows, column.values, strict=True):
                    said = column.exported(value)[0]
                    if isinstance(said, Decimal):
                        found.append((board, column.names[0], row.submission_id, f"{said}"))
    return tuple(sorted(found))


def _stands(version: ScoringVersion) -> tuple[tuple[str, UUID, int, str, bool, int], ...]:
    return tuple(
        (board, *row)
        for board in (Board.PUBLIC.value, Board.PRIVATE.value)
        for row in standings_of(version, board, None).values_list(
            "submission_id", "printed", "team__name", "ranked", "entries"
        )
    )
