"""Names in the order in which people count: 2모둠 stands before 10모둠."""

import re
from typing import Any

from django.db import models

_DIGITS = re.compile("[0-9]+")


def sort_key(name: str) -> str:
    """A text that databases sort as people sort the name: each number stands behind its length.

    Small and capital letters are one; `팀 01` and `팀 1` are alike.

    >>> sorted(["10모둠", "2모둠", "모둠 a"], key=sort_key)
    ['2모둠', '10모둠', '모둠 a']
    """
    return _DIGITS.sub(_counted, name.casefold())


def _counted(found: re.Match[str]) -> str:
    number = found[0].lstrip("0") or "0"
    return f"{len(number):02}{number}"


class SortKeyField(models.CharField[str, str]):
    """The sort key of another field, filled whenever the row is written as a whole.

    As a `SkeletonField`: `update()` and `update_fields` must name both.
    """

    def __init__(self, *, of: str, **options: Any) -> None:
        self.of = of
        # 40 characters: folding makes three of one at most, and each number is two longer.
        fixed = {"editable": False, "default": "", "max_length": 200}
        super().__init__(**{**fixed, **options})

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        name, path, arguments, options = super().deconstruct()
        return name, path, arguments, {**options, "of": self.of}

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        """The value to be written; the given object follows."""
        setattr(model_instance, self.attname, sort_key(getattr(model_instance, self.of)))
        return str(getattr(model_instance, self.attname))
