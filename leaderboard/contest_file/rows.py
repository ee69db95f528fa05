"""Reading the tables of `contest.yaml`: every row and value against its model."""

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any, TypeVar, cast
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Model
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.accounts.names import check_team_name
from leaderboard.competitions.models import Terms
from leaderboard.contest_file import layout
from leaderboard.contest_file.document import Path, Wrong
from leaderboard.contest_file.import_plan import ImportPlan, NamedFile, Row
from leaderboard.contest_file.layout import Table
from leaderboard.contest_file.packing import safe
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions import ledger
from leaderboard.submissions.models import QuotaEntry, Submission
from scoring.profile import Profile

Named = models.Field[Any, Any]
USERNAME = cast(Named, User._meta.get_field("username"))
WORDS = cast(Named, QuotaEntry._meta.get_field("words"))
SHA256 = re.compile(r"[0-9a-f]{64}")
T = TypeVar("T")


def read_rows(found: ImportPlan) -> None:
    """Every table of the document; nothing is asked of the database or of other files."""
    data = found.document.data
    if not _is_ours(found, data):
        return
    tables = [table for table in layout.TABLES if found.full or not table.full]
    heads = {"format", "full", "competition", "closed_accounts"}
    for name in data.keys() - heads - {table.name for table in tables}:
        found.wrong((name,), _("Unknown; written by a newer version?"))
    closed = data.get("closed_accounts", [])
    if isinstance(closed, list):
        found.closed = frozenset(name for name in closed if isinstance(name, str))
    place = ("competition",)
    found.competition = _row(found, layout.COMPETITION, data.get("competition"), place) or {}
    for table in tables:
        listed = data.get(table.name, [])
        if not isinstance(listed, list):
            found.wrong((table.name,), _("It must be a list."))
            continue
        read = (_row(found, table, one, (table.name, n)) for n, one in enumerate(listed))
        found.rows[table.model] = [row for row in read if row is not None]
    for version in found.of(ScoringVersion):
        # Files of before numbered drafts as versions: such a number is the draft's own.
        if not version["draft_number"]:
            version["draft_number"] = version["number"]
            if version["made_live_at"] is None:
                version["number"] = None
    for submission in found.of(Submission):
        # Files of before know no merge: whoever has a submission handed it in.
        submission["origin_id"] = submission["origin_id"] or submission["team_id"]
    for line in found.of(QuotaEntry):
        line.update(ledger.reason_of(*(line.pop(name) for name in layout.REASONS)))


def _is_ours(found: ImportPlan, data: Any) -> bool:
    """Whether it is a contest's file, of a format that is read here."""
    if not isinstance(data, dict) or "format" not in data:
        found.wrong((), _("This is no contest file: it has no `format`."))
    elif (number := data["format"]) != layout.FORMAT:
        newer = isinstance(number, int) and number > layout.FORMAT
        text = (
            _("This server reads format {number} only. Upgrade the server.")
            if newer
            else _(
                "This server reads format {number} only. Export it anew from an upgraded server."
            )
        )
        found.wrong(("format",), text, number=layout.FORMAT)
    elif not isinstance(data.get("full"), bool):
        found.wrong(("full",), MUST_BE[bool])
    else:
        return True
    return False


def _row(found: ImportPlan, table: Table, data: Any, place: Path) -> Row | None:
    """One row by the names its model has, or None if anything in it is wrong."""
    before, row = found.total_problems, Row()
    if not isinstance(data, dict):
        found.wrong(place, MUST_BE[dict])
        return None
    names = table.names(full=found.full)
    for name in data.keys() - set(names) - layout.GONE.get(table.name, set()):
        found.wrong((*place, name), _("Unknown; written by a newer version?"))
    for name in names:
        key, inside = layout.key(table.model, name), (*place, name)
        try:
            if name in data:
                row[key] = _value(found, table.model, name, data[name], inside)
            elif default := _default(table.model, name):
                row[key] = default[0]
            else:
                found.wrong(place, _("{name} is missing."), name=name)
        except Wrong as error:
            found.refuse(inside, error)
    return row if found.total_problems == before else None


def _default(model: type[Model], name: str) -> tuple[Any, ...]:
    """What the model says of a field that an older file does not have yet; empty: it must."""
    field = layout.field_of(model, name)
    if field is None:
        return (False,) if name == "practice" else ()
    if name in ("signature", "sha256"):
        return ("",)  # nothing to compare with
    if name in ("draft_number", "origin"):
        return (None,)  # `read_rows` says
    if field.has_default() or field.blank:
        return (field.get_default(),)
    return (None,) if field.null and not field.is_relation else ()


# --- Values --------------------------------------------------------------------------------------

