"""The payloads as the fields of our tables hold them.

Each ends with a mark of field and number, by which a page that shows it is known.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models

from tests.browser.payloads import PAYLOADS

NUMBER, GROUP = len(PAYLOADS), 6
MARK = re.compile(r"zz(\d+)x(\d+)zz")


def text_fields() -> Iterator[tuple[str, models.Field[Any, Any]]]:
    """Each column of our tables that can hold what somebody typed, but for those of a fixed list.

    Apps that may be left out look at their own.
    """
    kinds = (models.CharField, models.TextField, models.JSONField, models.FileField)
    for model in apps.get_models():
        if model.__module__.startswith(("leaderboard.judging", "django.", "allauth.")):
            continue
        for field in model._meta.concrete_fields:
            if isinstance(field, kinds) and not field.choices:
                yield f"{model.__name__}.{field.name}", field


NAMES = [name for name, _ in text_fields()]


def hostile(field: str, number: int) -> str:
    """The payload of this number (counted round) as this field holds it."""
    number %= NUMBER
    return f"{PAYLOADS[number]}{marked(field, number)}"


def marked(field: str, number: int) -> str:
    return f" zz{NAMES.index(field)}x{number}zz"


def several(field: str, group: int) -> str:
    """The payloads of this group, one after the other."""
    return " ".join(hostile(field, number) for number in groups()[group])


def groups() -> list[range]:
    """Numbers of payloads that stand together where a page shows one text, such as a title."""
    return [range(first, min(first + GROUP, NUMBER)) for first in range(0, NUMBER, GROUP)]


def document(field: str, numbers: range = range(NUMBER)) -> str:
    """These payloads in one text of Markdown, each with a mark of its own."""
    parts = (f"{PAYLOADS[n]}\n\n{marked(field, n).strip()}" for n in numbers)
    return "\n\n".join(parts)


def mail(field: str, number: int) -> str:
    """What mail addresses may be: anything between quotation marks."""
    quoted = re.sub(r'[^\x21-\x7e]|["\\]', "", PAYLOADS[number])
    return f'"{quoted}{marked(field, number).strip()}"@x.example'


def host(field: str, number: int) -> str:
    """What an address was once taken with as its host: anything that does not end one."""
    return re.sub(r"[^\x20-\x7e]|[][/?#@:\\]", "", PAYLOADS[number]) + marked(field, number)


def held() -> dict[str, list[int]]:
    """By field: the numbers of the payloads that its column holds."""
    found = {}
    for name, field in text_fields():
        texts = field.model._default_manager.values_list(field.name, flat=True)
        said = " ".join(json.dumps(text, default=str) for text in texts)
        found[name] = sorted({int(number) for _, number in MARK.findall(said)})
    return found
