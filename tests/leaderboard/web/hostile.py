"""Text that would run in a browser if it were not escaped, in every column that people fill.

Rows are written as they are kept: what a form would refuse today may be there from yesterday.
"""

import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from django.apps import apps
from django.db import models

from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.stage import ROLES

# One of each kind: what ends a text, an attribute, a script; links, pictures and templates.
PAYLOADS = (
    "<script>xss()</script>",
    '"><img src=x onerror=xss()>',
    "'><svg/onload=xss()//",
    "</textarea><iframe src=javascript:xss()>",
    '" onfocus=xss() autofocus x="',
    "[x](javascript:xss())",
    "![x](//spy.example/p.png)",
    "<p style=background:url(//spy.example/p)>",
    "&lt;script&gt;xss()&lt;/script&gt;",
    "{{ 7|add:7 }}{% now 'Y' %}",
    "\u202e<script>xss()</script>",
)
MARK = re.compile(r"zz(\w+)zz")
# What the product writes, by the column's name: codes, hashes, keys, places, choices of a list.
OURS = re.compile(
    r"password|skeleton|(sort_)?key|digest|kind|stage|failure|split|signature|tokenizer|preset|zone|"
    r"registration_code|queue|version|event|secret|stamp|code|folded|url|example_id|split_seed|lane|"
    r"\w+_(sha256|hmac)|sha256"
)
# Whom and what the tables of the crawl name, and who writes what is private in the forum.
KEPT = {
    "User.username": (*ROLES, "erin", "gil"),
    "Team.name": ("햇살", "erin", "fay"),
    "DataFile.name": ("dialogues.csv",),
}


def fields() -> Iterator[tuple[str, models.Field[Any, Any]]]:
    """Each column of our tables that holds what somebody typed.

    Apps that may be left out look at their own.
    """
    apart = ("leaderboard.judging",)
    kinds = (models.CharField, models.TextField)
    others = (models.EmailField, models.SlugField)
    for model in apps.get_models():
        is_ours = model.__module__.startswith("leaderboard.")
        if not is_ours or model.__module__.startswith(apart):
            continue
        for field in model._meta.concrete_fields:
            is_text = isinstance(field, kinds) and not isinstance(field, others)
            if is_text and not field.choices and not OURS.fullmatch(field.name):
                yield f"{model.__name__}.{field.name}", field


def text(name: str, number: int, longest: int | None) -> str:
    """As many payloads as there is room for, each row's beginning with another one."""
    found = f"zz{name.replace('.', '_')}_{number}zz"
    for place in range(len(PAYLOADS)):
        more = f"{found} {PAYLOADS[(place + number) % len(PAYLOADS)]}"
        if len(more) <= (longest or 10_000):
            found = more
    return found


def put_everywhere() -> set[str]:
    """Write it into every row; the names of the columns."""
    written = set()
    for name, field in fields():
        rows = field.model._base_manager.exclude(**{f"{field.name}__in": KEPT.get(name, ())})
        for number, key in enumerate(rows.order_by("pk").values_list("pk", flat=True)):
            longest = field.max_length and min(field.max_length, 2000)
            rows.filter(pk=key).update(**{field.name: text(name, number, longest)})
            written.add(name)
    _told()
    return written


def _told() -> None:
    """What the log and the inbox say, whose words stand within objects."""
    alice, contest = builders.user("alice"), Competition.objects.get(slug="talk")
    for number, payload in enumerate(PAYLOADS):
        AuditEvent.objects.create(
            **{"kind": "submission.excluded", "actor": alice, "at": NOON, "subject": uuid4()},
            **{"competition": contest.pk, "reason": payload},
            before={"name": payload},
            after={"name": [payload]},
        )
        Notification.objects.create(
            **{"user": alice, "kind": Notification.Kind.values[0], "subject": uuid4()},
            **{"competition": contest.pk, "competition_slug": contest.slug, "created_at": NOON},
            data={"ko": f"zzNotification_data_{number}zz {payload}", "en": payload},
        )


def shown(pages: str) -> set[str]:
    """The columns whose words stand in these answers."""
    return {name.rpartition("_")[0].replace("_", ".", 1) for name in MARK.findall(pages)}
