"""Reading the tables of `contest.yaml`: pydantic models that are made from the product's own."""

from datetime import date, datetime
from functools import cache, partial
from typing import Annotated, Any, cast
from uuid import UUID

import pydantic
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Model
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
)
from pydantic_core import ErrorDetails

from leaderboard.accounts.models import User
from leaderboard.accounts.names import check_team_name
from leaderboard.competitions.models import Competition, Terms
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
UNKNOWN = _("Unknown; written by a newer version?")
TRUE_OR_FALSE, LIST = _("It must be true or false."), _("It must be a list.")
UNREADABLE_INSTANT = _("It must be an instant like 2026-12-01T10:00:00Z.")
MAPPING = _("It must be names and values.")
# By pydantic's types of errors, or by their first word.
TEXTS: dict[str, Promise] = {
    "extra": UNKNOWN,
    "missing": _("{name} is missing."),
    "string_pattern_mismatch": _("It is no sha256."),
    "too_long": _("{max_length} characters are the most."),
    "too_short": _("It is empty."),
    "bool": TRUE_OR_FALSE,
    "int": _("It must be a whole number."),
    "string": _("It must be text; put it between quotes."),
    "model": MAPPING,
    "dict": MAPPING,
    "list": LIST,
    "uuid": _("It is no UUID."),
    "datetime": UNREADABLE_INSTANT,
    "timezone": UNREADABLE_INSTANT,
    "date": _("It must be a day like 2026-12-01."),
}


def read_rows(found: ImportPlan) -> None:
    """Every table of the document; nothing is asked of the database or of other files."""
    data = found.document.data
    if not _is_ours(found, data):
        return
    tables = [table for table in layout.TABLES if found.full or not table.full]
    heads = {"format", "full", "competition", "closed_accounts"}
    for name in data.keys() - heads - {table.name for table in tables}:
        found.wrong((name,), UNKNOWN)
    closed = data.get("closed_accounts", [])
    if isinstance(closed, list):
        found.closed = frozenset(name for name in closed if isinstance(name, str))
    row = _row(found, layout.COMPETITION, data.get("competition"), ("competition",))
    found.rows[Competition] = [row] if row else []
    for table in tables:
        listed = data.get(table.name, [])
        if not isinstance(listed, list):
            found.wrong((table.name,), LIST)
            continue
        read = (_row(found, table, one, (table.name, n)) for n, one in enumerate(listed))
        found.rows[table.model] = [row for row in read if row is not None]
    _update_rows(found)


def _is_ours(found: ImportPlan, data: Any) -> bool:
    """Whether it is a contest's file, of a format that is read here."""
    if not isinstance(data, dict) or "format" not in data:
        found.wrong((), _("This is no contest file: it has no `format`."))
    elif data["format"] != layout.FORMAT:
        text = _("This server reads format {number} only. Upgrade the server.")
        found.wrong(("format",), text, number=layout.FORMAT)
    elif not isinstance(data.get("full"), bool):
        found.wrong(("full",), TRUE_OR_FALSE)
    return not found.total_problems


def _row(found: ImportPlan, table: Table, data: Any, place: Path) -> Row | None:
    """One row by the names its model has, or None if anything in it is wrong."""
    if isinstance(data, dict):
        gone = layout.GONE.get(table.name, set())
        data = {name: value for name, value in data.items() if name not in gone}
    try:
        read = _model(table, full=found.full).model_validate(data)
    except pydantic.ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False):
            inside, said = _problem(problem)
            found.refuse((*place, *inside), said)
        return None
    row = Row()
    for name in table.names(full=found.full):
        value = getattr(read, name)
        if layout.is_person(table.model, name) and value is not None:
            found.people.setdefault(value, (*place, name))
        elif isinstance(value, File):
            value = _keep_file(found, value, (*place, name))
        elif name == "files":
            value = [
                {"path": _keep_file(found, one, (*place, name, number)), "name": one.name}
                for number, one in enumerate(value)
            ]
        row[layout.key(table.model, name)] = value
    return row


def _problem(error: ErrorDetails) -> tuple[Path, Wrong]:
    """Where pydantic found something wrong, and the sentence for it."""
    kind, place, values = error["type"], error["loc"], error.get("ctx", {})
    if isinstance(said := values.get("error"), Wrong):
        return place, said
    if kind == "missing":
        place, values = place[:-1], {"name": place[-1]}
    text = TEXTS.get(kind) or TEXTS.get(kind.partition("_")[0])
    return place, Wrong(text, **values) if text else Wrong("{said}", said=error["msg"])


def _keep_file(found: ImportPlan, file: "File", place: Path) -> str:
    """Where the bytes lie. Size and hash are kept for the check of all files."""
    if file.path in found.files:  # each would be unpacked, hashed and read again
        found.wrong(place, _("{path}: named in two places."), path=file.path)
    found.files[file.path] = NamedFile(place, file.size, file.sha256)
    return file.path


