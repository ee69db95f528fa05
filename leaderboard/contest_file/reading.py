"""Reading a contest file: each value by its type and its field, and everything that is wrong."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, cast
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Model
from django.utils.timezone import is_naive
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.accounts.models import User
from leaderboard.accounts.names import check_team_name
from leaderboard.competitions.models import Competition, Terms
from leaderboard.contest_file import layout
from leaderboard.contest_file.layout import DOCUMENT, Table
from leaderboard.contest_file.packing import Archive, Wrong
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions import ledger
from leaderboard.submissions.models import QuotaEntry, Submission
from scoring.profile import Profile
from scoring.references import References

LISTED = 10
MAX_FILE = 200_000_000
Row = dict[str, Any]
Path = tuple[str | int, ...]
Named = models.Field[Any, Any]
USERNAME = cast(Named, User._meta.get_field("username"))
WORDS = cast(Named, QuotaEntry._meta.get_field("words"))
UNKNOWN = gettext_lazy("Unknown; written by a newer version?")
TYPES = {
    bool: gettext_lazy("It must be true or false."),
    int: gettext_lazy("It must be a whole number."),
    str: gettext_lazy("It must be text. Put it in quotes."),
    list: gettext_lazy("It must be a list."),
    dict: gettext_lazy("It must be names and values."),
}
_SHA256 = re.compile("[0-9a-f]{64}")


class Remark(NamedTuple):
    """Something about the file, with its place in it."""

    place: str
    text: str


class NamedFile(NamedTuple):
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

    source: Archive
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
    def known_people(self) -> list[str]:
        return sorted(self.people.keys() & self.known.keys())

    @property
    def new_people(self) -> list[str]:
        return sorted(self.people.keys() - self.known.keys())

    def counted(self) -> list[tuple[Table, int]]:
        """The tables that have rows, and how many."""
        return [(table, len(rows)) for table in layout.TABLES if (rows := self.of(table.model))]

    def of(self, model: type[Model]) -> list[Row]:
        """The rows of one table that could be read."""
        return self.rows.get(model, [])

    def read(self, path: str) -> bytes:
        """One file. Raises Wrong."""
        return self.source.read(path, at_most=MAX_FILE)

    def refuse(self, place: Path, *said: object, of: str = "") -> None:
        """Note a problem, of a file where `of` names one; the first ten are listed."""
        self.total_problems += 1
        if len(self.problems) < LISTED:
            text = " ".join(map(str, said))
            self.problems.append(Remark(_at(place), f"{of}: {text}" if of else text))

    def remark(self, place: Path, text: object) -> None:
        """Note what is no problem."""
        self.notices.append(Remark(_at(place), str(text)))

    def renew(self, *, slug: str) -> None:
        """Give the contest another address and everything in it a new id; all else stays."""
        every = [row for rows in self.rows.values() for row in rows]
        ids = {row["id"]: uuid4() for row in every if "id" in row}
        for row in every:
            row.update({name: _renewed(value, ids) for name, value in row.items()})
        self.competition["slug"] = slug


def _at(place: Path) -> str:
    """`contest.yaml teams[3].name`: the way to the value."""
    way = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place)
    return f"{DOCUMENT} {way.lstrip('.')}".strip()


def _renewed(value: Any, ids: Mapping[UUID, UUID]) -> Any:
    if isinstance(value, list):
        return [_renewed(one, ids) for one in value]
    return ids.get(value, value) if isinstance(value, UUID) else value


# --- Rows ----------------------------------------------------------------------------------------


def read_rows(found: ImportPlan, data: Any) -> None:
    """Every table of the document; nothing is asked of the database or of other files."""
    if not isinstance(data, dict) or "format" not in data:
        found.refuse((), _("This is not a competition file: it has no `format`."))
    elif data["format"] != layout.FORMAT:
        text = _("This server reads format {number} only. Upgrade the server.")
        found.refuse(("format",), text.format(number=layout.FORMAT))
    elif type(data.get("full")) is not bool:
        found.refuse(("full",), TYPES[bool])
    if found.total_problems:
        return
    tables = layout.tables(full=found.full)
    heads = {"format", "full", "competition", "closed_accounts"}
    for name in sorted(data.keys() - heads - {table.name for table in tables}):
        found.refuse((name,), UNKNOWN)
    if isinstance(closed := data.get("closed_accounts"), list):
        found.closed = frozenset(name for name in closed if isinstance(name, str))
    row = _row(found, layout.COMPETITION, data.get("competition"), ("competition",))
    found.rows[Competition] = [row] if row else []
    for table in tables:
        listed = data.get(table.name, [])
        if type(listed) is not list:
            found.refuse((table.name,), TYPES[list])
            continue
        read = (_row(found, table, one, (table.name, n)) for n, one in enumerate(listed))
        found.rows[table.model] = [row for row in read if row is not None]
    _update_rows(found)


def _row(found: ImportPlan, table: Table, data: Any, place: Path) -> Row | None:
    """One row by the names its model has, or None if anything in it is wrong."""
    if type(data) is not dict:
        found.refuse(place, TYPES[dict])
        return None
    before, row = found.total_problems, Row()
    names = table.names(full=found.full)
    for name in sorted(data.keys() - set(names) - layout.GONE.get(table.name, set())):
        found.refuse((*place, name), UNKNOWN)
    for name in names:
        inside = (*place, name) if name in data else place
        try:
            value = _value(table.model, name, data[name]) if name in data else _default(table, name)
        except Wrong as wrong:
            found.refuse(inside, wrong)
        except ValidationError as error:
            found.refuse(inside, *error.messages)
        else:
            row[layout.key(table.model, name)] = _kept(found, table, name, value, inside)
    return row if found.total_problems == before else None


def _kept(found: ImportPlan, table: Table, name: str, value: Any, place: Path) -> Any:
    """What the row has of it: people and files are noted apart, for the checks of all of them."""
    if layout.is_person(table.model, name) and value is not None:
        found.people.setdefault(value, place)
    for file in value if name == "files" else [value] if name == "file" else []:
        if file["path"] in found.files:  # each would be unpacked, hashed and read again
            found.refuse(place, _("{path}: named in two places.").format(path=file["path"]))
        found.files[file["path"]] = NamedFile(place, file["size"], file["sha256"])
    return value["path"] if name == "file" else value


def _update_rows(found: ImportPlan) -> None:
    """Fill in what rows of former versions do not say."""
    for number, version in enumerate(found.of(ScoringVersion)):
        # Drafts were numbered as versions: such a number is the draft's own.
        if not version["draft_number"]:
            version["draft_number"] = version["number"]
            if version["made_live_at"] is None:
                version["number"] = None
        live = version["made_live_at"] or version["state"] == ScoringVersion.State.LIVE
        if not version["draft_number"] or (live and version["number"] is None):
            found.refuse(("scoring_versions", number), _("One of its numbers is missing."))
    for submission in found.of(Submission):
        # There were no merges: whoever has a submission handed it in.
        submission["origin_id"] = submission["origin_id"] or submission["team_id"]
    for line in found.of(QuotaEntry):
        line.update(ledger.reason_of(*(line.pop(name) for name in layout.REASONS)))


def _default(table: Table, name: str) -> Any:
    """What the model says of a field that an older file does not have yet. Raises Wrong."""
    field = layout.field_of(table.model, name)
    if field is None and name == "practice":
        return False
    if name in ("signature", "sha256"):
        return ""  # nothing to compare with
    if name in ("draft_number", "origin"):
        return None  # `_update_rows` says
    if field is not None and (field.has_default() or field.blank):
        return field.get_default()
    if field is not None and field.null and not field.is_relation:
        return None
    raise Wrong(_("{name} is missing.").format(name=name))


def _value(model: type[Model], name: str, value: Any) -> Any:
    """A value of the file as the model has it. Raises Wrong and ValidationError."""
    match name:
        case "file":
            return _file(value)
        case "files":
            if listed := _typed(value, list):
                return [_file(one) for one in listed]
            raise Wrong(_("It is empty."))
        case "teams":
            return [UUID_FIELD.to_python(_typed(one, str)) for one in _typed(value, list)]
        case "practice":
            return _typed(value, bool)
        case "reason_ko" | "reason_en":
            return WORDS.clean(_typed(value, str), None)
        case "profile_settings":
            return _profile(_typed(value, dict))
        case "split_seed" if type(value) is int:  # earlier versions wrote a number
            value = str(value)
    return _field_value(cast(Named, model._meta.get_field(name)), value)


def _field_value(field: Named, value: Any) -> Any:
    if value is None and field.null:
        return None
    if field.related_model is User or check_team_name in field.validators:
        # Whether a name may be given is asked when it is known who is here.
        most = cast(int, (USERNAME if field.is_relation else field).max_length)
        if not 0 < len(_typed(value, str).strip()) <= most:
            raise Wrong(_("Between 1 and {most} characters.").format(most=most))
        return value
    if field.related_model is Terms:
        return _typed(value, int)
    if field.is_relation:
        return UUID_FIELD.to_python(_typed(value, str))
    is_bool, is_int = isinstance(field, models.BooleanField), isinstance(field, models.IntegerField)
    read = field.clean(_typed(value, bool if is_bool else int if is_int else str), None)
    if isinstance(read, datetime) and is_naive(read):
        raise Wrong(_("It must be a time like 2026-12-01T10:00:00Z."))
    return read


UUID_FIELD: models.UUIDField[UUID, UUID] = models.UUIDField()


def _typed(value: Any, kind: type) -> Any:
    """The value, if it is of this kind. Raises Wrong."""
    if type(value) is not kind:
        raise Wrong(TYPES[kind])
    if isinstance(value, str) and "\x00" in value:  # the one character that a database refuses
        raise Wrong(_("It has a NUL character."))
    return value


def _file(value: Any) -> dict[str, Any]:
    """A file of the package that a row names. Raises Wrong."""
    file: dict[str, Any] = {"size": None, "name": "golds.csv", **_typed(value, dict)}
    for name in ("path", "sha256", "name"):
        _typed(file.get(name), str)
    if file["size"] is not None:
        _typed(file["size"], int)
    if not _SHA256.fullmatch(file["sha256"]):
        raise Wrong(_("It is not a sha256."))
    return file


def _profile(value: dict[str, Any]) -> dict[str, Any]:
    try:
        return Profile.from_dict(value).to_dict()
    except (TypeError, ValueError) as error:
        raise Wrong(_("Unusable profile: {error}").format(error=error)) from None
