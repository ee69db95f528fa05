"""Watching which rows a transaction locks, and in which order."""

import re
from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.db.transaction import Atomic

from leaderboard.competitions.locking import ORDER

PLACES = {apps.get_model(label)._meta.db_table: place for place, label in enumerate(ORDER)}
_LOCK = re.compile(r'FROM "(\w+)".* FOR (NO KEY )?UPDATE', re.S)
_WRITE = re.compile(r'(?:UPDATE|DELETE FROM) "(\w+)"')
_BY_KEY = re.compile(r'WHERE "\w+"\."id" = %s|ORDER BY "\w+"\.')


class OutOfOrder(AssertionError):
    """A transaction locked a table after one that comes later in the order."""


class LockOrder:
    """For `connection.execute_wrapper`: raises OutOfOrder at the statement that breaks the order.

    Every statement that locks counts: a lock that is asked for, an update and a deletion. A table
    that is held already may come again. Blocks of a test case around the code are not transactions.
    """

    def __init__(self) -> None:
        self.block: Atomic | None = None
        self.held: dict[int, str] = {}
        self.seen = 0

    def __call__(
        self,
        execute: Callable[..., Any],
        sql: str,
        params: Any,
        many: bool,
        context: dict[str, Any],
    ) -> Any:
        if context["connection"].vendor != "postgresql":
            return execute(sql, params, many, context)
        blocks = [
            block
            for block in context["connection"].atomic_blocks
            if not getattr(block, "_from_testcase", False)
        ]
        if (blocks[0] if blocks else None) is not self.block:
            self.block, self.held = (blocks[0] if blocks else None), {}
        found = _LOCK.search(sql) or _WRITE.match(sql)
        if found and self.block is not None and found[1] in PLACES:
            self.look(found[1], sql)
        return execute(sql, params, many, context)

    def look(self, table: str, sql: str) -> None:
        """One statement that locks rows of this table."""
        place = PLACES[table]
        self.seen += 1
        later = [name for held, name in self.held.items() if held > place]
        if place not in self.held and later:
            raise OutOfOrder(f"{table} after {', '.join(later)}: {sql[:200]}")
        if "FOR NO KEY UPDATE" in sql and not _BY_KEY.search(sql):
            raise OutOfOrder(f"{table} in no order of its rows: {sql[:200]}")
        self.held[place] = table
