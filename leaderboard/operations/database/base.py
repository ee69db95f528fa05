"""What `ENGINE` leads Django to: its own backend, told beforehand that SQLite knows JSON.

Django finds that out on each thread's connection inside `atomic()`. In our mode that is the write
lock: a page that only reads waited for whoever wrote, and after 20 s in vain the thread remembered
"no JSON" until the process ended. Python's own SQLite has had JSON since 3.38.
"""

from django.db.backends.sqlite3 import base, features


class DatabaseFeatures(features.DatabaseFeatures):
    """Django's list of what this SQLite can do."""

    supports_json_field = True


class DatabaseWrapper(base.DatabaseWrapper):
    """One thread's connection."""

    features_class = DatabaseFeatures
