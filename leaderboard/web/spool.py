"""Where files too large for memory wait while they come in: a folder of its own, with a budget.

A file there has no name, so the kernel removes it with the process that wrote it, however that
ended. The budget of a host is a number of slots, each a file that is locked while a request uses
it; the kernel opens those locks again as well. Nothing has to be swept.
"""

import fcntl
import math
import tempfile
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest

SLOT_BYTES = 20_000_000
SLOTS = 50  # 1 GB in all: five organizers' files of the largest size at once


class SpoolFull(Exception):
    """Other requests' files take the whole budget at the moment."""


class Spool(FileUploadHandler):
    """Write the files of one request to the disk, within the budget of all requests of the host.

    Stands behind `MemoryFileUploadHandler`, which takes the small ones. Call `release` when the
    request is over.
    """

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self.slots: list[IO[bytes]] = []
        self.files: list[IO[bytes]] = []

    def handle_raw_input(
        self, input_data: Any, meta: Any, content_length: int, *boundary_and_encoding: Any
    ) -> None:
        """Take slots for the whole body before a byte of it is read. Raises SpoolFull."""
        if content_length > settings.FILE_UPLOAD_MAX_MEMORY_SIZE:
            self.slots = take_slots(content_length)

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        file = tempfile.TemporaryFile(dir=folder())  # noqa: SIM115 - `release` closes it
        self.files.append(file)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.files[-1].write(raw_data)

    def file_complete(self, file_size: int) -> UploadedFile[Any]:
        file = self.files[-1]
        file.seek(0)  # writes what is still buffered, too
        return UploadedFile(file, self.file_name, self.content_type, file_size, self.charset)

    def release(self) -> None:
        """Give files and slots back. Safe to call again."""
        for file in (*self.files, *self.slots):
            file.close()


def folder() -> Path:
    """The folder of this host's slots and files, readable by its owner only."""
    found = Path(settings.DATA_DIR) / "spool"
    found.mkdir(mode=0o700, exist_ok=True)
    return found


def take_slots(size: int) -> list[IO[bytes]]:
    """Locked slots for so many bytes; closing them gives them back. Raises SpoolFull."""
    needed = math.ceil(size / SLOT_BYTES)
    taken: list[IO[bytes]] = []
    for number in range(SLOTS):
        if len(taken) == needed:
            break
        slot: IO[bytes] = (folder() / f"slot-{number}").open("ab")
        try:
            fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            slot.close()
        else:
            taken.append(slot)
    if len(taken) < needed:
        for slot in taken:
            slot.close()
        raise SpoolFull
    return taken
