"""The checks of this installation, and who shows the faults that each of them finds.

`manage.py doctor` and `/status` show all faults with cause and next step, `alarms` rings for some,
and `/readyz` has a word for those that a load balancer or a monitor needs.
"""

import json
import shutil
import socket
import ssl
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.core.checks import ERROR, run_checks
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from leaderboard import logs
from leaderboard.actions.submissions import disk_is_full
from leaderboard.celery import broker_trouble
from leaderboard.competitions.storage import Store
from leaderboard.evaluation.health import ended_since, stalled, workers
from leaderboard.evaluation.run import by_code
from leaderboard.operations.fault import Fault
from leaderboard.operations.installation import database_name, version
from leaderboard.operations.models import Backup
from leaderboard.operations.store import PLACES
from leaderboard.outbox.models import Message
from leaderboard.submissions.models import submission_storage
from leaderboard.submissions.queries import store_is_missing

logger = structlog.get_logger(__name__)

CLOCK_SAID = timedelta(seconds=2)  # a larger difference is said
LONG = timedelta(seconds=120)
FEWEST_FAILURES = 5
ADDRESS_SECONDS = 5.0
CERTIFICATE_DAYS = 14  # one that ends sooner is a fault
MAIL_LATE = timedelta(hours=1)
BACKUP_EVERY = timedelta(hours=26)  # a day, and the time that one takes
BACKUP_AHEAD = timedelta(seconds=30)  # the clocks of two machines may differ
AWAY = {"database": "database unreachable", "migrations": "migrations missing"}
LATE = {"backup.failed": "backup_late", "backup.old": "backup_late"}


Ask = Callable[[datetime], Iterator[Fault]]


@dataclass(kw_only=True)
class Check:
    """A question about the installation, and who shows its faults; decorates what asks it."""

    asks_database: bool = True
    doctor: bool = True
    rings: tuple[str, ...] = ()  # the alarms that it begins and ends
    every: timedelta = timedelta(0)  # how often the alarms ask it
    words: Mapping[str, str] = field(default_factory=dict)  # of /readyz, by the fault's key
    refuses: bool = False  # whether a word is a problem of /readyz, and no remark

    def __call__(self, ask: Ask) -> Ask:
        self.ask = ask
        CHECKS.append(self)
        return ask


CHECKS: list[Check] = []  # in the order in which to repair what they find


def found(at: datetime, asked: Iterable[Check]) -> list[tuple[Check, Fault]]:
    """Ask these checks, without a database those that need none. An error in one is a fault."""
    faults: list[tuple[Check, Fault]] = []
    for one in asked:
        if one.asks_database and any(other.ask is database for other, _ in faults):
            continue
        try:
            faults += [(one, fault) for fault in one.ask(at)]
        except Exception as error:
            name = one.ask.__name__
            logger.warning("check_failed", check=name, **logs.origin(error))
            faults.append((one, Fault("check", name=name, why=type(error).__name__)))
    return faults


def faults(at: datetime) -> list[Fault]:
    """Everything that is wrong, in the order in which to repair it."""
    return [fault for _, fault in found(at, [one for one in CHECKS if one.doctor])]


@Check(asks_database=False)  # a variable may be why the rest is wrong
def installation(at: datetime) -> Iterator[Fault]:
    """Django's checks, which each process runs when it starts."""
    for message in run_checks():
        if message.level >= ERROR:
            yield Fault("settings", said=message.msg, hint=message.hint or "")


@Check(asks_database=False, words=AWAY, refuses=True)
def database(at: datetime) -> Iterator[Fault]:
    """The answer of the database or its pooler is quoted: it has names, but no password."""
    try:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            yield Fault("migrations", database=database_name())
    except DatabaseError as error:
        yield Fault("database", database=database_name(), why=" ".join(str(error).split())[:300])


def _get(path: str) -> tuple[int, bytes]:
    """Status and body at BASE_URL, without following a redirect or asking a proxy of ours."""
    parts = urlsplit(settings.BASE_URL)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    with closing(kind(parts.netloc, timeout=ADDRESS_SECONDS)) as line:
        line.request("GET", parts.path + path)
        answer = line.getresponse()
        return answer.status, answer.read(1 << 20)


