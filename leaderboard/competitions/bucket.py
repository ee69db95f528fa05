"""Files in a bucket that speaks S3: what several machines share beside database and broker.

Needs django-storages[s3] (pip install -r requirements-prod.txt); loaded when STORAGE_URL names a
bucket. Objects are private and have no address: all are handed out by our own views.
"""

import gzip
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import File
from django.utils.deconstruct import deconstructible
from storages.backends.s3 import S3Storage

from leaderboard.competitions.storage import Store, StoreAway, passing_file

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
        raise StoreAway(code) from error
    except BotoCoreError as error:
        raise StoreAway(type(error).__name__) from error


@deconstructible
class BucketStorage(Store, S3Storage):
    """One prefix of a bucket. An object appears whole or not at all.

    `compressed`: objects are gzip, their keys end in `.gz`; who opens one reads what was saved.
    What is opened is first brought to this machine: then it is sent as a file of a folder is, and a
    store that goes away in the middle cuts no answer off.
    """

    def __init__(self, *, compressed: bool = False, **options: Any) -> None:
        self.ending = ".gz" if compressed else ""
        style = {"addressing_style": "path" if options.get("endpoint_url") else "auto"}
        super().__init__(client_config=CONFIG.merge(Config(s3=style)), **options)

    def url(self, *_: Any, **__: Any) -> str:
        raise NotImplementedError("No address leads to a stored file.")

    def answers(self) -> bool:
        try:
            with _asking():
                self.connection.meta.client.head_bucket(Bucket=self.bucket_name)
        except OSError:
            return False
        return True

    def exists(self, name: str) -> bool:
        with _asking():
            return super().exists(name + self.ending)

    def size(self, name: str) -> int:
        """Of the object: of a compressed one, fewer than were saved."""
        with _asking():
            return super().size(name + self.ending)

    def delete(self, name: str) -> None:
        with _asking():
            super().delete(name + self.ending)

    def get_modified_time(self, name: str) -> datetime:
        with _asking():
            return super().get_modified_time(name + self.ending)

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with _asking():
            folders, files = super().listdir(path)
        ending = self.ending
        return folders, [name.removesuffix(ending) for name in files if name.endswith(ending)]

    def names(self) -> list[str]:
        return self.listdir("")[1]

    def _object(self, name: str) -> Any:
        return self.bucket.Object(self._normalize_name(name + self.ending))

    def _save(self, name: str, content: File[bytes]) -> str:
        with passing_file() as kept:
            out = gzip.GzipFile(fileobj=kept, mode="wb", mtime=0) if self.ending else kept
            for chunk in content.chunks():
                out.write(chunk)
            if out is not kept:
                out.close()
            kept.seek(0)
            with _asking():
                self._object(name).put(Body=kept)
        return name

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        kept = passing_file()
        with _asking():
            body = self._object(name).get()["Body"]
            read = gzip.GzipFile(fileobj=body) if self.ending else body
            shutil.copyfileobj(read, kept, CHUNK_BYTES)
        kept.seek(0)
        return File(kept, name)
