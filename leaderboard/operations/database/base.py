"""What `ENGINE` leads Django to: its own backend, told beforehand that SQLite knows JSON.

Django finds that out on each thread's connection inside `atomic()`. In our mode that is the write
lock: a page that only reads waited for whoever wrote, and after 20 s in vain the thread remembered
"no JSON" until the process ended. Nothing else is asked of a connection before its first query.
"""

import sqlite3
from contextlib import closing

from django.db.backends.sqlite3 import base, features


def _knows_json() -> bool:
    """Asked of a database in memory, which nobody can lock."""
    with closing(sqlite3.connect(":memory:")) as own:
        try:
            own.execute("SELECT JSON('{}')")
        except sqlite3.OperationalError:
            return False
    return True


class DatabaseFeatures(features.DatabaseFeatures):
    """Django's list of what this SQLite can do."""

    supports_json_field = _knows_json()


class DatabaseWrapper(base.DatabaseWrapper):
    """One thread's connection."""

    features_class = DatabaseFeatures
