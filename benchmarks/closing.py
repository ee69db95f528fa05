"""What a closing report costs: `python -m benchmarks.closing TEAMS ROWS`.

The tables, the page and both bundles of generated files, from values as the server keeps them; then
both editions are verified, of which the organizers' one scores every file anew. Texts are words
drawn at random, some of them a gold's, between spaces. Printed are seconds of processor.
"""

import io
import resource
import sys
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from scoring import pipeline, predictions, references
from scoring.findings import Limits
from scoring.insight.closing.beside import COLUMNS
from scoring.insight.closing.bundle import (
    GOLDS,
    MANIFEST,
    OF_MANIFEST,
    PREDICTIONS,
    SIZES,
    Edition,
    manifest,
    of_edition,
    sha256,
    small_files,
)
from scoring.insight.closing.groups import written_sizes
from scoring.insight.closing.sheets import Sheet, StandingFile, written_files
from scoring.insight.closing.tables import tables
from scoring.insight.closing.verify import verify_bundle
from scoring.profile import Profile

SEED, WORDS, TOKENS, GOLD_COLUMNS = 20261125, 400, 10, 3
TITLE = "대화 요약"
EDITIONS: tuple[Edition, ...] = ("public", "organizers")


class Contest:
    """Golds and files of so many teams and rows."""

    def __init__(self, teams: int, rows: int) -> None:
        dice = np.random.default_rng(SEED)
        self.words = np.array([f"낱말{n}" for n in range(WORDS)])
        golds = dice.integers(WORDS, size=(GOLD_COLUMNS, rows, TOKENS))
        head = ["fname,split,summary1,summary2,summary3"]
        said = [
            ",".join([f"r{row}", ("public", "private")[row % 2], *map(self._text, golds[:, row])])
            for row in range(rows)
        ]
        gold = "\n".join([*head, *said]).encode()
        self.golds = references.read([(GOLDS, gold)], limits=Limits.unlimited())
        self.prepared = pipeline.prepare(self.golds, Profile(tokenizer="whitespace"))
        self.sent = {f"{number:05d}.csv": self._file(dice, golds) for number in range(1, teams + 1)}

    def _text(self, tokens: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> str:
        return " ".join(self.words[tokens])

    def _file(
        self, dice: np.random.Generator, golds: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    ) -> bytes:
        own = dice.integers(WORDS, size=golds.shape[1:])
        kept = dice.random(own.shape) < dice.uniform(0.2, 0.6)
        said = map(self._text, np.where(kept, golds[0], own))
        lines = (f"r{row},{text}" for row, text in enumerate(said))
        return "\n".join(["fname,summary", *lines]).encode()

    def texts_of(self, name: str) -> Mapping[str, str]:
        return predictions.read(self.sent[name], self.golds.ids, Limits.unlimited()).texts

    def small(self) -> dict[str, bytes]:
        """The tables and the page, and on the way how long they take without the scoring."""
        with timed("scores"):
            values = {
                name: pipeline.score(self.texts_of(name), self.prepared).examples
                for name in self.sent
            }
        files = [
            StandingFile(
                name=name, team=f"팀 {name}", ranked=True, public=True, private=True, entries=2,
                received_at="2026-11-20T12:00:00+00:00", sha256=sha256(data), deviation=0.2,
            )
            for name, data in self.sent.items()
        ]  # fmt: skip
        with timed("tables"):
            made = tables(files, values, self.prepared, self.texts_of, {}, Sheet(COLUMNS, ()))
        given = {
            "files.csv": written_files(files),
            "entries.csv": Sheet(("day", "files"), (("2026-11-20", f"{2 * len(files)}"),)),
            "decisions.csv": Sheet(("at", "reason"), ()),
            "columns.csv": Sheet(COLUMNS, ()),
            SIZES: written_sizes({}),
        }
        golds = self.golds.written()
        with timed("files and page"):
            return small_files(TITLE, given | made, golds)

    def packed(self, edition: Edition, small: Mapping[str, bytes]) -> io.BytesIO:
        """The bundle of an edition, as the server packs it."""
        own = of_edition(edition, small)
        if edition == "organizers":
            own |= {f"{PREDICTIONS}{name}": data for name, data in self.sent.items()}
        hashes = {name: sha256(data) for name, data in own.items()}
        said = manifest(edition, {"slug": "talk", "title": TITLE}, self.prepared.profile,
                        self.prepared.signature, hashes, {})  # fmt: skip
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            of_manifest = {MANIFEST: said, OF_MANIFEST: sha256(said).encode()}
            for name, data in (of_manifest | own).items():
                archive.writestr(name, data)
        return out


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Its seconds of processor are printed."""
    began = time.process_time()
    yield
    print(f"{name:<20}{time.process_time() - began:8.1f} s", flush=True)


def main(teams: int, rows: int) -> int:
    """Print each step; 1 if a bundle is not what it was made as."""
    contest = Contest(teams, rows)
    small = contest.small()
    failed = 0
    for edition in EDITIONS:
        whole = contest.packed(edition, small)
        with timed(f"verify {edition}"):
            failed |= bool(verify_bundle(whole).failed)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{'most memory':<20}{most:8.2f} GB")
    return failed


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
