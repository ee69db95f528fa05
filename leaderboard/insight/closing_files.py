"""A closing report in files: what each edition holds, packed byte by byte the same."""

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.competitions.storage import passing_file
from leaderboard.contest_file.packing import entry
from leaderboard.evaluation.queries import each_row_values
from leaderboard.evaluation.run import prepared_references
from leaderboard.insight.closing_due import Board, DueReport
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import dialogues_of
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts
from scoring.insight.closing.beside import COLUMNS
from scoring.insight.closing.bundle import (
    MANIFEST,
    OF_MANIFEST,
    PREDICTIONS,
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

        def texts_of(name: str) -> dict[str, str]:
            given = texts(submissions[name].pk)
            return {row: given[row] for row in prepared.references.ids}

        name_of = {one.pk: name for name, one in submissions.items()}
        beside = Sheet(
            COLUMNS,
            tuple(
                (board, column, name_of[one], value)
                for board, column, one, value in found.columns
                if one in name_of
            ),
        )
        sizes = {row: size_of(text) for row, text in (dialogues_of(version) or {}).items()}
        sizes = {row: sizes[row] for row in prepared.references.ids if row in sizes}
        seed = version.reference_set.split_seed or ""
        found_tables = tables(files, values, prepared, texts_of, sizes, beside, seed)
        written = {
            "files.csv": written_files(files),
            "entries.csv": found.by_day,
            "decisions.csv": found.decisions,
            "columns.csv": beside,
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
