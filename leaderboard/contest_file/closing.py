"""The closing report of a revealed contest as bundles: made by a task, kept, read by two pages.

What it says and how it is checked stands in `scoring.closing`. It is made of the rows that stand on
the boards, so it is made anew when one of them changes after the reveal.
"""

import hashlib
import tempfile
import uuid
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from django.core.files.base import File
from django.core.files.storage import Storage
from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import refuse_all_but_owners
from leaderboard.audit.log import record
from leaderboard.boards.gaps import deviations_of
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import ClosingReport, Placement
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition, data_storage
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.competitions.storage import rows_for_stored_bytes
from leaderboard.contest_file.decided import decided
from leaderboard.contest_file.packing import entry
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.queries import each_row_values
from leaderboard.evaluation.run import prepared_references
from leaderboard.references.models import ScoringVersion, gold_storage
from leaderboard.submissions.ledger_lines import taken_by_day
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts
from scoring.closing.bundle import (
    MANIFEST,
    OF_MANIFEST,
    PREDICTIONS,
    SCHEMA,
    Edition,
    golds_file,
    manifest,
    of_edition,
    sha256,
    small_files,
)
from scoring.closing.sheets import Sheet, StandingFile, written_files
from scoring.closing.tables import tables

logger = structlog.get_logger(__name__)

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
    return next(_due_reports(at), None)


def _due_reports(at: datetime) -> Iterator[DueReport]:
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


def make_next_report(at: datetime) -> bool:
    """Of one contest that is due; False when none is. Safe to run twice.

    One whose stored files are gone holds up no other; the log names it each time.
    """
    for found in _due_reports(at):
        try:
            make_report(found, at)
        except (OSError, KeyError) as error:
            contest = str(found.version.competition_id)
            logger.error("closing_report_not_made", competition=contest, error=type(error).__name__)
            continue
        return True
    return False


def make_report(found: DueReport, at: datetime) -> ClosingReport:
    """Both editions, in place of those there were."""
    made = _Made.of(found)
    competition = found.version.competition
    with made.pack("public") as public, made.pack("organizers") as organizers:
        stored = [_stored(public, data_storage()), _stored(organizers, gold_storage())]

        def discard() -> None:
            data_storage().delete(stored[0].name)
            gold_storage().delete(stored[1].name)

        with rows_for_stored_bytes(discard):
            before = ClosingReport.objects.filter(competition=competition).first()
            kept, _ = ClosingReport.objects.update_or_create(
                competition=competition,
                defaults={
                    "scoring_version": found.version,
                    "stamp": found.stamp,
                    "made_at": at,
                    "look_after": at + AGAIN,
                    "public": stored[0].name,
                    "public_sha256": stored[0].sha256,
                    "public_size": stored[0].size,
                    "organizers": stored[1].name,
                    "organizers_sha256": stored[1].sha256,
                    "organizers_size": stored[1].size,
                },
            )
            if before is not None:
                for file in (before.public, before.organizers):
                    gone = partial(file.storage.delete, str(file.name))
                    transaction.on_commit(gone, robust=True)
    return kept


class _Stored(NamedTuple):
    name: str
    sha256: str
    size: int


def _stored(packed: Any, storage: Storage) -> _Stored:
    digest = hashlib.file_digest(packed, "sha256").hexdigest()
    size = packed.tell()
    packed.seek(0)
    return _Stored(storage.save(str(uuid.uuid4()), File(packed)), digest, size)


