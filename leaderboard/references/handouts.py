"""The files for participants: those that organizers uploaded, and those that are made from golds.

Page, API and facade list and hand out these and no others.
"""

import csv
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.core.files.base import ContentFile, File
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import Competition, DataFile
from leaderboard.references.models import ReferenceSet, ScoringVersion
from leaderboard.references.queries import expected_ids
from leaderboard.references.released import (
    has_released_dialogues,
    practice_examples,
    released_dialogues,
    released_set,
)
from leaderboard.texts import reader_language, say
from scoring.predictions import SAMPLE_TEXTS
from scoring.table import written

Rows = Iterable[Sequence[str]]


@dataclass(frozen=True)
class MadeFile:
    """A file that is made when it is asked for; it has what a `DataFile` has.

    `about`: what it is, with places for `values`. `rows`: its lines, the header first. `quoting`:
    as for `scoring.table.written`.
    """

    name: str
    about: Promise
    rows: Rows
    values: Mapping[str, object] = field(default_factory=dict)
    quoting: Literal[0, 1] = csv.QUOTE_ALL

    @property
    def key(self) -> str:
        """What names it in an address."""
        return self.name

    @property
    def description(self) -> str:
        return self.description_in("ko")

    @property
    def description_en(self) -> str:
        return self.description_in("en")

    def description_in(self, language: str) -> str:
        return say(self.about, language, **self.values)

    @cached_property
    def data(self) -> bytes:
        """Data to compute with, as written to the last character. The BOM is for Excel."""
        return written(self.rows, self.quoting).encode("utf-8-sig")

    @property
    def size(self) -> int:
        return len(self.data)

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def file(self) -> File[bytes]:
        return ContentFile(self.data, self.name)


Handout = DataFile | MadeFile


class Handouts:
    """What a contest with this live version has for participants. Who may have it is asked before.

    `uploaded`: by organizers, in their order.
    """

    def __init__(self, competition: Competition, version: ScoringVersion | None) -> None:
        self.competition, self.version = competition, version
        self.uploaded = competition.data_files.all()
        self.dev_set = released_set(competition)
        self.has_dialogues = self.dev_set is not None and has_released_dialogues(self.dev_set)

    def files(self) -> list[Handout]:
        """All of them, each name once: an organizer's file goes before one that is made."""
        uploaded = list(self.uploaded)
        taken = {one.name for one in uploaded}
        return [*uploaded, *(one for one in self.made() if one.name not in taken)]

    def named(self, name: str) -> Handout | None:
        """The file of this name, or the organizer's of this id."""
        return next((one for one in self.files() if name in (one.name, one.key)), None)

    def made(self) -> Iterator[MadeFile]:
        """Those that are made here."""
        if self.dev_set is not None:
            about = _("Released dev golds, rows: {n}. Scoring against them uses no submission.")
            number = {"n": self.dev_set.rows}
            yield MadeFile("dev_golds.csv", about, _dev_golds(self.dev_set), number)
            if self.has_dialogues:
                about = _("The dialogues of the dev golds")
                yield MadeFile("dev_dialogues.csv", about, _dev_dialogues(self.dev_set))
        if self.version is not None:
            about = _("A sample with the real ids of this competition")
            # Its sentences are ours and need no quotes: people edit the lines in a text editor.
            rows = _sample(self.version)
            yield MadeFile("sample_submission.csv", about, rows, quoting=csv.QUOTE_MINIMAL)


def _dev_golds(dev_set: ReferenceSet) -> Rows:
    """As the command line reads them."""
    examples, most = practice_examples(dev_set), dev_set.golds_max
    topics = any(row.topic for row in examples)
    yield ["fname", *(f"summary{n}" for n in range(1, most + 1)), *(["topic"] if topics else [])]
    for row in examples:
        missing = [""] * (most - len(row.references))
        yield [row.example_id, *row.references, *missing, *([row.topic] if topics else [])]


def _dev_dialogues(dev_set: ReferenceSet) -> Rows:
    ids = [row.example_id for row in practice_examples(dev_set)]
    found = released_dialogues(dev_set.competition, ids)
    yield ["fname", "dialogue"]
    yield from ([example_id, found[example_id]] for example_id in ids if example_id in found)


def _sample(version: ScoringVersion) -> Rows:
    """The real ids with a sentence to replace."""
    text = SAMPLE_TEXTS[reader_language()]
    yield ["fname", "summary"]
    yield from ([example_id, text] for example_id in expected_ids(version))
