"""`python -m benchmarks.backup`: a thousand files backed up under load and restored elsewhere.

On the laptop's stack, then on PostgreSQL, Redis and a store that speaks S3; then a copy of each
board, ten files scored anew and fifty downloaded are compared. `--files 20` makes it small.
"""

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

from benchmarks.rush import STACKS
from tests.drill import Drill, drill

ROWS = 499
GOAL_SECONDS = 600


def told(done: Drill) -> list[str]:
    """What the commands said, without the folder of this machine, and what was compared."""
    first, *_ = done.backup.out.splitlines()
    again, *_ = done.again.out.splitlines()
    return [
        f"  under load     {done.backup.seconds:6.1f} s  {_said(first)}",
        f"  again          {done.again.seconds:6.1f} s  {_said(again)}",
        f"  restore        {done.restore.seconds:6.1f} s",
        f"  meanwhile      {len(done.uploads)} files handed in, {set(done.uploads)}",
        f"  afterwards     boards equal: {done.boards_equal}, {done.rescored} score the same, "
        f"{done.downloaded} downloads equal, {done.audit['without_file']} rows without a file",
    ]


def _said(line: str) -> str:
    found = re.search(r"\(\d.*", line)
    return found[0] if found else line


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.backup")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--stack", choices=STACKS, action="append")
    options = parser.parse_args()
    met = {}
    for kind in map(STACKS.__getitem__, options.stack or STACKS):
        rescore, download = min(10, options.files), min(50, options.files)
        with tempfile.TemporaryDirectory() as folder:
            done = drill(
                kind,
                Path(folder) / "backups",
                files=options.files,
                rows=ROWS,
                rescore=rescore,
                download=download,
            )
        print(f"{'-'.join(kind)}, {options.files} files of {ROWS} rows")
        print("\n".join(told(done)))
        whole = (done.rescored, done.downloaded, done.audit["without_file"])
        codes = {done.backup.code, done.again.code, done.restore.code}
        seconds = done.backup.seconds + done.restore.seconds
        met["-".join(kind)] = (
            codes == {0}
            and done.boards_equal
            and whole == (rescore, download, 0)
            and set(done.uploads) == {302}
            and seconds <= GOAL_SECONDS
        )
    print(json.dumps({"goal_seconds": GOAL_SECONDS, **met}))
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