@dataclass(frozen=True)
class _Made:
    """A report before it is packed: its small files, and how to read each that was handed in."""

    version: ScoringVersion
    signature: str
    small: Mapping[str, bytes]
    files: Mapping[str, Callable[[], bytes]]
    hashes: Mapping[str, str]

    @classmethod
    def of(cls, found: DueReport) -> "_Made":
        version = found.version
        prepared = prepared_references(version.reference_set_id, version.profile_settings)
        own = {submission for _, submission, *_ in found.stands}
        rows = Submission.objects.filter(pk__in=own).order_by("received_at", "pk")
        submissions = {f"{number:05d}.csv": one for number, one in enumerate(rows, 1)}
        files = _standing_files(found, submissions)
        values_of = each_row_values([one.pk for one in submissions.values()], version.pk)
        values = dict(zip(submissions, values_of, strict=True))

        def texts_of(name: str) -> dict[str, str]:
            given = texts(submissions[name].pk)
            return {row: given[row] for row in prepared.references.ids}

        found_tables = tables(files, values, prepared, texts_of)
        written = {
            "files.csv": written_files(files),
            "entries.csv": found.by_day,
            "decisions.csv": found.decisions,
            **found_tables,
        }
        golds = golds_file(prepared.references)
        return cls(
            version=version,
            signature=prepared.signature,
            small=small_files(version.competition.title, written, golds),
            files={name: _reader(one) for name, one in submissions.items()},
            hashes={name: one.sha256 for name, one in submissions.items()},
        )

    def pack(self, edition: Edition) -> Any:
        """The ZIP of an edition in a temporary file, from its beginning. Stored, not compressed: a
        compressor's bytes differ from machine to machine.
        """
        competition, profile = self.version.competition, self.version.profile()
        own = of_edition(edition, self.small)
        hashes = {name: sha256(data) for name, data in own.items()}
        if edition == "organizers":
            hashes |= {f"{PREDICTIONS}{name}": found for name, found in self.hashes.items()}
        withheld = {name: sha256(data) for name, data in self.small.items() if name not in own}
        contest = {"slug": competition.slug, "title": competition.title}
        described = manifest(edition, contest, profile, self.signature, hashes, withheld)
        out = tempfile.TemporaryFile()  # noqa: SIM115 - whoever asked closes it
        with zipfile.ZipFile(out, "w") as archive:
            of_manifest = f"{sha256(described)}\n".encode()
            for name, data in [(MANIFEST, described), (OF_MANIFEST, of_manifest), *own.items()]:
                archive.writestr(entry(name), data)
            for name, read in self.files.items() if edition == "organizers" else ():
                archive.writestr(entry(f"{PREDICTIONS}{name}"), read())
        out.seek(0)
        return out


def _standing_files(found: DueReport, submissions: Mapping[str, Submission]) -> list[StandingFile]:
    """In the order in which they were received."""
    on_board = {(board, one): rest for board, one, *rest in found.stands}
    files = []
    for name, one in submissions.items():
        sides = [on_board.get((board, one.pk)) for board in (Board.PUBLIC, Board.PRIVATE)]
        _, team, ranked, entries = next(side for side in sides if side is not None)
        files.append(
            StandingFile(
                name=name,
                team=str(team),
                ranked=bool(ranked),
                public=sides[0] is not None,
                private=sides[1] is not None,
                entries=int(str(entries)),
                received_at=one.received_at.isoformat(),
                sha256=one.sha256,
                deviation=found.deviations.get(one.team_id),
            )
        )
    return files


def _reader(submission: Submission) -> Callable[[], bytes]:
    def read() -> bytes:
        with submission.file.open("rb") as sent:
            data: bytes = sent.read()
        return data

    return read


def report_of(competition: Competition) -> ClosingReport | None:
    """The report that was made last. One query."""
    return ClosingReport.objects.filter(competition=competition).first()


def one_file(stored: Any, name: str) -> bytes:
    """One file of a stored bundle."""
    with stored.open("rb") as packed, zipfile.ZipFile(packed) as archive:
        return archive.read(name)


def take_organizers_edition(*, competition: Competition, user: User, at: datetime) -> None:
    """Note who takes the edition that holds golds. Raises Refused."""
    with transaction.atomic():
        refuse_all_but_owners(lock_one(Competition.objects.filter(pk=competition.pk)), user)
        record(
            kind="competition.closing_report_taken",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=competition.pk,
        )
