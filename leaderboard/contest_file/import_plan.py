"""What is known of a contest's file: its rows, everything that is wrong, and what is not here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID, uuid4

from django.db.models import Model
from django.utils.functional import Promise

from leaderboard.competitions.models import Competition
from leaderboard.contest_file import layout
from leaderboard.contest_file.document import Document, Path, Wrong
from leaderboard.contest_file.layout import DOCUMENT, Table
from leaderboard.contest_file.packing import Source
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Cancellation, Submission
from leaderboard.texts import say
from scoring.messages import Language
from scoring.references import References

LISTED = 10
MAX_FILE = 200_000_000
Row = dict[str, Any]


class Sentence(Protocol):
    """A sentence that can be said in `ko` and `en`: a `Wrong`, a refusal, a problem of a file."""

    def message(self, language: Language, /) -> str: ...


@dataclass(frozen=True)
class Remark:
    """Something about the file, with its place in it."""

    place: str
    said: Sentence
    head: str = ""
    tail: Promise | str = ""

    def message(self, language: Language) -> str:
        """The sentence, behind the file that it is about."""
        return f"{self.head}{self.said.message(language)}{say(self.tail, language)}"


@dataclass(frozen=True)
class NamedFile:
    """What a file that the document names must be, and where it is named."""

    place: Path
    size: int | None
    sha256: str


@dataclass
class ImportPlan:
    """A contest's file: the rows that could be read, and everything that is wrong with it.

    Rows name fields as the models do; people are usernames, terms are numbers, a file is the path
    that `read` takes. `people`: all whom a row names, and where each is named first; `closed`: who
    left; `known`: who is here, as the name is spelled here. `references` are the sets by id.
    """

    source: Source
    document: Document = field(default_factory=lambda: Document(None, {}))
    full: bool = False
    rows: dict[type[Model], list[Row]] = field(default_factory=dict)
    files: dict[str, NamedFile] = field(default_factory=dict)
    people: dict[str, Path] = field(default_factory=dict)
    closed: frozenset[str] = frozenset()
    known: dict[str, str] = field(default_factory=dict)
    references: dict[UUID, References] = field(default_factory=dict)
    notices: list[Remark] = field(default_factory=list)
    problems: list[Remark] = field(default_factory=list)
    total_problems: int = 0

    @property
    def contest(self) -> "ImportPlan | None":
        """What may be imported: nothing while there are problems."""
        return None if self.total_problems else self

    @property
    def competition(self) -> Row:
        """The contest's own row; empty, while it could not be read."""
        return next(iter(self.of(Competition)), {})

    @property
    def slug(self) -> str:
        return str(self.competition.get("slug", ""))

    @property
    def unlisted_problems(self) -> int:
        """How many more there are than the listed ones."""
        return self.total_problems - len(self.problems)

    @property
    def known_people(self) -> tuple[str, ...]:
        return tuple(sorted(self.people.keys() & set(self.known.values())))

    @property
    def new_people(self) -> tuple[str, ...]:
        return tuple(sorted(self.people.keys() - set(self.known.values())))

    @property
    def scorings(self) -> int:
        """How many evaluations the worker would get to do."""
        cancelled = {row["submission_id"] for row in self.of(Cancellation)}
        return sum(
            is_scored(row["received_at"], version)
            for row in self.of(Submission)
            if row["id"] not in cancelled
            for version in self.of(ScoringVersion)
        )

    def counted(self) -> list[tuple[Table, int]]:
        """The tables that have rows, and how many."""
        return [(table, len(rows)) for table in layout.TABLES if (rows := self.of(table.model))]

    def of(self, model: type[Model]) -> list[Row]:
        """The rows of one table that could be read."""
        return self.rows.get(model, [])

    def read(self, path: str) -> bytes:
        """One file. Raises Wrong."""
        return self.source.read(path, at_most=MAX_FILE)

    def at(self, place: Path) -> str:
        """`contest.yaml:12 teams[3].name`: line, and the way to the value."""
        line = self.document.line(place)
        way = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place)
        return f"{DOCUMENT}{f':{line}' if line else ''} {way.lstrip('.')}".strip()

    def wrong(self, place: Path, text: Promise, **values: Any) -> None:
        """Note a problem: a text of the catalogue with places for `values`."""
        self.refuse(place, Wrong(text, **values))

    def refuse(self, place: Path, said: Sentence, *, of: str = "") -> None:
        """Note a problem, of a file where `of` names one; the first ten are listed."""
        self.total_problems += 1
        if len(self.problems) < LISTED:
            self.problems.append(Remark(self.at(place), said, f"{of}: " if of else ""))

    def remark(self, place: Path, text: Promise | str, **values: Any) -> None:
        """Note what is no problem."""
        self.notices.append(Remark(self.at(place), Wrong(text, **values)))

    def renew(self, *, slug: str) -> None:
        """Give the contest another address and everything in it a new id; all else stays."""
        every = [row for rows in self.rows.values() for row in rows]
        ids = {row["id"]: uuid4() for row in every if "id" in row}
        for row in every:
            row.update({name: _renewed(value, ids) for name, value in row.items()})
        self.competition["slug"] = slug


def is_scored(received_at: datetime, version: Row) -> bool:
    """Whether a version scored what was received then.

    A retired one scored what came while it was live; one that never was live, and was discarded
    after its rehearsal, shows no board.
    """
    if version["state"] != ScoringVersion.State.RETIRED:
        return bool(version["state"] != ScoringVersion.State.DRAFT)
    if version["made_live_at"] is None:
        return False
    return version["retired_at"] is None or bool(received_at < version["retired_at"])


def _renewed(value: Any, ids: Mapping[UUID, UUID]) -> Any:
    if isinstance(value, list):
        return [_renewed(one, ids) for one in value]
    return ids.get(value, value) if isinstance(value, UUID) else value
