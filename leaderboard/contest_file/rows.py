"""Reading the tables of `contest.yaml`: every row and value against its model."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Protocol, cast
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Model
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.accounts.names import check_team_name
from leaderboard.competitions.models import Terms
from leaderboard.contest_file import layout
from leaderboard.contest_file.document import Document, Path, Wrong
from leaderboard.contest_file.layout import DOCUMENT, Table
from leaderboard.contest_file.packing import safe
from leaderboard.references.models import ScoringVersion
from leaderboard.texts import say
from scoring.messages import Language
from scoring.profile import Profile

SHA256 = re.compile(r"[0-9a-f]{64}")
Named = models.Field[Any, Any]
USERNAME = cast(Named, User._meta.get_field("username"))


def of_field(field: Named, value: Any) -> Any:
    """The value of a model's field. Raises Wrong."""
    if value is None:
        if field.null:
            return None
        raise Wrong(_("It is empty."))
    if field.is_relation:
        return _relation(field, value)
    match field:
        case models.UUIDField():
            return uuid(value)
        case models.DateTimeField():
            return _cleaned(field, instant(value))
        case models.DateField():
            return _day(value)
        case models.BooleanField():
            return yes_or_no(value)
        case models.IntegerField():
            return _cleaned(field, whole(value))
        case models.JSONField():
            return _profile(value)
        case models.CharField() if check_team_name in field.validators:
            return _name(field, value)
        case _:
            return _cleaned(field, text(value))


def _relation(field: Named, value: Any) -> Any:
    if field.related_model is User:
        return _name(USERNAME, value)
    return whole(value) if field.related_model is Terms else uuid(value)


def _name(field: Named, value: Any) -> str:
    """A name as it stands; `names` asks whether it may be given, and knows which are here."""
    found = text(value)
    if not found.strip():
        raise Wrong(_("It is empty."))
    if field.max_length is not None and len(found) > field.max_length:
        raise Wrong(_("{max_length} characters are the most."), max_length=field.max_length)
    return found


def _cleaned(field: Named, value: Any) -> Any:
    """Hold the value to the field's own rules: length, range, choices."""
    try:
        return field.clean(value, None)
    except ValidationError as error:
        raise refused_by(error) from None


def refused_by(error: ValidationError) -> Wrong:
    """What Django says is wrong, in the reader's language."""
    return Wrong("{said}", said=lazy(lambda: " ".join(map(str, error.messages)), str)())


def _exactly(kind: type, value: Any, text: Promise | str) -> Any:
    if type(value) is not kind:  # True is no whole number here
        raise Wrong(text)
    return value


def yes_or_no(value: Any) -> bool:
    """True or false, and no number or word for it."""
    found: bool = _exactly(bool, value, _("It must be true or false."))
    return found


def whole(value: Any) -> int:
    """A whole number, and no word or yes-and-no."""
    number: int = _exactly(int, value, _("It must be a whole number."))
    return number


def text(value: Any) -> str:
    """Text without the one character that a database refuses."""
    found: str = _exactly(str, value, _("It must be text; put it between quotes."))
    if "\x00" in found:
        raise Wrong(_("It holds a NUL character."))
    return found


def uuid(value: Any) -> UUID:
    """An id in its usual form."""
    try:
        return UUID(text(value))
    except ValueError:
        raise Wrong(_("It is no UUID.")) from None


def instant(value: Any) -> datetime:
    """An instant with its distance from UTC."""
    try:
        found = datetime.fromisoformat(text(value))
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise Wrong(
            _("It must be an instant like 2026-12-01T10:00:00Z."),
        )
    return found


def _day(value: Any) -> date:
    try:
        return date.fromisoformat(text(value))
    except ValueError:
        raise Wrong(_("It must be a day like 2026-12-01.")) from None


def _profile(value: Any) -> dict[str, Any]:
    try:
        return Profile.from_dict(_exactly(dict, value, _("It must be names and values."))).to_dict()
    except (TypeError, ValueError) as error:
        raise Wrong(_("Unusable profile: {error}"), error=error) from None


def sha256(value: Any) -> str:
    """A hash in lower-case hex."""
    found = text(value)
    if not SHA256.fullmatch(found):
        raise Wrong(_("It is no sha256."))
    return found


LISTED = 100


