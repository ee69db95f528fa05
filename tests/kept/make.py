"""A backup of an installation as it is at the end of an issue, kept for all later code to restore.

    python -m tests.kept.make NAME    # tests/kept/NAME.tar.xz: the demo, a sweep with an alarm

The archive holds the backup and what the boards said (`boards`).
"""

import io
import json
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.stack import Stack

FOLDER = Path(__file__).parent
BACKUPS, BOARDS = "backups", "boards.json"


def make(name: str) -> Path:
    """The archive, made by the code that is here."""
    packed = FOLDER / f"{name}.tar.xz"
    stack = Stack(only=(), env={"ALARM_DISK_MB": str(10**9)})
    with tempfile.TemporaryDirectory() as folder:
        try:
            stack.manage("migrate", "-v0")
            stack.manage("seed_demo")
            stack.manage("sweeper", "--once")
            stack.manage("backup", folder)
            (manifest,) = Path(folder).glob("*/manifest.json")
            at = json.loads(manifest.read_text())["made_at"]
            said = json.dumps(stack.drive("kept.boards", at), ensure_ascii=False).encode()
        finally:
            stack.close()
        with tarfile.open(packed, "w:xz") as archive:
            archive.add(folder, BACKUPS)
            line = tarfile.TarInfo(BOARDS)
            line.size = len(said)
            archive.addfile(line, io.BytesIO(said))
    return packed


if __name__ == "__main__":
    print(make(sys.argv[1]))
