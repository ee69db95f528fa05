"""The files for participants: those that organizers uploaded, and those that are made from golds.

Page, API and facade list and hand out these and no others.
"""

import csv
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from django.core.files.base import ContentFile
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import Competition, DataFile
from leaderboard.references.models import ReferenceSet, ScoringVersion
from leaderboard.references.queries import (
    expected_ids,
    has_released_dialogues,
    practice_examples,
    released_dialogues,
    released_set,
)
from leaderboard.texts import reader_language, say
from scoring.predictions import SAMPLE_TEXTS
from scoring.table import written


def made_file(
    name: str,
    about: Promise,
    rows: Iterable[Sequence[str]],
    *,
    quoting: Literal[0, 1] = csv.QUOTE_ALL,
    **values: object,
) -> DataFile:
    """A row that is never saved, with these lines; `values` fill what it is about."""
    data = written(rows, quoting).encode("utf-8-sig")
    return DataFile(
        name=name,
        description=say(about, "ko", **values),
        description_en=say(about, "en", **values),
        file=ContentFile(data, name),
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
    )


class Handouts:
    """What a contest has for participants; who may have it is asked before."""

    def __init__(self, competition: Competition, version: ScoringVersion | None) -> None:
        self.competition, self.version = competition, version
        self.uploaded = competition.data_files.all()
        self.dev_set = released_set(competition)
        self.has_dialogues = self.dev_set is not None and has_released_dialogues(self.dev_set)

    def files(self) -> list[DataFile]:
        """All of them, each name once: an organizer's file goes before one that is made."""
        uploaded = list(self.uploaded)
        taken = {one.name for one in uploaded}
        return [*uploaded, *(one for one in self.made() if one.name not in taken)]

    def named(self, name: str) -> DataFile | None:
        """The file of this name, or the organizer's of this id."""
        return next((one for one in self.files() if name in (one.name, one.key)), None)

    def made(self) -> Iterator[DataFile]:
        """Those that are made here."""
        if self.dev_set is not None:
            about = _(
                "Released dev references, rows: {n}. Scoring against them uses no submission."
            )
            yield made_file("dev_golds.csv", about, _dev_golds(self.dev_set), n=self.dev_set.rows)
            if self.has_dialogues:
                about = _("The dialogues of the dev references")
                yield made_file("dev_dialogues.csv", about, _dev_dialogues(self.dev_set))
        if self.version is not None:
            about = _("A sample with the real ids of this competition")
            # Its sentences are ours and need no quotes: people edit the lines in a text editor.
            rows = _sample(self.version)
            yield made_file("sample_submission.csv", about, rows, quoting=csv.QUOTE_MINIMAL)


def _dev_golds(dev_set: ReferenceSet) -> Iterator[Sequence[str]]:
    """As the command line reads them."""
    examples, most = practice_examples(dev_set), dev_set.golds_max
    topics = any(row.topic for row in examples)
    yield ["fname", *(f"summary{n}" for n in range(1, most + 1)), *(["topic"] if topics else [])]
    for row in examples:
        missing = [""] * (most - len(row.references))
        yield [row.example_id, *row.references, *missing, *([row.topic] if topics else [])]


def _dev_dialogues(dev_set: ReferenceSet) -> Iterator[Sequence[str]]:
    ids = [row.example_id for row in practice_examples(dev_set)]
    found = released_dialogues(dev_set.competition, ids)
    yield ["fname", "dialogue"]
    yield from ([example_id, found[example_id]] for example_id in ids if example_id in found)


def _sample(version: ScoringVersion) -> Iterator[Sequence[str]]:
    """The real ids with a sentence to replace."""
    text = SAMPLE_TEXTS[reader_language()]
    yield ["fname", "summary"]
    yield from ([example_id, text] for example_id in expected_ids(version))
