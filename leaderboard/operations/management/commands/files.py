from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import storages
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.module_loading import import_string

from leaderboard.competitions.storage import Swept
from leaderboard.operations.store import places
from leaderboard.submissions.models import FileRound
from leaderboard.submissions.orphans import adopt, discard_orphans, last_round, put_back

Stop = FileRound.Stop
WHY = {
    Stop.OTHER: "The folder belongs to another database: look at DATA_DIR and DATABASE_URL.",
    Stop.OLDER: "The database is older than the files: restore the newest dump.",
    Stop.UNKNOWN: "Nothing says that the files are this database's: look at DATA_DIR and "
    "DATABASE_URL.",
    Stop.MANY: "Too many files have no row: restore the newest dump.",
}


def copy_from(url: str) -> int:
    """Bring every file of another store that this one lacks; answers how many. Removes nothing.

    Whose files they are is copied last: until then a round takes the place for nobody's.
    """
    copied = 0
    for name, how in places(url, Path(settings.DATA_DIR)).items():
        source: Swept = import_string(how["BACKEND"])(**how["OPTIONS"])
        target = storages[name]
        assert isinstance(target, Swept)
        for file in source.names():
            if file.startswith(".") or target.exists(file):
                continue
            with source.open(file) as content:
                target.save(file, content)
            copied += 1
        if (mark := source.mark()) is not None:
            target.write_mark(mark)
    return copied


class Command(BaseCommand):
    help = "Say what the last round over the submitted files found, or do one of these:"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--round", action="store_true", help="go through the whole folder now")
        parser.add_argument(
            "--however-many",
            action="store_true",
            help="with --round: move every file without a row to the trash",
        )
        parser.add_argument(
            "--adopt", action="store_true", help="folder and database do belong together"
        )
        parser.add_argument(
            "--put-back", action="store_true", help="take everything back from the trash"
        )
        parser.add_argument(
            "--copy-from",
            metavar="STORAGE_URL",
            help="bring what lies in another store, such as file:///folder, into this one",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["however_many"] and not options["round"]:
            raise CommandError("--however-many belongs to a round: say --round --however-many.")
        if options["copy_from"]:
            self.stdout.write(f"{copy_from(options['copy_from'])} files copied.")
        if options["adopt"]:
            self.stdout.write(f"Both are installation {adopt().installation}.")
        if options["put_back"]:
            self.stdout.write(f"{put_back()} files taken back.")
        if options["round"]:
            discard_orphans(at=timezone.now(), however_many=options["however_many"])
        self._tell(last_round())

    def _tell(self, found: FileRound | None) -> None:
        if found is None or found.ended_at is None:
            self.stdout.write("No round yet: the sweeper makes one each hour, or --round does.")
            return
        self.stdout.write(
            f"{found.ended_at.isoformat(timespec='seconds')}: {found.files} files, "
            f"{found.without_row} without a row for over an hour, {found.trashed} in the trash."
        )
        if found.stopped:
            self.stdout.write(f"Nothing was moved. {WHY[Stop(found.stopped)]}")
            self.stdout.write("If all is right as it is: --adopt, or --round --however-many.")
