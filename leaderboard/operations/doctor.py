"""What is wrong with this installation, all at once: each fault with its cause and the next step.

`manage.py doctor` prints it, `/status` shows it to administrators, and some of it rings (`alarms`).
"""

import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

import structlog
from django.conf import settings
from django.core import checks
from django.core.files.storage import FileSystemStorage, storages
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard import logs
from leaderboard.celery import round_trip
from leaderboard.competitions.storage import Store
from leaderboard.evaluation.health import ended_since, stalled, workers
from leaderboard.operations import clock, public_address
from leaderboard.operations.fault import Fault
from leaderboard.operations.installation import database_name, other_encoding
from leaderboard.operations.models import Backup
from leaderboard.operations.store import PLACES
from leaderboard.operations.variables import misspelt
from leaderboard.operations.version import version
from leaderboard.outbox.models import Message

logger = structlog.get_logger(__name__)

LONG = timedelta(seconds=120)
FEWEST_FAILURES = 5
MAIL_LATE = timedelta(hours=1)
BACKUP_EVERY = timedelta(hours=26)  # a day, and the time that one takes
BACKUP_AHEAD = timedelta(seconds=30)  # the clocks of two machines may differ

Check = Callable[[datetime], Iterator[Fault]]


def faults(at: datetime) -> list[Fault]:
    """Everything that is wrong, in the order in which it is to be put right."""
    found = list(_looked_at(installation, at))  # a misspelt name may be why the rest is wrong
    missing = list(_looked_at(database, at))
    found += missing
    for check in WITHOUT_DATABASE if missing else CHECKS:
        found += _looked_at(check, at)
    return found


def _looked_at(check: Check, at: datetime) -> list[Fault]:
    """What it found; an error in one does not stop the others."""
    try:
        return list(check(at))
    except Exception as error:
        logger.warning("check_failed", check=check.__name__, **logs.origin(error))
        return [Fault("check", name=check.__name__, why=type(error).__name__)]


def database(at: datetime) -> Iterator[Fault]:
    """What it, or what stands before it, says is quoted: names, but no password."""
    try:
        if lacks_migrations():
            yield Fault("migrations", database=database_name())
        if encoding := other_encoding():
            yield Fault("encoding", database=database_name(), encoding=encoding)
    except DatabaseError as error:
        yield Fault("database", database=database_name(), why=" ".join(str(error).split())[:300])


