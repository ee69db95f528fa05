from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.core.files.storage import storages
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.module_loading import import_string

from leaderboard.competitions.storage import Store
from leaderboard.operations.backup import named_files
from leaderboard.operations.store import PLACES, places
from leaderboard.submissions.models import Submission

AGE = timedelta(days=1)  # far longer than any upload takes
FORMER_TRASH = ".sweeper/trash"  # of versions that moved files there by themselves


class Stock(NamedTuple):
    """What lies in one place of the store. `orphans`: older than AGE, and no row names them."""

    name: str
    files: int
    orphans: list[str]
    trashed: int


def look(name: str, at: datetime) -> Stock:
    """Everything of this place, asked of store and database now."""
    store = cast(Store, storages[name])
    files = list(store.names())
    named = {one.name for one in named_files() if one.place == name}
    if name == "tokens":  # whose names begin with the id of a submission
        ids = {*map(str, Submission.objects.values_list("pk", flat=True).iterator())}
        named = {file for file in files if file.partition(".")[0] in ids}
    orphans = []
    for file in files:
        with suppress(FileNotFoundError):  # deleted meanwhile
            if file not in named and store.get_modified_time(file) < at - AGE:
                orphans.append(file)
    trashed = 0
    with suppress(FileNotFoundError):
        for day in store.listdir(FORMER_TRASH)[0]:
            trashed += len(store.listdir(f"{FORMER_TRASH}/{day}")[1])
    return Stock(PLACES[name], len(files), orphans, trashed)


def copy_from(url: str) -> int:
    """Bring every file of another store that this one lacks; answers how many. Removes nothing."""
    copied = 0
    for name, how in places(url, Path(settings.DATA_DIR)).items():
        source: Store = import_string(how["BACKEND"])(**how["OPTIONS"])
        target = storages[name]
        for file in source.names():
            if file.startswith(".") or target.exists(file):
                continue
            with source.open(file) as content:
                target.save(file, content)
            copied += 1
    return copied


class Command(BaseCommand):
    help = "Count the stored files, and those older than a day that no row names."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--delete", action="store_true", help="remove those without a row")
        parser.add_argument(
            "--however-many",
            action="store_true",
            help="with --delete: even where most files of a place have no row",
        )
        parser.add_argument(
            "--copy-from",
            metavar="STORAGE_URL",
            help="bring what lies in another store, such as file:///folder, into this one",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["however_many"] and not options["delete"]:
            raise CommandError("--however-many belongs to --delete: say --delete --however-many.")
        if options["copy_from"]:
            self.stdout.write(f"{copy_from(options['copy_from'])} files copied.")
        found = {name: look(name, timezone.now()) for name in PLACES}
        for place in found.values():
            self.stdout.write(
                f"{place.name}: {place.files} files, {len(place.orphans)} without a row for a day."
            )
            if place.trashed:
                self.stdout.write(
                    f"{place.name}: {place.trashed} files in {FORMER_TRASH}, from an earlier "
                    "version. Nothing removes them: delete that folder when nobody misses them."
                )
        if options["delete"]:
            self._delete(found, however_many=options["however_many"])

    def _delete(self, found: dict[str, Stock], *, however_many: bool) -> None:
        for place in found.values():
            if 2 * len(place.orphans) > place.files and not however_many:
                raise CommandError(
                    f"Most files in {place.name} have no row. Look at DATA_DIR and DATABASE_URL, "
                    "or restore the newest backup. If all is right: --delete --however-many."
                )
        for name, place in found.items():
            for file in place.orphans:
                storages[name].delete(file)
        self.stdout.write(f"{sum(len(place.orphans) for place in found.values())} files deleted.")
