"""A message broker in a folder: the embedded default, with nothing to install.

kombu brings a filesystem transport, but it creates a message file first and writes it afterwards:
a reader may take it empty, and the worker dies of the decoding error (measured: 25 of 6,000).
Here a message appears whole (written beside, then renamed) and is taken by a rename, which
exactly one reader wins.
"""

import os
import time
import uuid
from functools import partial
from pathlib import Path
from queue import Empty
from typing import Any

import structlog
from kombu.exceptions import ChannelError
from kombu.transport import virtual
from kombu.utils.json import dumps

from leaderboard.worker import messages

log = structlog.get_logger(__name__)

# Both lie inside the queue's folder: a rename to another filesystem would be a copy, and a copy
# can be read half done.
TAKEN, BROKEN = "taken", "broken"

_private = partial(os.open, mode=0o600)  # an opener


class FolderChannel(virtual.Channel):
    """One message is one file, `<nanoseconds>_<uuid>.<queue>.msg`, taken in order of its name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.folder = Path(self.connection.client.transport_options["folder"])
        self.readable = True
        self._make_folders()

    def _make_folders(self) -> None:
        try:
            for folder in (self.folder, self.folder / TAKEN, self.folder / BROKEN):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ChannelError(f"Cannot make the queue's folder {self.folder}: {error}") from error

    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        beside = self.folder / f".{name}"
        self._make_folders()  # also when somebody emptied the data folder under a running server
        try:
            with open(beside, "xb", opener=_private) as file:
                file.write(dumps(message).encode())
            os.replace(beside, self.folder / name)
        except OSError as error:
            raise ChannelError(f"Cannot put a message into {self.folder}: {error}") from error

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for name in self._names(queue):
            taken = self.folder / TAKEN / name
            try:
                os.rename(self.folder / name, taken)
            except OSError:
                continue  # another worker was faster
            try:
                payload = _read(taken)
            except (messages.NotOurs, OSError) as error:
                _put_aside(taken, self.folder / BROKEN / name, error)
                continue
            taken.unlink(missing_ok=True)
            return payload
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._names(queue))

    def _purge(self, queue: str) -> int:
        names = self._names(queue)
        for name in names:
            (self.folder / name).unlink(missing_ok=True)
        return len(names)

    def _names(self, queue: str) -> list[str]:
        """The waiting messages of `queue`, oldest first; half-written ones begin with a dot.

        A folder that cannot be read holds none: an error here would end the worker, which would
        then miss the moment when the folder can be read again.
        """
        try:
            names = os.listdir(self.folder)
        except OSError as error:
            if self.readable:
                log.error("queue.unreadable", folder=str(self.folder), error=type(error).__name__)
            self.readable = False
            return []
        self.readable = True
        ending = f"{queue}.msg"
        return sorted(name for name in names if name.partition(".")[2] == ending)


class FolderTransport(virtual.Transport):
    """What `folder://localhost` stands for (see leaderboard/celery.py)."""

    Channel = FolderChannel
    driver_type = "folder"
    driver_name = "folder"
    # Exchanges and bindings are declared once a process, whatever connection declared them.
    broker_state = virtual.BrokerState()

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        self.state = self.broker_state

    def driver_version(self) -> str:
        return "N/A"


def _read(file: Path) -> dict[str, Any]:
    """The message in `file`; of a far too large one no more than shows that. Raises NotOurs."""
    with file.open("rb") as opened:
        return messages.read(opened.read(messages.LARGEST_BYTES + 1))


def _put_aside(taken: Path, broken: Path, error: Exception) -> None:
    """Keep an unreadable message for an operator: a raise here would end the whole worker."""
    log.error("queue.broken_message", file=broken.name, why=str(error))
    try:
        os.rename(taken, broken)
    except OSError:
        log.exception("queue.cannot_put_aside", file=taken.name)
