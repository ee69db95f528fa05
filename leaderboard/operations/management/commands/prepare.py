"""Everything between unpacking the code and starting its processes."""

import hashlib
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader

NEWER = (
    "This database was made by a newer version than the one that is installed. Nothing was "
    "changed. Install the newer version again, or restore the backup from before the upgrade "
    "(manage.py restore)."
)


class Command(BaseCommand):
    """One process for three steps: starting Python and Django costs more than most of them."""

    help = "Migrate the database, collect static files if they changed, seed the demo. Repeatable."

    def handle(self, *args: Any, **options: Any) -> None:
        if _is_newer():
            raise CommandError(NEWER)
        call_command("migrate", interactive=False, verbosity=0)
        stamp, wanted = Path(settings.STATIC_ROOT) / ".stamp", static_fingerprint()
        if not stamp.exists() or stamp.read_text() != wanted:
            call_command("collectstatic", interactive=False, clear=True, verbosity=0)
            stamp.write_text(wanted)
        if settings.DEMO:
            call_command("seed_demo", stdout=self.stdout)


def _is_newer() -> bool:
    """Whether the database went through migrations of ours that are not here."""
    found = MigrationLoader(connection, ignore_no_migrations=True)
    ours = {one.label for one in apps.get_app_configs() if one.name.startswith("leaderboard.")}
    unknown = found.applied_migrations.keys() - found.disk_migrations.keys()
    return any(app in ours for app, _ in unknown)


def static_fingerprint() -> str:
    """Changes when a static file or an installed package (Django's admin has some) changes."""
    root = Path(settings.BASE_DIR)
    digest = hashlib.sha256((root / "requirements.txt").read_bytes())
    for file in sorted((root / "leaderboard" / "static").rglob("*")):
        if file.is_file():
            stat = file.stat()
            digest.update(f"{file}|{stat.st_size}|{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
