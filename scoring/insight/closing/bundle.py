"""The files of a bundle and its manifest: which edition holds what, and the hash of each.

The public edition holds ranks, shake-up and hashes. The organizers' one holds the golds and every
file as well, so it can be recomputed to the last digit.
"""

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any, Literal

from scoring.insight.closing.report import render
from scoring.insight.closing.sheets import Sheet
from scoring.profile import Profile
from scoring.signature import VERSION

Edition = Literal["public", "organizers"]
SCHEMA = 12  # another one when tables, or a byte of the page, change
MANIFEST, REPORT, GOLDS = "manifest.json", "report.html", "golds.csv"
OF_MANIFEST = "manifest.sha256"  # the one file whose hash the manifest cannot hold: its own
PREDICTIONS = "predictions/"
TABLES = (
    *("decisions.csv", "entries.csv", "facts.csv", "files.csv", "gaps.csv"),
    *("scores.csv", "shakeup.csv", "standings.csv"),
)
# Of golds and hidden rows, unrounded, and of what was decided about whom: for organizers alone.
WITHHELD = (GOLDS, "scores.csv", "decisions.csv")
_PACKAGES = ("numpy", "python-mecab-ko", "python-mecab-ko-dic", "konlpy")


def sha256(data: bytes) -> str:
    """Of a file, as the manifest names it."""
    return hashlib.sha256(data).hexdigest()


def small_files(title: str, tables: Mapping[str, Sheet], golds: bytes) -> dict[str, bytes]:
    """All files but the manifest and the predictions, in the order of their names."""
    written = {name: table.written() for name, table in tables.items()}
    return dict(sorted((written | {REPORT: render(title, tables), GOLDS: golds}).items()))


def names_of(edition: Edition, predictions: Iterable[str]) -> set[str]:
    """All files that an edition holds, but for its manifest. predictions: names of files."""
    if edition == "public":
        return {*TABLES, REPORT} - set(WITHHELD)
    return {*TABLES, REPORT, GOLDS, *(f"{PREDICTIONS}{name}" for name in predictions)}


def of_edition(edition: Edition, small: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those of the small files that an edition holds."""
    hidden = WITHHELD if edition == "public" else ()
    return {name: data for name, data in small.items() if name not in hidden}


def manifest(
    edition: Edition,
    contest: Mapping[str, str],
    profile: Profile,
    signature: str,
    hashes: Mapping[str, str],
    withheld: Mapping[str, str],
) -> bytes:
    """`manifest.json`. contest: slug and title. hashes: of every other file of the edition.

    withheld: of those that only the organizers' edition holds.
    """
    described: dict[str, Any] = {
        "schema": SCHEMA,
        "edition": edition,
        "contest": dict(contest),
        "profile": profile.to_dict(),
        "signature": signature,
        "software": {
            "scoring": VERSION,
            "unicode": unicodedata.unidata_version,
            **{name: metadata.version(name) for name in _PACKAGES},
        },
        "files": dict(sorted(hashes.items())),
        "withheld": dict(sorted(withheld.items())),
    }
    return (json.dumps(described, ensure_ascii=False, indent=1) + "\n").encode()