class Sentence(Protocol):
    """A sentence that can be said in `ko` and `en`: a `Wrong`, a refusal, a problem of a file."""

    def message(self, language: Language, /) -> str: ...


@dataclass(frozen=True)
class Remark:
    """Something about the file, with its place in it, the first of as many as `times` says."""

    place: str
    said: Sentence
    head: str = ""
    tail: Promise | str = ""
    times: int = 1

    def message(self, language: Language) -> str:
        """The sentence, behind the file that it is about."""
        return f"{self.head}{self.said.message(language)}{say(self.tail, language)}"


@dataclass(frozen=True)
class NamedFile:
    """A file that the document names, and what it must be."""

    place: Path
    path: str
    size: int | None
    sha256: str


@dataclass
class ContestRows:
    """The rows that could be read, and everything that is wrong with the others."""

    document: Document
    competition: dict[str, Any] = field(default_factory=dict)
    rows: dict[type[Model], list[dict[str, Any]]] = field(default_factory=dict)
    files: list[NamedFile] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    people: dict[str, Path] = field(default_factory=dict)  # and where each is named first
    closed: frozenset[str] = frozenset()
    causes: dict[tuple[object, ...], Remark] = field(default_factory=dict)
    total: int = 0

    def wrong(self, place: Path, said: Sentence, *, of: str = "") -> None:
        """Note a problem; the first hundred causes are kept, all places are counted.

        The same words about the same column of other rows, or about another file (`of`), have one
        cause and are one line.
        """
        self.total += 1
        cause = (tuple(key for key in place if isinstance(key, str)), said.message("ko"))
        if (known := self.causes.get(cause)) is not None:
            self.causes[cause] = replace(known, times=known.times + 1)
        elif len(self.causes) < LISTED:
            self.causes[cause] = Remark(self.at(place), said, f"{of}: " if of else "")

    def at(self, place: Path) -> str:
        """`contest.yaml:12 teams[3].name`: line, and the way to the value."""
        line = self.document.line(place)
        way = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place)
        return f"{DOCUMENT}{f':{line}' if line else ''} {way.lstrip('.')}".strip()

    def of(self, model: type[Model]) -> list[dict[str, Any]]:
        """The rows of one table that could be read."""
        return self.rows.get(model, [])

    def renew(self, *, slug: str) -> None:
        """Give the contest another address and everything in it a new id; all else stays."""
        every = [self.competition, *(row for rows in self.rows.values() for row in rows)]
        ids = {row["id"]: uuid4() for row in every if "id" in row}
        for row in every:
            row.update({name: _renewed(value, ids) for name, value in row.items()})
        self.competition["slug"] = slug


def _renewed(value: Any, ids: Mapping[UUID, UUID]) -> Any:
    if isinstance(value, list):
        return [_renewed(one, ids) for one in value]
    return ids.get(value, value) if isinstance(value, UUID) else value


def read_rows(document: Document) -> ContestRows:
    """Every table of the document; nothing is asked of the database or of other files."""
    reading = ContestRows(document)
    full = _heading(reading)
    if full is None:
        return reading
    found = document.data.get("competition")
    reading.competition = _row(reading, layout.COMPETITION, found, ("competition",), full) or {}
    for table in layout.TABLES:
        if table.full and not full:
            continue
        listed = document.data.get(table.name, [])
        if not isinstance(listed, list):
            reading.wrong((table.name,), Wrong(_("It must be a list.")))
            continue
        read = (
            _row(reading, table, one, (table.name, number), full)
            for number, one in enumerate(listed)
        )
        reading.rows[table.model] = [row for row in read if row is not None]
    for version in reading.of(ScoringVersion):
        _number(version)
    return reading


def _number(version: dict[str, Any]) -> None:
    """Files of before numbered drafts as versions: such a number is the draft's own."""
    if not version["draft_number"]:
        version["draft_number"] = version["number"]
        if version["made_live_at"] is None:
            version["number"] = None


