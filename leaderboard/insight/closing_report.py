"""The closing report of a revealed contest as bundles: made by a task, kept, read by two pages.

What it says and how it is checked stands in `scoring.insight.closing`. It is made of the rows that
stand on the boards, so it is made anew when one of them changes after the reveal.
"""

import hashlib
import json
import uuid
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.core.files.base import File
from django.core.files.storage import Storage
from django.db import transaction
from django.http import FileResponse, Http404, HttpResponseBase
from django.utils.translation import get_language, gettext_lazy

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import refuse_all_but_owners
from leaderboard.audit.log import decisions, record
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Placement
from leaderboard.boards.visibility import is_final
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition, Organizer, data_storage
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.competitions.storage import passing_file, rows_for_stored_bytes
from leaderboard.contest_file.packing import entry
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.queries import each_row_values
from leaderboard.evaluation.run import VersionFailed, Work, keeping, prepared_references, workable
from leaderboard.insight.models import ClosingReport
from leaderboard.insight.tuning_gap import deviations_of
from leaderboard.references.models import ScoringVersion, gold_storage
from leaderboard.submissions.ledger import taken_by_day
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.web.contest.board import BoardsPage, attachment
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import RECORDS, Entry
from scoring.insight.closing.bundle import (
    MANIFEST,
    OF_MANIFEST,
    PREDICTIONS,
    REPORT,
    SCHEMA,
    Edition,
    manifest,
    of_edition,
    sha256,
    small_files,
)
from scoring.insight.closing.report import in_language
from scoring.insight.closing.sheets import Sheet, StandingFile, written_files
from scoring.insight.closing.tables import tables
from scoring.table import safe

AGAIN = timedelta(minutes=5)  # until the boards are looked at once more
PUBLIC = ("public", "public_sha256", "public_size")
ORGANIZERS = ("organizers", "organizers_sha256", "organizers_size")
Board = Placement.Board


