"""Looking at the files of a package: hashes, references, dialogues and predictions."""

import hashlib
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.contest_file.document import Wrong
from leaderboard.contest_file.intake import (
    id_sets,
    read_predictions,
    read_references,
    signature_here,
)
from leaderboard.contest_file.layout import DOCUMENT
from leaderboard.contest_file.packing import Source
from leaderboard.contest_file.rows import ContestRows, NamedFile, Remark, Sentence
from leaderboard.references.models import DialogueSet, ReferenceSet, ScoringVersion
from leaderboard.references.released import one_line
from leaderboard.submissions.models import Submission
from scoring import dialogues
from scoring.findings import InvalidFile
from scoring.profile import Profile
from scoring.references import References
from scoring.signature import abbreviated

MAX_FILE = 200_000_000
SHOWN = 5  # problems of one file, names of one list

LEFT_BEHIND: list[Promise | str] = []
"""What no contest file brings along: texts of the catalogue. An app above this one appends its own
in its `ready()`."""


@dataclass
class Files:
    """The files beside one document. Problems go to the reading, remarks to `notices`."""

    reading: ContestRows
    source: Source
    notices: list[Remark] = field(default_factory=list)
    references: dict[UUID, References] = field(default_factory=dict)

    def read(self, path: str) -> bytes:
        """One file. Raises Wrong."""
        return self.source.read(path, at_most=MAX_FILE)

    def look(self) -> None:
        """That each file is there, is what the document says, and can be read by the scorer."""
        sound = {one.path for one in self.reading.files if self._is_sound(one)}
        for number, row in enumerate(self.reading.of(ReferenceSet)):
            if all(one["path"] in sound for one in row["files"]):
                self._references(row, number)
        rows = self.reading.of(ScoringVersion)
        pairs = [(row, self.references.get(row["reference_set_id"])) for row in rows]
        for number, (row, references) in enumerate(pairs):
            if references is not None:
                self._signature(row, references, number)
        if len(self.references) == len(self.reading.of(ReferenceSet)):
            self._practice()
            ids = id_sets((row, references) for row, references in pairs if references is not None)
            for number, row in enumerate(self.reading.of(Submission)):
                if row["file"] in sound:
                    self._predictions(row, number, ids)
        for number, row in enumerate(self.reading.of(DialogueSet)):
            if row["file"] in sound:
                self._dialogues(row, number)
        self._say_what_is_left_out()

    def _is_sound(self, listed: NamedFile) -> bool:
        try:
            data = self.read(listed.path)
        except Wrong as error:
            self.reading.wrong(
                listed.place,
                error,
                of=listed.path,
            )
            return False
        if hashlib.sha256(data).hexdigest() == listed.sha256 and listed.size in (None, len(data)):
            return True
        self.reading.wrong(
            listed.place,
            Wrong(_("The file is not what its size and sha256 say.")),
            of=listed.path,
        )
        return False

    def _references(self, row: dict[str, Any], number: int) -> None:
        place = ("reference_sets", number)
        files = [(one["path"], self.read(one["path"])) for one in row["files"]]
        try:
            references = read_references(
                files, split_seed=row["split_seed"], practice=row["practice"]
            )
        except InvalidFile as error:
            return self._invalid(place, error)
        except Refused as error:
            return self.reading.wrong(place, error)
        if row["sha256"] not in ("", references.sha256):
            return self.reading.wrong(
                (*place, "sha256"),
                Wrong(_("The golds have another hash: {sha256}"), sha256=references.sha256),
            )
        self.references[row["id"]] = references
        return None

    def _practice(self) -> None:
        """That nothing which participants may ever read scores them, not even one row of it."""
        sets = [(row, self.references[row["id"]].examples) for row in self.reading.of(ReferenceSet)]
        rows = [row for practice, rows in sets if not practice["practice"] for row in rows]
        ids = {row.example_id for row in rows}
        words = {one_line(gold) for row in rows for gold in row.references}
        for number, (practice, examples) in enumerate(sets):
            shared = [
                row.example_id
                for row in examples
                if row.example_id in ids or words & set(map(one_line, row.references))
            ]
            if practice["practice"] and shared:
                named = ", ".join(shared[:SHOWN])
                self.reading.wrong(
                    ("reference_sets", number),
                    Wrong(
                        _("Ids or texts also stand in golds that are used for scoring: {named}"),
                        named=named,
                    ),
                )

    def _dialogues(self, row: dict[str, Any], number: int) -> None:
        place = ("dialogue_sets", number)
        try:
            found = dialogues.read(self.read(row["file"]))
        except InvalidFile as error:
            return self._invalid(place, error, row["file"])
        if row["sha256"] not in ("", found.sha256):
            self.reading.wrong(
                (*place, "sha256"),
                Wrong(_("The dialogues have another hash: {sha256}"), sha256=found.sha256),
            )
        return None

    def _signature(self, row: dict[str, Any], references: References, number: int) -> None:
        here = signature_here(Profile.from_dict(row["profile_settings"]), references)
        if row.get("signature") not in ("", here, abbreviated(here)):
            self._notice(
                ("scoring_versions", number, "signature"),
                Wrong(
                    _(
                        "Scored here under another signature, so numbers may differ slightly: "
                        "{here}"
                    ),
                    here=here,
                ),
            )

    def _predictions(self, row: dict[str, Any], number: int, ids: list[tuple[str, ...]]) -> None:
        try:
            read_predictions(self.read(row["file"]), ids)
        except InvalidFile as error:
            self._invalid(("submissions", number, "file"), error, row["file"])

    def _invalid(self, place: tuple[str | int, ...], error: InvalidFile, path: str = "") -> None:
        for problem in error.problems[:SHOWN]:
            where = f"{path}:{problem.line or 1}" if path else ""
            self.reading.wrong(place, problem, of=where)

    def _say_what_is_left_out(self) -> None:
        for text in LEFT_BEHIND:
            self._notice((), Wrong(text))
        registration = self.reading.competition["registration"]
        if registration == Competition.Registration.CODE:
            self._notice(
                ("competition", "registration"),
                Wrong(_("The code to join is not in the file. Set a new one afterwards.")),
            )
        if registration == Competition.Registration.ALLOW_LIST:
            self._notice(
                ("competition", "registration"),
                Wrong(
                    _("The list of mail addresses is not in the file. Upload it again afterwards.")
                ),
            )
        used = {DOCUMENT, *(one.path for one in self.reading.files)}
        if unused := sorted(self.source.names() - used):
            shown = ", ".join(unused[:SHOWN]) + (" …" if len(unused) > SHOWN else "")
            self._notice(
                (),
                Wrong(_("{count} files are not used: {shown}"), count=len(unused), shown=shown),
            )

    def _notice(self, place: tuple[str | int, ...], said: Sentence) -> None:
        self.notices.append(Remark(self.reading.at(place), said))
