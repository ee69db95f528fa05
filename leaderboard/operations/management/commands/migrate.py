"""Django's `migrate`, without the limits that a page has: a large table takes its time."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from leaderboard.operations.installation import database_name

# What waits for a lock still gives up soon: meanwhile everybody else would wait behind it.
UNLIMITED = ("statement_timeout", "idle_in_transaction_session_timeout")


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if connection.vendor != "postgresql":
            super().handle(*args, **options)
            return
        connection.ensure_connection()
        encoding = connection.connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":  # Korean would be refused or cut
            raise CommandError(
                f"The database ({database_name()}) is in {encoding}: make one in UTF8 "
                "(createdb --template template0 --encoding UTF8) and restore a backup into it."
            )
        with connection.execute_wrapper(_without_limits):
            super().handle(*args, **options)
        if connection.is_usable() and not connection.in_atomic_block:
            _ask(connection, [f"RESET {name}" for name in UNLIMITED])


def _without_limits(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    """Around each statement. Within a transaction for that alone: behind a pooler the connection
    serves others afterwards, so that outside of one nothing can be said there.
    """
    connection = context["connection"]
    if connection.in_atomic_block:
        connection.validate_no_broken_transaction()
        _ask(connection, [f"SET LOCAL {name} = 0" for name in UNLIMITED])
    elif not settings.DATABASE_POOLED:
        _ask(connection, [f"SET {name} = 0" for name in UNLIMITED])
    return execute(sql, params, many, context)


def _ask(connection: BaseDatabaseWrapper, statements: list[str]) -> None:
    """Past Django's cursor, which would wrap these as well."""
    with connection.wrap_database_errors:
        for statement in statements:
            connection.connection.execute(statement)
