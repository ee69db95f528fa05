"""Celery's queue in a folder: by renames, so that nobody reads what a killed writer left."""

import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import virtual
from kombu.utils.json import dumps, loads


class FolderChannel(virtual.Channel):
    """One message is one file, `<nanoseconds>_<uuid>.<queue>.msg`, taken in order of its name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.folder = Path(self.connection.client.transport_options["folder"])
        self._make_folder()

    def _make_folder(self) -> None:
        try:
            (self.folder / "taken").mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ChannelError(f"Cannot make {self.folder}: {error}") from error

    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:
        if not self.folder.exists():  # somebody emptied the data folder under a running server
            self._make_folder()
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        (self.folder / f".{name}").write_text(dumps(message))
        os.replace(self.folder / f".{name}", self.folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for waiting in self._waiting(queue):
            try:
                taken = waiting.rename(self.folder / "taken" / waiting.name)
                message = loads(taken.read_bytes())
                taken.unlink()
            except (OSError, ValueError):
                continue  # another worker was faster, or a power cut emptied the file
            return message
        raise Empty

    def _purge(self, queue: str) -> int:
        waiting = self._waiting(queue)
        for message in waiting:
            message.unlink(missing_ok=True)
        return len(waiting)

    def _waiting(self, queue: str) -> list[Path]:
        """The messages, oldest first; none while there is no folder."""
        return sorted(self.folder.glob(f"[0-9]*.{queue}.msg"))


class FolderTransport(virtual.Transport):
    """What `folder://localhost` stands for (see leaderboard/celery.py)."""

    Channel = FolderChannel
