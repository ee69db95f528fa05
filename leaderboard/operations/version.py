"""Which version of the product this process runs."""

import hashlib
from functools import cache
from pathlib import Path

from leaderboard import __version__

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("leaderboard", "scoring", "templates")
KINDS = frozenset({".py", ".html", ".js", ".css", ".mo"})


@cache
def version() -> str:
    """Such as `0.1.0+7c1b0e65`: what the package calls itself, and what its code hashes to.

    Two machines with the same code say the same, from git or from an image. A process asks when it
    starts: what is unpacked later under its feet is not what it runs.
    """
    digest = hashlib.sha256()
    files = (file for folder in FOLDERS for file in (ROOT / folder).rglob("*"))
    for file in sorted(file for file in files if file.suffix in KINDS):
        digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:8]}"