def lacks_migrations() -> bool:
    """Whether the database is behind this code. Raises DatabaseError where it does not answer."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def installation(at: datetime) -> Iterator[Fault]:
    """What each process looks at when it starts, and variables that nobody reads."""
    for message in checks.run_checks():
        if message.level >= checks.ERROR:
            yield Fault("settings", said=message.msg, hint=message.hint or "")
    for name, meant in misspelt():
        yield Fault("variable", name=name, meant=meant)


def address(at: datetime) -> Iterator[Fault]:
    """BASE_URL as a browser meets it, asked from here."""
    if settings.HTTPS and not settings.ALLAUTH_TRUSTED_PROXY_COUNT:
        yield Fault("address.proxies")
    proxies = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    if not proxies and settings.HOST not in ("127.0.0.1", "::1", "[::1]", "localhost"):
        yield Fault("address.open", host=settings.HOST)
    yield from public_address.looked_at(settings.BASE_URL, version(), proxies)
    with suppress(OSError):  # nobody answers, which was said above
        yield from certificate(at)


def certificate(at: datetime) -> Iterator[Fault]:
    """That of BASE_URL. Raises OSError where nobody answers, which is a fault of the address."""
    yield from public_address.certificate(settings.BASE_URL, at)


def clocks(at: datetime) -> Iterator[Fault]:
    own = clock.difference()
    if own.is_said:
        yield Fault("clock.host", seconds=own.seconds)
    for one in workers(at):
        if one.lives and one.worker.clock_at is not None:
            ahead = abs(one.worker.clock_at - one.worker.last_sign_at)
            if ahead > clock.SAID:
                seconds = round(ahead.total_seconds(), 1)
                yield Fault("clock.process", name=one.worker.name, seconds=seconds)


def store(at: datetime) -> Iterator[Fault]:
    for name, place in PLACES.items():
        storage = cast(Store, storages[name])
        if why := storage.trouble():
            bucket = getattr(storage, "bucket_name", "")
            where = {"bucket": bucket, "why": why} if bucket else {}
            yield Fault("store.bucket" if bucket else "store", place=place, **where)


def broker(at: datetime) -> Iterator[Fault]:
    if why := round_trip():
        yield Fault("broker", why=why)


def waiting(at: datetime) -> Iterator[Fault]:
    """Two, so that the second rings when the first was not heard."""
    stall = stalled(at, rehearsals=True)
    if stall is None:
        return
    seconds = round((at - stall.since).total_seconds())
    yield Fault("waiting", seconds=seconds, waiting=stall.waiting, workers=stall.workers)
    if at - stall.since >= LONG:
        yield Fault("waiting_long", waiting=stall.waiting, workers=stall.workers)


def processes(at: datetime) -> Iterator[Fault]:
    """Whether each kind gives a sign, and whether those that do run this code."""
    living = [one.worker for one in workers(at) if one.lives]
    work = {each for worker in living for each in worker.queue.split(",")}
    if "web" not in work:
        yield Fault("silent.web")
    if settings.CELERY_TASK_DEFAULT_QUEUE not in work:
        yield Fault("silent.score")
    if "sweeper" not in work:
        yield Fault("silent.sweeper")
    for worker in living:
        if worker.version not in ("", version()):
            yield Fault("version", name=worker.name, there=worker.version, here=version())


def disk(at: datetime) -> Iterator[Fault]:
    free = shutil.disk_usage(settings.DATA_DIR).free // 1_000_000
    if free < settings.ALARM_DISK_MB:
        yield Fault("disk", free=free)


def privacy(at: datetime) -> Iterator[Fault]:
    """What other users of this machine can read. They reach nothing in a folder that is closed."""
    kept = [Path(settings.DATA_DIR)]
    if connection.vendor == "sqlite":
        kept.append(Path(connection.settings_dict["NAME"]))
    places = (storages[name] for name in PLACES)
    kept += [Path(one.location) for one in places if isinstance(one, FileSystemStorage)]
    if found := [path for path in kept if path.exists() and _is_open(path.resolve())]:
        yield Fault("readable", paths=", ".join(map(str, found)))


def _is_open(path: Path) -> bool:
    """Whether others may read or enter it, and enter each folder above it."""
    closed = any(not folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)
    return not closed and bool(path.stat().st_mode & (stat.S_IROTH | stat.S_IXOTH))


def failures(at: datetime) -> Iterator[Fault]:
    """The share of an hour: a few may be anybody's."""
    done, failed = ended_since(at)
    if failed >= FEWEST_FAILURES and failed / (done + failed) > settings.ALARM_FAILED_SHARE:
        yield Fault("failures", failed=failed, ended=done + failed)


def mail(at: datetime) -> Iterator[Fault]:
    old = Message.objects.filter(lane=Message.MAIL, made_at__lt=at - MAIL_LATE)
    if old.filter(state=Message.State.WAITING).exists():
        yield Fault("mail")


def backups(at: datetime) -> Iterator[Fault]:
    """Where somebody has made one, or tried to. One that is dated in the future counts as none."""
    last = Backup.objects.first()
    if last is None:
        return
    made_at = last.made_at if last.made_at and last.made_at <= at + BACKUP_AHEAD else None
    if last.failed_at and not (made_at and made_at > last.failed_at):
        yield Fault("backup.failed", why=last.failure)
    elif made_at is None or at - made_at > BACKUP_EVERY:
        hours = round((at - made_at).total_seconds() / 3600) if made_at else "?"
        yield Fault("backup.old", hours=hours)


WITHOUT_DATABASE: tuple[Check, ...] = (address, broker, store, disk, privacy)
CHECKS: tuple[Check, ...] = (
    *WITHOUT_DATABASE,
    *(clocks, processes, waiting, failures, mail, backups),
)
