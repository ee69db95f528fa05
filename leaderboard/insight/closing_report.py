"""The closing report of a revealed contest as bundles: made by a task, kept, read by two pages.

What it says and how it is checked stands in `scoring.insight.closing`. It is made of the rows that
stand on the boards, so it is made anew when one of them changes after the reveal.
"""

import hashlib
import json
import uuid
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from django.core.files.base import File
from django.core.files.storage import Storage
from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import refuse_all_but_owners
from leaderboard.audit.log import decisions, record
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Placement
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition, data_storage
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.competitions.storage import passing_file, rows_for_stored_bytes
from leaderboard.contest_file.packing import entry
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.failures import VersionFailed, Work, keeping, workable
from leaderboard.evaluation.queries import each_row_values
from leaderboard.evaluation.run import prepared_references
from leaderboard.insight.models import ClosingReport
from leaderboard.insight.tuning_gap import deviations_of
from leaderboard.references.models import ScoringVersion, gold_storage
from leaderboard.references.queries import dialogue_set_of, dialogues_of
from leaderboard.submissions.ledger import taken_by_day
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from scoring.insight.closing.bundle import (
    MANIFEST,
    OF_MANIFEST,
    PREDICTIONS,
    SCHEMA,
    SIZES,
    Edition,
    manifest,
    of_edition,
    sha256,
    small_files,
)
from scoring.insight.closing.groups import written_sizes
from scoring.insight.closing.sheets import Sheet, StandingFile, written_files
from scoring.insight.closing.tables import tables
from scoring.insight.slices import size_of
from scoring.table import safe

AGAIN = timedelta(minutes=5)  # until the boards are looked at once more
Board = Placement.Board


@dataclass(frozen=True)
class DueReport:
    """A revealed contest whose report is missing, or was made of something else.

    stands: board, submission, printed total, team's name, its rank or not, and its entries.
    deviations: of each team whose files were compared. by_day: how many files came. dialogues: the
    hash of their set.
    """

    version: ScoringVersion
    stands: tuple[tuple[str, UUID, int, str, bool, int], ...]
    deviations: Mapping[UUID, float]
    by_day: Sheet
    decisions: Sheet
    dialogues: str | None

    @property
    def stamp(self) -> str:
        """Equal where the report would be, in one form of it."""
        contest = self.version.signature, self.version.competition.title
        seed = self.version.reference_set.split_seed
        known = sorted(self.deviations.items())
        tables = self.by_day, self.decisions
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
            found = _found(version)
        if found is None:
            continue
        kept = ClosingReport.objects.filter(competition=version.competition_id).first()
        if found.stands and (kept is None or kept.stamp != found.stamp):
            yield found
        elif kept is not None:
            ClosingReport.objects.filter(pk=kept.pk).update(look_after=at + AGAIN)


def _found(version: ScoringVersion) -> DueReport:
    days = sorted(taken_by_day(version.competition).items())
    dialogues = dialogue_set_of(version)
    return DueReport(
        version=version,
        stands=_stands(version),
        # As the table says it, so that whoever reads it back computes the same.
        deviations={team: round(one, 6) for team, one in deviations_of(version).items()},
        by_day=Sheet(("day", "files"), tuple((f"{day}", str(files)) for day, files in days)),
        decisions=decided(version.competition),
        dialogues=None if dialogues is None else dialogues.sha256,
    )


def _stands(version: ScoringVersion) -> tuple[tuple[str, UUID, int, str, bool, int], ...]:
    return tuple(
        (board, *row)
        for board in (Board.PUBLIC.value, Board.PRIVATE.value)
        for row in standings_of(version, board, None).values_list(
            "submission_id", "printed", "team__name", "ranked", "entries"
        )
    )


@dataclass(frozen=True)
class ClosingFiles:
    """A report before it is packed: its small files, and how to read each that was handed in."""

    version: ScoringVersion
    signature: str
    small: Mapping[str, bytes]
    files: Mapping[str, Callable[[], bytes]]
    hashes: Mapping[str, str]

    @classmethod
    def of(cls, found: DueReport) -> "ClosingFiles":
        version = found.version
        prepared = prepared_references(version.reference_set_id, version.profile())
        own = {submission for _, submission, *_ in found.stands}
        rows = Submission.objects.filter(pk__in=own).order_by("received_at", "pk")
        submissions = {f"{number:05d}.csv": one for number, one in enumerate(rows, 1)}
        files = _standing_files(found, submissions)
        values_of = each_row_values([one.pk for one in submissions.values()], version.pk)
        values = dict(zip(submissions, values_of, strict=True))

        sizes = {row: size_of(text) for row, text in (dialogues_of(version) or {}).items()}
        sizes = {row: sizes[row] for row in prepared.references.ids if row in sizes}
        seed = version.reference_set.split_seed or ""
        found_tables = tables(files, values, prepared, sizes, seed)
        written = {
            "files.csv": written_files(files),
            "entries.csv": found.by_day,
            "decisions.csv": found.decisions,
            SIZES: written_sizes(sizes),
            **found_tables,
        }
        golds = prepared.references.written()
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
        out = passing_file()
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


def make_next_report(at: datetime) -> bool:
    """Of one contest that is due; False when none is. Safe to run twice."""
    found = due_report(at)
    if found is not None:
        with suppress(VersionFailed), keeping(found.version, Work.REPORT):
            make_report(found, at)
    return found is not None


def make_report(found: DueReport, at: datetime) -> ClosingReport:
    """Both editions, in place of those there were."""
    made = ClosingFiles.of(found)
    competition = found.version.competition
    with made.pack("public") as public, made.pack("organizers") as organizers:
        stored = [_stored(public, data_storage()), _stored(organizers, gold_storage())]

        def discard() -> None:
            data_storage().delete(stored[0].name)
            gold_storage().delete(stored[1].name)

        with rows_for_stored_bytes(discard):
            lock_one(Competition.objects.filter(pk=competition.pk))  # not deleted meanwhile
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


KINDS = (
    *("submission.excluded", "submission.restored", "team.disqualified", "team.reinstated"),
    *("team.granted", "team.warned", "team.merged", "team.merge_undone"),
    *("version.made_live", "baseline.added", "baseline.removed", "baseline.restored"),
    *("competition.rescheduled", "competition.reveal_held", "competition.reveal_released"),
)
HEAD = ("at", "kind", "who", "team", "before", "after", "reason")


def decided(competition: Competition) -> Sheet:
    """`decisions.csv`: exclusions, grants, versions, dates, the earliest first. Three queries."""
    events = list(decisions(competition.pk).filter(kind__in=KINDS).order_by("at", "pk"))
    subjects = [event.subject for event in events if event.subject is not None]
    teams = dict(Team.objects.filter(pk__in=subjects).values_list("pk", "name"))
    teams |= dict(Submission.objects.filter(pk__in=subjects).values_list("pk", "team__name"))
    rows = [
        (
            event.at.isoformat(),
            event.kind,
            safe(event.actor.username) if event.actor else "",
            safe(teams.get(event.subject, "")) if event.subject else "",
            *(_said(side) for side in (event.before, event.after)),
            safe(event.reason),
        )
        for event in events
    ]
    return Sheet(HEAD, tuple(rows))


def _said(side: object) -> str:
    return "" if side is None else json.dumps(side, ensure_ascii=False, sort_keys=True)
