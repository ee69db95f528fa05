"""What an import is made of: the checked rows, and how the files among them are read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from django.core.files.base import ContentFile
from django.db.models import Model

from leaderboard.actions.references import GOLD_LIMITS, with_splits, without_splits
from leaderboard.actions.submissions import MAX_FILE
from leaderboard.competitions.models import DataFile, data_storage
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.intake import Upload, discard_file, store_file
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import pack
from scoring import predictions
from scoring import references as reference_files
from scoring.findings import InvalidSubmission, Limits
from scoring.predictions import Predictions
from scoring.profile import Profile
from scoring.references import References
from scoring.signature import version_signature

State = ScoringVersion.State
# A file that was accepted once is taken, whatever the contest's own limits became since.
LIMITS = Limits(max_bytes=MAX_FILE, max_cell=10_000)

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ContestToImport:
    """A contest that was checked, row by row.

    Rows name fields as the models do; people are usernames, terms are numbers, a file is the path
    that `read` takes. `people` are all usernames that a row names, `closed` those who left;
    `references` are the sets by id.
    """

    competition: Row
    rows: Mapping[type[Model], Sequence[Row]]
    people: frozenset[str]
    closed: frozenset[str]
    full: bool
    read: Callable[[str], bytes]
    references: Mapping[UUID, References]

    def of(self, model: type[Model]) -> Sequence[Row]:
        """The rows of one table."""
        return self.rows.get(model, ())


def read_references(
    files: Sequence[tuple[str, bytes]], *, split_seed: int | None, practice: bool
) -> References:
    """A reference set from its files, split as it was. Raises InvalidReferences."""
    found = reference_files.read(files, limits=GOLD_LIMITS)
    return without_splits(found) if practice else with_splits(found, split_seed)[0]


def read_predictions(data: bytes, sets: Sequence[Sequence[str]]) -> Predictions:
    """A submission's file, under those of the ids that it has. Raises InvalidSubmission."""
    problem: InvalidSubmission | None = None
    for ids in sets:
        try:
            return predictions.read(data, ids, LIMITS)
        except InvalidSubmission as error:
            problem = problem or error
    assert problem is not None
    raise problem


def signature_here(profile: Profile, references: References) -> str:
    """What this installation prints of these golds under this profile."""
    return version_signature(profile, references_sha256=references.sha256, ngolds=references.ngolds)


def id_sets(versions: Iterable[tuple[Row, References]]) -> list[tuple[str, ...]]:
    """The ids that predictions may name, the live version's first: golds may have lost or won ids
    since a file was handed in."""
    order = [State.LIVE, State.REHEARSING, State.RETIRED, State.DRAFT]
    sorted_by_use = sorted(
        versions, key=lambda one: (order.index(State(one[0]["state"])), -one[0]["draft_number"])
    )
    return list(dict.fromkeys(references.ids for _, references in sorted_by_use)) or [()]


def scored_under(received_at: datetime, versions: Sequence[Row]) -> list[Row]:
    """The versions that scored what was received then.

    A retired version scored what came while it was live; one that never was live, and was
    discarded after its rehearsal, shows no board.
    """
    return [one for one in versions if _scored(received_at, one)]


def _scored(received_at: datetime, version: Row) -> bool:
    if version["state"] != State.RETIRED:
        return bool(version["state"] != State.DRAFT)
    if version["made_live_at"] is None:
        return False
    return version["retired_at"] is None or bool(received_at < version["retired_at"])


@dataclass
class KeptFiles:
    """The files of one import that stay as files, written; what they say of their rows by id."""

    contest: ContestToImport
    fields: dict[UUID, dict[str, Any]] = field(default_factory=dict)
    texts: dict[UUID, bytes] = field(default_factory=dict)
    undo: list[Callable[[], None]] = field(default_factory=list)

    def store(self) -> None:
        """Read everything and keep the bytes, before any row is written or any lock is held."""
        for row in self.contest.of(DataFile):
            upload = Upload(row["name"], self.contest.read(row["file"]))
            name = data_storage().save(str(uuid4()), ContentFile(upload.data))
            self._keep(row, upload, name, partial(data_storage().delete, name))
        versions = self.contest.of(ScoringVersion)
        ids = id_sets((one, self.contest.references[one["reference_set_id"]]) for one in versions)
        for row in self.contest.of(Submission):
            upload = Upload(row["file_name"], self.contest.read(row["file"]))
            found = read_predictions(upload.data, ids)
            stored = store_file(upload)
            self._keep(row, upload, stored, partial(discard_file, stored))
            self.fields[row["id"]]["notices"] = [notice.kept() for notice in found.notices]
            self.texts[row["id"]] = pack(found.texts)

    def _keep(self, row: Row, upload: Upload, name: str, undo: Callable[[], None]) -> None:
        self.undo.append(undo)
        self.fields[row["id"]] = {"file": name, "size": len(upload.data), "sha256": upload.sha256}

    def discard(self) -> None:
        """Remove the bytes again."""
        for undo in self.undo:
            undo()
