"""Everything between unpacking the code and starting its processes."""

import hashlib
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    """One process for three steps: starting Python and Django costs more than most of them."""

    help = "Migrate the database, collect static files if they changed, seed the demo. Repeatable."

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        stamp, wanted = Path(settings.STATIC_ROOT) / ".stamp", static_fingerprint()
        if not stamp.exists() or stamp.read_text() != wanted:
            call_command("collectstatic", interactive=False, clear=True, verbosity=0)
            stamp.write_text(wanted)
        if settings.DEMO:
            call_command("seed_demo", stdout=self.stdout)


def static_fingerprint() -> str:
    """Changes when a static file or an installed package (Django's admin has some) changes."""
    root = Path(settings.BASE_DIR)
    digest = hashlib.sha256((root / "requirements.txt").read_bytes())
    for file in sorted((root / "leaderboard" / "static").rglob("*")):
        if file.is_file():
            stat = file.stat()
            digest.update(f"{file}|{stat.st_size}|{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
