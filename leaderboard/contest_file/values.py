"""Reading single values of `contest.yaml` as the models would have them."""

import re
from datetime import date, datetime
from typing import Any, cast
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.accounts.names import check_team_name
from leaderboard.competitions.models import Terms
from leaderboard.contest_file.document import Wrong
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