@Check(asks_database=False)
def address(at: datetime) -> Iterator[Fault]:
    """Whether BASE_URL answers as it should, asked from this machine as a browser does."""
    url, here, trusted = settings.BASE_URL, version(), settings.ALLAUTH_TRUSTED_PROXY_COUNT
    if not trusted and settings.HOST not in ("127.0.0.1", "::1", "[::1]", "localhost"):
        yield Fault("address.open", host=settings.HOST)
    try:
        page, _ = _get("/accounts/login/")  # answered as any page is: by Host and scheme
        status, body = _get("/readyz?verbose")
    except (OSError, HTTPException) as error:
        yield Fault("address.away", url=url, why=type(error).__name__)
        return
    if other := {page, status} - {200, 500, 503}:  # what is behind the last two, other checks say
        yield Fault("address.other", url=url, status=min(other))
    if status == 200:
        try:
            said = json.loads(body)
        except ValueError:  # another server
            said = {}
        if (there := said.get("version", "?")) != here:
            yield Fault("version", name=url, there=there, here=here)
        named = said.get("proxies", trusted)
        if named != trusted or (url.startswith("https:") and not trusted):
            yield Fault("address.proxies", url=url, named=named, trusted=trusted)
    with suppress(OSError):  # nobody answers any more
        yield from certificate(at)