def _update_rows(found: ImportPlan) -> None:
    """Fill in what rows of former versions do not say."""
    for number, version in enumerate(found.of(ScoringVersion)):
        # Drafts were numbered as versions: such a number is the draft's own.
        if not version["draft_number"]:
            version["draft_number"] = version["number"]
            if version["made_live_at"] is None:
                version["number"] = None
        if not version["draft_number"]:
            found.wrong(("scoring_versions", number), _("Its draft_number is missing."))
    for submission in found.of(Submission):
        # There were no merges: whoever has a submission handed it in.
        submission["origin_id"] = submission["origin_id"] or submission["team_id"]
    for line in found.of(QuotaEntry):
        line.update(ledger.reason_of(*(line.pop(name) for name in layout.REASONS)))


# --- Models of rows ------------------------------------------------------------------------------


def _checked_text(text: str) -> str:
    if "\x00" in text:  # the one character that a database refuses
        raise Wrong(_("It holds a NUL character."))
    return text


def _iso(kind: type[date]) -> BeforeValidator:
    """Only a text as ISO 8601 has it: pydantic itself would take numbers for instants."""

    def read(value: Any) -> date:
        if type(value) is not str:
            raise Wrong(TEXTS["string"])
        try:
            return kind.fromisoformat(value)
        except ValueError:
            raise Wrong(TEXTS[kind.__name__]) from None

    return BeforeValidator(read)


Text = Annotated[StrictStr, AfterValidator(_checked_text)]


class File(BaseModel, extra="forbid"):
    """A file of the package that a row names."""

    path: Annotated[Text, AfterValidator(safe)]
    sha256: Annotated[StrictStr, Field(pattern="^[0-9a-f]{64}$")]
    size: StrictInt | None = None
    name: Text = "golds.csv"


@cache
def _model(table: Table, *, full: bool) -> type[BaseModel]:
    """A row of this table, in a plain or a full file."""
    fields: dict[str, Any] = {
        name: (_type(table.model, name), _default(table.model, name))
        for name in table.names(full=full)
    }
    return pydantic.create_model(
        table.name, __config__=pydantic.ConfigDict(extra="forbid"), **fields
    )


def _default(model: type[Model], name: str) -> Any:
    """What the model says of a field that an older file does not have yet; `...`: it must."""
    field = layout.field_of(model, name)
    if field is None:
        return False if name == "practice" else ...
    if name in ("signature", "sha256"):
        return ""  # nothing to compare with
    if name in ("draft_number", "origin"):
        return None  # `_update_rows` says
    if field.has_default() or field.blank:
        return Field(default_factory=field.get_default)
    return None if field.null and not field.is_relation else ...


def _type(model: type[Model], name: str) -> Any:
    match name:
        case "file":
            return File
        case "files":
            return Annotated[list[File], Field(min_length=1)]
        case "teams":
            return list[UUID]
        case "practice":
            return StrictBool
        case "reason_ko" | "reason_en":
            return _type_of(WORDS)
    field = cast(Named, model._meta.get_field(name))
    kind = _type_of(field)
    if name == "split_seed":  # earlier versions wrote a number
        kind = Annotated[kind, BeforeValidator(lambda one: str(one) if type(one) is int else one)]
    return kind | None if field.null else kind


def _type_of(field: Named) -> Any:
    """What a field's value may be, by its class and by its own rules."""
    if field.related_model is User or check_team_name in field.validators:
        # Whether a name may be given is asked when it is known who is here.
        most = (USERNAME if field.is_relation else field).max_length
        return Annotated[Text, Field(min_length=1, max_length=most)]
    match field:
        case models.ForeignKey() | models.OneToOneField():
            return StrictInt if field.related_model is Terms else UUID
        case models.JSONField():
            return Annotated[dict[str, Any], AfterValidator(_profile)]
        case models.UUIDField():
            kind: Any = UUID
        case models.DateTimeField():
            kind = Annotated[AwareDatetime, _iso(datetime)]
        case models.DateField():
            kind = Annotated[date, _iso(date)]
        case models.BooleanField():
            kind = StrictBool
        case models.IntegerField():
            kind = StrictInt
        case _:
            kind = Text
    return Annotated[kind, AfterValidator(partial(clean, field))]


def clean(field: Named, value: Any) -> Any:
    """The value, held to the field's own rules. Raises Wrong."""
    try:
        return field.clean(value, None)
    except ValidationError as error:
        raise refused_by(error) from None


def refused_by(error: ValidationError) -> Wrong:
    """What Django says is wrong, in the reader's language."""
    return Wrong("{said}", said=lazy(lambda: " ".join(map(str, error.messages)), str)())


def _profile(value: dict[str, Any]) -> dict[str, Any]:
    try:
        return Profile.from_dict(value).to_dict()
    except (TypeError, ValueError) as error:
        raise Wrong(_("Unusable profile: {error}"), error=error) from None
