"""So many rows that a statement must not name each of them, made by the database itself."""

import resource
from pathlib import Path

from django.db import connection
from django.db.models import Model


def uuid(base: int) -> str:
    """SQL of an id that follows from `n`."""
    if connection.vendor == "postgresql":
        return f"lpad(to_hex({base} + n), 32, '0')::uuid"
    return f"printf('%032x', {base} + n)"


def multiply(row: Model, times: int, **columns: str) -> None:
    """`times` copies of a row; `columns` say in SQL, by `n` from 1 on, where they differ.

    Every column that holds an id or stands in a unique constraint must be among them.
    """
    table, key = row._meta.db_table, row._meta.pk
    names = [field.column for field in row._meta.concrete_fields]
    into = ", ".join(f'"{name}"' for name in names)
    values = ", ".join(columns.get(name, f'"{name}"') for name in names)
    counted = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %s)"
    one = f'(SELECT * FROM "{table}" WHERE "{key.column}" = %s) AS one'
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{table}" ({into}) {counted} SELECT {values} FROM s CROSS JOIN {one}',
            [times, key.get_db_prep_value(row.pk, connection)],
        )
        cursor.execute(f'ANALYZE "{table}"')


def peak(*, anew: bool = False) -> float:
    """The most memory that this process had, in MB; `anew`: from now on (Linux)."""
    marks, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
    if not marks.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # macOS counts bytes
    if anew:
        marks.write_text("5")
    (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024
