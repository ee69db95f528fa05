"""Long lists of values travel to the database as one value.

`pk__in=ids` is one parameter for each id, and PostgreSQL takes 65,535 of them, SQLite 32,766 in the
usual build. Django cuts such lists for Oracle alone, and writes them itself where no code of ours
does: `in_bulk`, `prefetch_related`, `delete`. Here a list of more than LONG values becomes an array
(PostgreSQL) or a JSON text (SQLite), so no statement grows with an installation. Short lists stay
as Django has them, and so do lists with an expression among the values.
"""

import json
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, ForeignObject
from django.db.models.fields.related_lookups import RelatedIn
from django.db.models.lookups import In
from django.db.models.sql.compiler import SQLCompiler

LONG = 1000

# How large the numbers of a column of PostgreSQL are; one array holds no larger ones.
BITS = {"smallint": 15, "integer": 31, "bigint": 63}

Sql = tuple[str, Any]


class _Long(In[Any]):
    def process_rhs(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Sql:
        """The list in SQL and its parameters."""
        sql, params = super().process_rhs(compiler, connection)
        is_short = not self.rhs_is_direct_value() or len(params) <= LONG
        if is_short or not _is_plain(sql, len(params)):
            return sql, params
        if connection.vendor == "postgresql":
            # Without a length, as Django's own arrays of an insert: it would cut values off.
            kind = (self.lhs.output_field.db_type(connection) or "").split("(")[0]
            values = [value for value in params if _may_match(value, kind)]
            return f"(SELECT unnest(%s::{kind}[]))", [values]
        values = [value for value in params if _may_match(value, "")]
        return "(SELECT value FROM json_each(%s))", [json.dumps(values)]


class LongIn(_Long):
    """`in` of a column."""


class LongRelatedIn(_Long, RelatedIn):
    """`in` of a relation."""


def _is_plain(sql: str, number: int) -> bool:
    """Whether the list is nothing but parameters: an expression is SQL that no array can hold."""
    return sql == f"({', '.join(['%s'] * number)})"


def _may_match(value: Any, kind: str) -> bool:
    """Whether a column of that type can hold the value, and so an array."""
    if isinstance(value, str):
        return "\0" not in value  # SQLite would read a text of JSON only as far as that
    bits = BITS.get(kind)
    return bits is None or -(2**bits) <= value < 2**bits


def register() -> None:
    """Make these what `__in` means, everywhere."""
    Field.register_lookup(LongIn)
    ForeignObject.register_lookup(LongRelatedIn)