@dataclass(frozen=True)
class DueReport:
    """A revealed contest whose report is missing, or was made of something else.

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
        """Equal where the report would be, in one form of it."""
        contest = self.version.signature, self.version.competition.title
        seed = self.version.reference_set.split_seed
        known = sorted(self.deviations.items())
        tables = self.by_day, self.decisions
        said = (SCHEMA, *contest, seed, self.stands, known, *tables)
        return hashlib.sha256(repr(said).encode()).hexdigest()


def due_report(at: datetime) -> DueReport | None:
    """The next one to make; None when every revealed contest has its own.

    A contest that has its own is looked at again after AGAIN.
    """
    live = (
        workable(Work.REPORT)
        .filter(state=ScoringVersion.State.LIVE, competition__reveals_at__lte=at)
        .exclude(competition__closing_report__look_after__gt=at)
    )
    rows = live.select_related("competition__closing_report", "reference_set").order_by("pk")
    for version in filter(is_supported, rows):
        if phase(version.competition, at) is not Phase.REVEALED:
            continue
        kept = ClosingReport.objects.filter(competition=version.competition_id)
        with suppress(VersionFailed), keeping(version, Work.REPORT):
            found = _found(version)
            if found.stands and not kept.filter(stamp=found.stamp).exists():
                return found
            kept.update(look_after=at + AGAIN)
    return None


def _found(version: ScoringVersion) -> DueReport:
    days = sorted(taken_by_day(version.competition).items())
    return DueReport(
        version=version,
        stands=tuple(
            (board, *row)
            for board in (Board.PUBLIC.value, Board.PRIVATE.value)
            for row in standings_of(version, board, None).values_list(
                "submission_id", "printed", "team__name", "ranked", "entries"
            )
        ),
        # As the table says it, so that whoever reads it back computes the same.
        deviations={team: round(one, 6) for team, one in deviations_of(version).items()},
        by_day=Sheet(("day", "files"), tuple((f"{day}", str(files)) for day, files in days)),
        decisions=decided(version.competition),
    )


def _small(found: DueReport, submissions: Mapping[str, Submission]) -> dict[str, bytes]:
    """All files of a report but the manifest and what was handed in."""
    version = found.version
    prepared = prepared_references(version.reference_set_id, version.profile())
    files = _standing_files(found, submissions)
    values_of = each_row_values([one.pk for one in submissions.values()], version.pk)
    values = dict(zip(submissions, values_of, strict=True))
    written = {
        "files.csv": written_files(files),
        "entries.csv": found.by_day,
        "decisions.csv": found.decisions,
        **tables(files, values, prepared, version.reference_set.split_seed or ""),
    }
    return small_files(version.competition.title, written, prepared.references.written())


def _packed(
    edition: Edition,
    version: ScoringVersion,
    small: Mapping[str, bytes],
    submissions: Mapping[str, Submission],
) -> Any:
    """The ZIP of an edition in a temporary file, from its beginning. Stored, not compressed: a
    compressor's bytes differ from machine to machine.
    """
    competition, profile = version.competition, version.profile()
    sent = submissions if edition == "organizers" else {}
    own = of_edition(edition, small)
    hashes = {name: sha256(data) for name, data in own.items()}
    hashes |= {f"{PREDICTIONS}{name}": one.sha256 for name, one in sent.items()}
    withheld = {name: sha256(data) for name, data in small.items() if name not in own}
    contest = {"slug": competition.slug, "title": competition.title}
    signature = prepared_references(version.reference_set_id, profile).signature
    described = manifest(edition, contest, profile, signature, hashes, withheld)
    out = passing_file()
    with zipfile.ZipFile(out, "w") as archive:
        of_manifest = f"{sha256(described)}\n".encode()
        for name, data in [(MANIFEST, described), (OF_MANIFEST, of_manifest), *own.items()]:
            archive.writestr(entry(name), data)
        for name, one in sent.items():
            with one.file.open("rb") as file:
                archive.writestr(entry(f"{PREDICTIONS}{name}"), file.read())
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


def make_next_report(at: datetime) -> bool:
    """Of one contest that is due; False when none is. Safe to run twice."""
    found = due_report(at)
    if found is not None:
        with suppress(VersionFailed), keeping(found.version, Work.REPORT):
            make_report(found, at)
    return found is not None


def make_report(found: DueReport, at: datetime) -> ClosingReport:
    """Both editions, in place of those there were."""
    version = found.version
    competition = version.competition
    own = {submission for _, submission, *_ in found.stands}
    rows = Submission.objects.filter(pk__in=own).order_by("received_at", "pk")
    submissions = {f"{number:05d}.csv": one for number, one in enumerate(rows, 1)}
    small = _small(found, submissions)
    with (
        _packed("public", version, small, submissions) as public,
        _packed("organizers", version, small, submissions) as organizers,
    ):
        of_public = _stored(public, data_storage())
        of_organizers = _stored(organizers, gold_storage())

        def discard() -> None:
            data_storage().delete(of_public[0])
            gold_storage().delete(of_organizers[0])

        with rows_for_stored_bytes(discard):
            lock_one(Competition.objects.filter(pk=competition.pk))  # not deleted meanwhile
            before = ClosingReport.objects.filter(competition=competition).first()
            kept, _ = ClosingReport.objects.update_or_create(
                competition=competition,
                defaults={
                    "scoring_version": version,
                    "stamp": found.stamp,
                    "made_at": at,
                    "look_after": at + AGAIN,
                    **dict(zip(PUBLIC, of_public, strict=True)),
                    **dict(zip(ORGANIZERS, of_organizers, strict=True)),
                },
            )
            if before is not None:
                for file in (before.public, before.organizers):
                    gone = partial(file.storage.delete, str(file.name))
                    transaction.on_commit(gone, robust=True)
    return kept


def _stored(packed: Any, storage: Storage) -> tuple[str, str, int]:
    """Its name there, hash and size."""
    digest = hashlib.file_digest(packed, "sha256").hexdigest()
    size = packed.tell()
    packed.seek(0)
    return storage.save(str(uuid.uuid4()), File(packed)), digest, size


def report_of(competition: Competition) -> ClosingReport | None:
    """The report that was made last. One query."""
    return ClosingReport.objects.filter(competition=competition).first()


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


@page("desk/closing", "desk_closing", Entry(RECORDS, gettext_lazy("Closing report"), 25))
class Closing(DeskPage):
    """`/c/<slug>/desk/closing`: a POST by an owner takes the organizers' edition."""

    template = "insight/closing.html"
    default = "take"

    def do_take(self) -> HttpResponseBase:
        """By POST: golds leave because somebody pressed a button, and the log keeps who."""
        kept = report_of(self.competition)
        if kept is None:
            raise Http404
        take_organizers_edition(**self.who)
        name = f"{self.competition.slug}-closing-bundle-organizers.zip"
        return FileResponse(kept.organizers.open("rb"), as_attachment=True, filename=name)

    def context(self) -> dict[str, Any]:
        return {
            "kept": report_of(self.competition),
            "revealed": phase(self.competition, self.at) is Phase.REVEALED,
            "is_owner": self.viewer.role == Organizer.Role.OWNER,
        }


class OfClosingReport(BoardsPage):
    """The public edition, from the reveal on, for who may read the final board."""

    kept: ClosingReport

    def open(self, **_address: object) -> None:
        found = report_of(self.competition) if is_final(self.viewer) else None
        if found is None:
            raise Http404
        self.kept = found


@page("closing-report.html", "closing_page")
class ClosingPage(OfClosingReport):
    """Sent as a file: the page brings its own style, which pages of this server may not."""

    def respond(self) -> HttpResponseBase:
        name = f"{self.competition.slug}-closing-report.html"
        with self.kept.public.open("rb") as packed, zipfile.ZipFile(packed) as archive:
            page = in_language(archive.read(REPORT), get_language() or "ko")
        return attachment(page, name, "text/html; charset=utf-8")


@page("closing-bundle.zip", "closing_bundle")
class ClosingBundle(OfClosingReport):
    def respond(self) -> HttpResponseBase:
        name = f"{self.competition.slug}-closing-bundle.zip"
        return FileResponse(self.kept.public.open("rb"), as_attachment=True, filename=name)