@Check(asks_database=False, doctor=False, rings=("certificate",), every=timedelta(hours=1))
def certificate(at: datetime) -> Iterator[Fault]:
    """Whether BASE_URL's certificate is valid. OSError if nobody answers: a fault of `address`.

    Who signed it has to be known to this machine; SSL_CERT_FILE names further ones.
    """
    parts = urlsplit(settings.BASE_URL)
    if parts.scheme != "https":
        return
    host = parts.hostname or ""
    try:
        with (
            socket.create_connection((host, parts.port or 443), ADDRESS_SECONDS) as plain,
            ssl.create_default_context().wrap_socket(plain, server_hostname=host) as line,
        ):
            known = line.getpeercert() or {}
    except ssl.SSLCertVerificationError as error:
        yield Fault("certificate.refused", host=host, why=error.verify_message)
        return
    days = int((ssl.cert_time_to_seconds(str(known["notAfter"])) - at.timestamp()) // 86_400)
    if days < CERTIFICATE_DAYS:
        yield Fault("certificate.ends", host=host, days=days)


@Check(asks_database=False)
def broker(at: datetime) -> Iterator[Fault]:
    if why := broker_trouble(sends=True):
        yield Fault("broker", why=why)


@Check(asks_database=False, doctor=False, words={"broker": "broker_unreachable"})
def broker_away(at: datetime) -> Iterator[Fault]:
    """Whether the broker takes a connection; `broker` sends a message."""
    if why := broker_trouble():
        yield Fault("broker", why=why)


@Check(asks_database=False, rings=("store",), every=timedelta(minutes=1))
def store(at: datetime) -> Iterator[Fault]:
    for name, place in PLACES.items():
        storage = cast(Store, storages[name])
        if why := storage.trouble():
            bucket = getattr(storage, "bucket_name", "")
            where = {"bucket": bucket, "why": why} if bucket else {}
            yield Fault("store.bucket" if bucket else "store", place=place, **where)


@Check(asks_database=False, doctor=False, words={"store.bucket": "store unreachable"}, refuses=True)
def store_away(at: datetime) -> Iterator[Fault]:
    """Whether a bucket answers one question; `store` writes, reads and deletes a file."""
    storage = submission_storage()
    if not storage.answers():
        where = {"bucket": getattr(storage, "bucket_name", ""), "place": "submissions"}
        yield Fault("store.bucket", why="no answer", **where)


@Check(words={"store.missing": "store not mounted"}, refuses=True)
def store_missing(at: datetime) -> Iterator[Fault]:
    if store_is_missing():
        yield Fault("store.missing")


@Check(asks_database=False, rings=("disk",), words={"disk.full": "storage full"}, refuses=True)
def disk(at: datetime) -> Iterator[Fault]:
    free = shutil.disk_usage(settings.DATA_DIR).free // 1_000_000
    if disk_is_full():
        yield Fault("disk.full", free=free)
    elif free < settings.ALARM_DISK_MB:
        yield Fault("disk", free=free)


@Check(asks_database=False)
def privacy(at: datetime) -> Iterator[Fault]:
    """Whether other users of this machine can enter or read the folder of everything."""
    path = Path(settings.DATA_DIR).resolve()
    closed = any(not folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)
    if not closed and path.stat().st_mode & (stat.S_IROTH | stat.S_IXOTH):
        yield Fault("readable", paths=path)


def clock_ahead() -> timedelta:
    """How far this host's clock is ahead of the database's, which all hosts share; or behind it.

    Asks the database once, and logs a difference above CLOCK_SAID. The time that the answer took
    is no difference: every value between question and answer is right.
    """
    before = timezone.now()
    if connection.vendor == "sqlite":
        database = datetime.fromtimestamp(time.time(), UTC)  # a library in this process
    else:
        with connection.cursor() as cursor:
            # The instant of the asking, not that of the transaction around it.
            cursor.execute("SELECT clock_timestamp()")
            (database,) = cursor.fetchone()
    after = timezone.now()
    found = before - database if database < before else min(after - database, timedelta())
    if abs(found) > CLOCK_SAID:
        logger.warning("clock.differs", ahead_seconds=found.total_seconds())
    return found


@Check()
def clocks(at: datetime) -> Iterator[Fault]:
    living = [one for one in workers(at) if one.lives]
    ahead = {socket.gethostname(): clock_ahead()}
    ahead |= {one.name: one.clock_at - one.last_sign_at for one in living if one.clock_at}
    for name, difference in ahead.items():
        if abs(difference) > CLOCK_SAID:
            yield Fault("clock", name=name, seconds=round(abs(difference).total_seconds(), 1))


@Check()
def processes(at: datetime) -> Iterator[Fault]:
    """Whether each kind gives a sign, and whether those that do run this code."""
    living = [one for one in workers(at) if one.lives]
    work = {each for worker in living for each in worker.queue.split(",")}
    wanted = ("web", settings.CELERY_TASK_DEFAULT_QUEUE, "sweeper")
    if silent := [one for one in wanted if one not in work]:
        yield Fault("silent", work=", ".join(silent))
    for worker in living:
        if worker.version not in ("", version()):
            yield Fault("version", name=worker.name, there=worker.version, here=version())


@Check(rings=("waiting", "waiting_long"), words={"waiting": "waiting_without_worker"})
def waiting(at: datetime) -> Iterator[Fault]:
    """Two faults: the second rings later, in case nobody heard the first."""
    stall = stalled(at, rehearsals=True)
    if stall is None:
        return
    seconds = round((at - stall.since).total_seconds())
    yield Fault("waiting", seconds=seconds, waiting=stall.waiting, workers=stall.workers)
    if at - stall.since >= LONG:
        yield Fault("waiting_long", waiting=stall.waiting, workers=stall.workers)


@Check(rings=("failures",))
def failures(at: datetime) -> Iterator[Fault]:
    """Whether too large a share of the last hour's evaluations failed."""
    done, failed = ended_since(at)
    if failed >= FEWEST_FAILURES and failed / (done + failed) > settings.ALARM_FAILED_SHARE:
        yield Fault("failures", failed=failed, ended=done + failed)


@Check(words={"versions": "version_failures"})
def versions(at: datetime) -> Iterator[Fault]:
    if failing := by_code():
        yield Fault("versions", codes=", ".join(failing))


@Check(words={"mail": "mail_waits"})
def mail(at: datetime) -> Iterator[Fault]:
    old = Message.objects.filter(lane=Message.MAIL, made_at__lt=at - MAIL_LATE)
    if old.filter(state=Message.State.WAITING).exists():
        yield Fault("mail")


@Check(rings=("backup",), every=timedelta(seconds=30), words=LATE)
def backups(at: datetime) -> Iterator[Fault]:
    """Whether the newest backup failed or is old, once somebody tried. Future dates are none."""
    last = Backup.objects.first()
    if last is None:
        return
    made_at = last.made_at if last.made_at and last.made_at <= at + BACKUP_AHEAD else None
    if last.failed_at and not (made_at and made_at > last.failed_at):
        yield Fault("backup.failed", why=last.failure)
    elif made_at is None or at - made_at > BACKUP_EVERY:
        hours = round((at - made_at).total_seconds() / 3600) if made_at else "?"
        yield Fault("backup.old", hours=hours)