MUST_BE: dict[type, Promise] = {
    bool: _("It must be true or false."),
    int: _("It must be a whole number."),
    str: _("It must be text; put it between quotes."),
    dict: _("It must be names and values."),
}


def _value(found: ImportPlan, model: type[Model], name: str, value: Any, place: Path) -> Any:
    """A value as the model's constructor takes it. Raises Wrong."""
    match name:
        case "file":
            return _file(found, value, place)
        case "files":
            if not isinstance(value, list) or not value:
                raise Wrong(_("It must be a list of files."))
            return [
                {
                    "path": _file(found, one, (*place, number)),
                    "name": _exactly(str, one.get("name", "golds.csv")),
                }
                for number, one in enumerate(value)
            ]
        case "teams":
            return [_uuid(one) for one in _exactly(list, value, _("It must be a list of ids."))]
        case "practice":
            return _exactly(bool, value)
        case "split_seed" if type(value) is int:  # as earlier versions wrote it
            value = str(value)
        case "reason_ko" | "reason_en":
            return of_field(WORDS, value)
    field = cast(Named, model._meta.get_field(name))
    read = of_field(field, value)
    if field.related_model is User and read is not None:
        found.people.setdefault(read, place)
    return read


def _file(found: ImportPlan, value: Any, place: Path) -> str:
    """Where the bytes lie. Size and hash are kept for the check of all files."""
    if not isinstance(value, dict) or not {"path", "sha256"} <= value.keys():
        raise Wrong(_("It needs path and sha256."))
    if unknown := value.keys() - {"path", "sha256", "size", "name"}:
        raise Wrong(_("Unknown: {names}"), names=", ".join(sorted(unknown)))
    size = _exactly(int, value["size"]) if "size" in value else None
    path = safe(_exactly(str, value["path"]))
    sha256 = _exactly(str, value["sha256"])
    if not SHA256.fullmatch(sha256):
        raise Wrong(_("It is no sha256."))
    if path in found.files:  # each would be unpacked, hashed and read again
        raise Wrong(_("{path}: named in two places."), path=path)
    found.files[path] = NamedFile(place, size, sha256)
    return path


def of_field(field: Named, value: Any) -> Any:
    """The value of a model's field, held to the field's own rules. Raises Wrong."""
    if value is None:
        if field.null:
            return None
        raise Wrong(_("It is empty."))
    if field.is_relation and field.related_model is not User:
        return _exactly(int, value) if field.related_model is Terms else _uuid(value)
    if field.is_relation or check_team_name in field.validators:
        return _name(USERNAME if field.is_relation else field, value)
    match field:
        case models.JSONField():
            return _profile(value)
        case models.UUIDField():
            read: Any = _uuid(value)
        case models.DateTimeField():
            text = _("It must be an instant like 2026-12-01T10:00:00Z.")
            read = _parsed(_instant, value, text)
        case models.DateField():
            read = _parsed(date.fromisoformat, value, _("It must be a day like 2026-12-01."))
        case models.BooleanField():
            read = _exactly(bool, value)
        case models.IntegerField():
            read = _exactly(int, value)
        case _:
            read = _exactly(str, value)
    try:
        return field.clean(read, None)
    except ValidationError as error:
        raise refused_by(error) from None


def refused_by(error: ValidationError) -> Wrong:
    """What Django says is wrong, in the reader's language."""
    return Wrong("{said}", said=lazy(lambda: " ".join(map(str, error.messages)), str)())


def _exactly(kind: type[T], value: Any, text: Promise | None = None) -> T:
    """The value, if it is of this very type: True is no whole number here. Raises Wrong."""
    if type(value) is not kind:
        raise Wrong(text or MUST_BE[kind])
    found: T = value
    if isinstance(value, str) and "\x00" in value:  # the one character that a database refuses
        raise Wrong(_("It holds a NUL character."))
    return found


def _parsed(parse: Callable[[str], T], value: Any, text: Promise) -> T:
    try:
        return parse(_exactly(str, value))
    except ValueError:
        raise Wrong(text) from None


def _uuid(value: Any) -> UUID:
    return _parsed(UUID, value, _("It is no UUID."))


def _instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(text)
    return found


def _name(field: Named, value: Any) -> str:
    """A name as it stands: whether it may be given is asked when it is known who is here."""
    name = _exactly(str, value)
    if not name.strip():
        raise Wrong(_("It is empty."))
    if field.max_length is not None and len(name) > field.max_length:
        raise Wrong(_("{max_length} characters are the most."), max_length=field.max_length)
    return name


def _profile(value: Any) -> dict[str, Any]:
    try:
        return Profile.from_dict(_exactly(dict, value)).to_dict()
    except (TypeError, ValueError) as error:
        raise Wrong(_("Unusable profile: {error}"), error=error) from None