def _heading(reading: ContestRows) -> bool | None:
    """Whether the file is a full one; None for what is no contest file of this format."""
    data = reading.document.data
    if not isinstance(data, dict) or "format" not in data:
        reading.wrong((), Wrong(_("This is no contest file: it has no `format`.")))
        return None
    if (number := data["format"]) != layout.FORMAT:
        newer = isinstance(number, int) and number > layout.FORMAT
        text = (
            _("This server reads format {number} only. Upgrade the server.")
            if newer
            else _(
                "This server reads format {number} only. Export it anew from an upgraded server."
            )
        )
        reading.wrong(("format",), Wrong(text, number=layout.FORMAT))
        return None
    full = data.get("full")
    if not isinstance(full, bool):
        reading.wrong(("full",), Wrong(_("It must be true or false.")))
        return None
    tables = {one.name for one in layout.TABLES if full or not one.full}
    closed = data.get("closed_accounts", [])
    if isinstance(closed, list):
        reading.closed = frozenset(name for name in closed if isinstance(name, str))
    for name in data.keys() - {"format", "full", "competition", "closed_accounts"} - tables:
        reading.wrong((name,), Wrong(_("Unknown; written by a newer version?")))
    return full


def _row(
    reading: ContestRows, table: Table, found: Any, place: Path, full: bool
) -> dict[str, Any] | None:
    """One row by the names its model has, or None if anything in it is wrong."""
    if not isinstance(found, dict):
        reading.wrong(place, Wrong(_("It must be names and values.")))
        return None
    before = reading.total
    row: dict[str, Any] = {}
    names = table.names(full=full)
    for name in found.keys() - set(names):
        reading.wrong((*place, name), Wrong(_("Unknown; written by a newer version?")))
    for name in names:
        try:
            if name in found:
                key, value = _value(reading, table.model, name, found[name], (*place, name))
                row[key] = value
            elif (default := _default(table.model, name)) is not _REQUIRED:
                row[name] = default
            else:
                reading.wrong(place, Wrong(_("{name} is missing."), name=name))
        except Wrong as error:
            reading.wrong((*place, name), error)
    return row if reading.total == before else None


_REQUIRED = object()


def _default(model: type[Model], name: str) -> Any:
    """What the model says of a field that an older file does not have yet."""
    field = layout.field_of(model, name)
    if field is None:
        return False if name == "practice" else _REQUIRED
    if name in ("signature", "sha256"):
        return ""  # nothing to compare with
    if name == "draft_number":
        return None  # `_number` says
    if field.has_default() or field.blank:
        return field.get_default()
    return None if field.null and not field.is_relation else _REQUIRED


def _value(
    reading: ContestRows, model: type[Model], name: str, value: Any, place: Path
) -> tuple[str, Any]:
    """A value with the name that the model's constructor takes."""
    special: Mapping[str, Callable[[ContestRows, Any, Path], Any]] = {
        "file": _file,
        "files": _files,
        "teams": _teams,
        "practice": _practice,
    }
    if name in special:
        return name, special[name](reading, value, place)
    field = layout.field_of(model, name)
    assert field is not None
    found = of_field(field, value)
    if field.related_model is User and found is not None:
        reading.people.setdefault(found, place)
    return layout.key(model, name), found


def _file(reading: ContestRows, value: Any, place: Path) -> str:
    """Where the bytes lie. Size and hash are kept for the check of all files."""
    if not isinstance(value, dict) or not {"path", "sha256"} <= value.keys():
        raise Wrong(_("It needs path and sha256."))
    if unknown := value.keys() - {"path", "sha256", "size", "name"}:
        names = ", ".join(sorted(unknown))
        raise Wrong(_("Unknown: {names}"), names=names)
    size = whole(value["size"]) if "size" in value else None
    path = safe(text(value["path"]))
    if path in reading.paths:  # each would be unpacked, hashed and read again
        raise Wrong(_("{path}: named in two places."), path=path)
    reading.paths.add(path)
    reading.files.append(NamedFile(place, path, size, sha256(value["sha256"])))
    return path


def _files(reading: ContestRows, value: Any, place: Path) -> list[dict[str, str]]:
    if not isinstance(value, list) or not value:
        raise Wrong(_("It must be a list of files."))
    return [
        {
            "path": _file(reading, one, (*place, number)),
            "name": text(one.get("name", "golds.csv")),
        }
        for number, one in enumerate(value)
    ]


def _practice(reading: ContestRows, value: Any, place: Path) -> bool:
    return yes_or_no(value)


def _teams(reading: ContestRows, value: Any, place: Path) -> list[UUID]:
    if not isinstance(value, list):
        raise Wrong(_("It must be a list of ids."))
    return [uuid(one) for one in value]
