"""Files in a bucket that speaks S3: what several machines share beside database and broker.

Needs django-storages[s3] (pip install -r requirements-prod.txt); loaded when STORAGE_URL names a
bucket. Objects are private and have no address: all are handed out by our own views.
"""

import gzip
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import IO, Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import File
from django.utils.deconstruct import deconstructible
from storages.backends.s3 import S3Storage

from leaderboard.competitions.storage import ASIDE, Mark, StoreAway, Swept, is_day, written

# A store that stands still costs each request twice so many seconds.
CONFIG = Config(
    connect_timeout=3,
    read_timeout=5,
    retries={"total_max_attempts": 2, "mode": "standard"},
    # Other makers' stores do not know the checksums that boto3 would add.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
    signature_version="s3v4",
)
MISSING = ("404", "NoSuchKey", "NotFound")
TAKEN = ("412", "PreconditionFailed", "ConditionalRequestConflict")
CHUNK_BYTES = 1 << 20


@contextmanager
def _asking() -> Iterator[None]:
    """Errors of the store as errors of files."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in MISSING:
            raise FileNotFoundError(code) from error
        if code in TAKEN:
            raise FileExistsError(code) from error
        raise StoreAway(code) from error
    except BotoCoreError as error:
        raise StoreAway(type(error).__name__) from error


@deconstructible
class BucketStorage(Swept, S3Storage):
    """One prefix of a bucket. An object appears whole or not at all.

    `compressed`: objects are gzip, their keys end in `.gz`; who opens one reads what was saved.
    What is opened is first brought to this machine, into `spool`, without a name there: then it is
    sent as a file of a folder is, and a store that goes away in the middle cuts no answer off.
    """

    def __init__(self, *, spool: Path, compressed: bool = False, **options: Any) -> None:
        self.spool = spool
        self.ending = ".gz" if compressed else ""
        style = {"addressing_style": "path" if options.get("endpoint_url") else "auto"}
        super().__init__(client_config=CONFIG.merge(Config(s3=style)), **options)

    def url(self, *_: Any, **__: Any) -> str:
        raise NotImplementedError("No address leads to a stored file.")

    def answers(self) -> bool:
        try:
            with _asking():
                self._client.head_bucket(Bucket=self.bucket_name)
        except OSError:
            return False
        return True

    def exists(self, name: str) -> bool:
        return self._head(self._key(name)) is not None

    def size(self, name: str) -> int:
        """Of the object: of a compressed one, fewer than were saved."""
        found = self._head(self._key(name))
        if found is None:
            raise FileNotFoundError(name)
        return int(found["ContentLength"])

    def delete(self, name: str) -> None:
        self._delete(self._key(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """The files of the whole place; it has no folders but the sweeper's."""
        return [], list(self.names())

    def _save(self, name: str, content: File[bytes]) -> str:
        with self._here() as kept:
            out = gzip.GzipFile(fileobj=kept, mode="wb", mtime=0) if self.ending else kept
            for chunk in content.chunks():
                out.write(chunk)
            if out is not kept:
                out.close()
            kept.seek(0)
            self._put(self._key(name), kept)
        return name

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        kept = self._here()
        try:
            with _asking():
                body = self._get(self._key(name))
                for chunk in body.iter_chunks(CHUNK_BYTES):
                    kept.write(chunk)
            kept.seek(0)
            if self.ending:
                kept = self._unpacked(kept)
        except BaseException:
            kept.close()
            raise
        return File(kept, name)

    def _unpacked(self, packed: IO[bytes]) -> IO[bytes]:
        with packed, gzip.GzipFile(fileobj=packed) as read:
            plain = self._here()
            shutil.copyfileobj(read, plain)
        plain.seek(0)
        return plain

    def _here(self) -> IO[bytes]:
        self.spool.mkdir(mode=0o700, parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=self.spool)

    # --- The trash ------------------------------------------------------------------------------

    def names(self) -> Iterator[str]:
        yield from self._names(self._key("", ending=""))

    def age_of(self, name: str, at: datetime) -> float:
        found = self._head(self._key(name))
        return 0.0 if found is None else (at - found["LastModified"]).total_seconds()

    def throw_away(self, name: str, at: datetime) -> bool:
        return self._move(self._key(name), self._trash(at.astimezone(UTC).date(), name))

    def take_back(self, name: str) -> bool:
        target = self._key(name)
        return any(self._move(self._trash(day, name), target) for day in self.trash_days())

    def trash_days(self) -> list[date]:
        trash = self._key(f"{ASIDE}/trash/", ending="")
        folders = (
            found["Prefix"].removeprefix(trash).strip("/")
            for page in self._pages(trash)
            for found in page.get("CommonPrefixes", ())
        )
        return sorted(day for day in map(is_day, folders) if day is not None)

    def trashed(self, day: date) -> Iterator[str]:
        yield from self._names(self._key(f"{ASIDE}/trash/{day}/", ending=""))

    def erase(self, name: str, day: date) -> None:
        self._delete(self._trash(day, name))

    def drop_day(self, day: date) -> bool:
        return True  # a prefix without objects is none

    def _trash(self, day: date, name: str) -> str:
        return self._key(f"{ASIDE}/trash/{day}/{name}")

    def _move(self, source: str, target: str) -> bool:
        """Copied before it is deleted: killed between the two, both are there."""
        place = {"Bucket": self.bucket_name, "Key": source}
        try:
            with _asking():
                self._client.copy_object(Bucket=self.bucket_name, Key=target, CopySource=place)
        except FileNotFoundError:
            return False
        self._delete(source)
        return True

    # --- The mark -------------------------------------------------------------------------------

    def _read_mark(self) -> str:
        with _asking():
            return str(self._get(self._mark).read(), "utf-8")

    def write_mark(self, mark: Mark, *, first: bool = False) -> None:
        only = {"IfNoneMatch": "*"} if first else {}
        self._put(self._mark, written(mark).encode(), **only)

    @property
    def _mark(self) -> str:
        return self._key(f"{ASIDE}/installation.json", ending="")

    # --- The store ------------------------------------------------------------------------------

    @property
    def _client(self) -> Any:
        return self.connection.meta.client

    def _key(self, name: str, *, ending: str | None = None) -> str:
        return f"{self.location}/{name}{self.ending if ending is None else ending}"

    def _put(self, key: str, body: IO[bytes] | bytes, **options: str) -> None:
        with _asking():
            self._client.put_object(Bucket=self.bucket_name, Key=key, Body=body, **options)

    def _get(self, key: str) -> Any:
        return self._client.get_object(Bucket=self.bucket_name, Key=key)["Body"]

    def _head(self, key: str) -> Any:
        try:
            with _asking():
                return self._client.head_object(Bucket=self.bucket_name, Key=key)
        except FileNotFoundError:
            return None

    def _delete(self, key: str) -> None:
        with _asking():
            self._client.delete_object(Bucket=self.bucket_name, Key=key)

    def _pages(self, prefix: str) -> Iterator[Any]:
        lister = self._client.get_paginator("list_objects_v2")
        with _asking():
            yield from lister.paginate(Bucket=self.bucket_name, Prefix=prefix, Delimiter="/")

    def _names(self, prefix: str) -> Iterator[str]:
        for page in self._pages(prefix):
            for found in page.get("Contents", ()):
                name = found["Key"].removeprefix(prefix)
                if name.endswith(self.ending):
                    yield name.removesuffix(self.ending)
