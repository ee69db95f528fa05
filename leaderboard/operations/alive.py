"""Files by which processes of this machine show that they live, for health checks.

Asked without Django, which costs 1.4 s of a processor to import, every 30 s of each container:

    python -IS leaderboard/operations/alive.py worker
"""

import os
import socket
import sys
import time
from pathlib import Path

FORGOTTEN_SECONDS = 86_400


def sign_of(folder: Path, which: str) -> Path:
    """`which`: sweeper, or a worker's own name before its @, which is `celery` without one."""
    name = "celery" if which == "worker" else which
    return folder / f"{name}@{socket.gethostname()}.sign"


def show(folder: Path, which: str, seconds: float) -> None:
    """Say that this process lives, and will say so again within so many seconds. Raises OSError.

    Later signs write nothing, so a full disk silences nobody.
    """
    sign = sign_of(folder, which)
    if sign.exists() and sign.read_text() == str(seconds):
        sign.touch()
        return
    for other in folder.glob("*.sign"):  # of containers that are gone
        if time.time() - other.stat().st_mtime > FORGOTTEN_SECONDS:
            other.unlink(missing_ok=True)
    beside = sign.with_suffix(f".{os.getpid()}")
    beside.touch(mode=0o600)
    beside.write_text(str(seconds))
    beside.replace(sign)


def lives(folder: Path, which: str) -> bool:
    try:
        sign = sign_of(folder, which)
        return time.time() - sign.stat().st_mtime < float(sign.read_text())
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    sys.exit(not lives(Path(os.environ.get("DATA_DIR", "var")), sys.argv[1]))
