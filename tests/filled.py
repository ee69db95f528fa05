"""A filled database of an earlier version as one file, for either engine.

    python -m tests.filled keep FILE    what the settings' database holds, and its migrations
    python -m tests.filled lay FILE     migrate an empty database that far and put the rows in

Rows are put in by the models of those migrations: the code may be newer. Uploaded files stay out.
"""

import gzip
import json
import os
import sys
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Any

import django

# What `migrate` itself makes, and what no upgrade has to keep.
LEFT_OUT = ["contenttypes", "auth.permission", "sessions", "admin"]


def keep(path: Path) -> None:
    """Write the rows, sorted as foreign keys need it, and the last migration of each app."""
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.loader import MigrationLoader

    rows = StringIO()
    call_command("dumpdata", exclude=LEFT_OUT, stdout=rows)
    last = sorted(MigrationLoader(connection).graph.leaf_nodes())
    kept = json.dumps({"migrations": last, "rows": json.loads(rows.getvalue())}, sort_keys=True)
    path.write_bytes(gzip.compress(kept.encode(), mtime=0))


def lay(path: Path) -> None:
    """Make the tables of that version and fill them."""
    from django.core.management.color import no_style
    from django.db import connection, transaction
    from django.db.migrations.executor import MigrationExecutor

    kept = json.loads(gzip.decompress(path.read_bytes()))
    executor = MigrationExecutor(connection)
    installed = executor.loader.migrated_apps
    targets = [(app, name) for app, name in kept["migrations"] if app in installed]
    apps = executor.migrate(targets).apps
    with transaction.atomic():
        for label, rows in groupby(kept["rows"], key=lambda row: row["model"]):
            model = apps.get_model(label)
            _fill(model, list(rows))
            with connection.cursor() as cursor:
                for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
                    cursor.execute(statement)


def _fill(model: Any, rows: list[Any]) -> None:
    """Put these rows of one table in, then whom they are linked with by tables between."""
    many = {field.name for field in model._meta.many_to_many}
    made = []
    for row in rows:
        values = {model._meta.pk.attname: model._meta.pk.to_python(row["pk"])}
        for name in row["fields"].keys() - many:
            field = model._meta.get_field(name)
            column = field.target_field if field.is_relation else field
            values[field.attname] = column.to_python(row["fields"][name])
        made.append(model(**values))
    model._base_manager.bulk_create(made, batch_size=500)
    for one, row in zip(made, rows, strict=True):
        for name in many:
            getattr(one, name).set(row["fields"][name])


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    django.setup()
    {"keep": keep, "lay": lay}[sys.argv[1]](Path(sys.argv[2]))
