"""A bundle checked: all of it recomputed, or of the public edition what it lets one recompute."""

import json
import lzma
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from itertools import zip_longest
from typing import IO, Any, NamedTuple

from scoring import pipeline, predictions, references
from scoring.findings import InvalidFile, Limits, escaped
from scoring.insight.closing.bundle import (
    GOLDS,
    MANIFEST,
    OF_MANIFEST,
    PREDICTIONS,
    REPORT,
    SCHEMA,
    WITHHELD,
    names_of,
    sha256,
)
from scoring.insight.closing.report import render
from scoring.insight.closing.sheets import Sheet, in_units, read_files
from scoring.insight.closing.tables import (
    PLACES,
    SPLIT_SEED,
    gaps,
    leaders,
    rank_ranges,
    shake_up,
    tables,
)
from scoring.messages import Spoken, _, size
from scoring.profile import Profile
from scoring.ranking import ranks
from scoring.references import SPLITS
from scoring.signature import as_signed, for_split
from scoring.table import safe
from scoring.verify import Check

# What neither edition proves; then what only golds and files would.
ALWAYS_UNCHECKED = (
    _("which file stands for a team: finals and exclusions were decided on the server"),
    _("the contest's profile, address and software, which the manifest names"),
    _("when files came, and how many a team sent"),
    _("how far a team's files differ from each other, and what organizers decided"),
)
PUBLIC_UNCHECKED = (
    _("the totals and the other metrics: references and files are not in this edition"),
    _("that the seed drew the public and private rows: the references are not in this edition"),
    _("the noise of each board: of hidden rows"),
    _("that the withheld files are those of the hashes: ask the organizers"),
)

# More than any contest makes. A bundle is read into memory whole, and its list may say any size.
MOST_BYTES = 2 << 30
MOST_OF_ONE_FILE = 256 << 20
# What a damaged archive raises, and then reading what is in it, which may be of any type.
_UNPACKING = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError)
_READING = (AttributeError, LookupError, TypeError, ValueError, ArithmeticError, RuntimeError)
TAKEN = Limits.unlimited(taken=True)
_PLAIN = re.compile(r"\w[\w.-]*")  # a name that stays in its folder, wherever it is unpacked
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FACT = re.compile(r"(public|private) (signature|rows|bands|noise|leaders)|split seed")
_SHOWN = 60  # characters of a line of the page that is another one


class NoBundle(Spoken, ValueError):
    """The file is no bundle, or one of another kind; written for people."""


class BundleVerification(NamedTuple):
    """What was compared, what differs, and what could not be checked."""

    edition: str
    checks: tuple[Check, ...]
    unchecked: tuple[str, ...]

    @property
    def failed(self) -> tuple[str, ...]:
        """Names of the checks that found a difference; empty if all is well."""
        return tuple(check.name for check in self.checks if check.different)


def verify_bundle(file: IO[bytes]) -> BundleVerification:
    """Check a bundle. Raises NoBundle."""
    try:
        files = _unpacked(zipfile.ZipFile(file))
        written, told = files.pop(MANIFEST), files.pop(OF_MANIFEST)
        manifest = json.loads(written, object_pairs_hook=_each_once)
        edition, hashes = manifest["edition"], dict(manifest["files"].items())
        if manifest["schema"] != SCHEMA or edition not in ("public", "organizers"):
            raise ValueError("another schema")
    except NoBundle:
        raise
    except (*_UNPACKING, *_READING) as error:
        raise NoBundle(
            _("This is not a bundle of a closing report ({reason})."), reason=error
        ) from None
    is_whole = told.decode(errors="replace").strip() == sha256(written)
    checks = [Check(MANIFEST, 1, () if is_whole else (OF_MANIFEST,)), _hashes(files, hashes)]
    try:
        # It holds what it should, and nothing else, whatever its manifest lists.
        right = names_of(edition, Sheet.read(files["files.csv"]).column("file"))
        checks.append(Check("files", len(right), tuple(sorted(right ^ files.keys()))))
        checks += [_standing(files), _described(files, manifest)]
        if edition == "organizers":
            checks += _everything(files, manifest)
        else:
            checks += _public(files)
        checks.append(_report(files, manifest))
    except (InvalidFile, *_READING) as error:
        checks.append(Check("readable", 1, (f"{type(error).__name__}: {error}",)))
    public = PUBLIC_UNCHECKED if edition == "public" else ()
    return BundleVerification(edition, tuple(checks), (*public, *ALWAYS_UNCHECKED))


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """One object of the manifest; readers differ in which of two values of one name counts."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("two values of one name")
    return found


def _unpacked(archive: zipfile.ZipFile) -> dict[str, bytes]:
    """All files. No more is read of one than the list says, so the list can be believed.

    A name twice is refused: readers differ in which of the two they take.
    """
    names = archive.namelist()
    if len(names) > len(set(names)):
        raise NoBundle(_("The bundle has two files with the same name."))
    sizes = [one.file_size for one in archive.infolist()]
    if sum(sizes) > MOST_BYTES or max(sizes, default=0) > MOST_OF_ONE_FILE:
        raise NoBundle(_("The bundle is too large for a closing report: {size}."),
                       size=size(sum(sizes)))  # fmt: skip
    return {name: archive.read(name) for name in names}


def _hashes(files: Mapping[str, bytes], hashes: Mapping[str, str]) -> Check:
    """Every file is the one of the manifest, and none is too many."""
    different = [name for name in sorted(files.keys() | hashes.keys())
                 if name not in files or sha256(files[name]) != hashes.get(name)]  # fmt: skip
    return Check("hashes", len(hashes), tuple(different))


def _standing(files: Mapping[str, bytes]) -> Check:
    """Files and standings name the same: each file once, each team at most once on a board."""
    standing = read_files(Sheet.read(files["files.csv"]))
    standings = Sheet.read(files["standings.csv"])
    names = ("board", "file", "team", "entries", "rank")
    lines = list(zip(*map(standings.column, names), strict=True))
    told = Counter((*line[:4], bool(line[4])) for line in lines)
    right = Counter(
        (board, one.name, safe(one.team), str(one.entries), one.ranked)
        for one in standing
        for board in SPLITS
        if one.stands_on(board)
    )
    twice = Counter(one.name for one in standing) + Counter(
        f"{board} {team}" for board, _, team, _, rank in lines if rank
    )
    wrong = [f"{board} {file}" for board, file, *_ in (told - right) + (right - told)]
    wrong += [name for name, times in twice.items() if times > 1]
    wrong += [one.name for one in standing if not _PLAIN.fullmatch(one.name)]
    return Check("files.csv", len(standing), tuple(sorted(set(wrong))))


def _described(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> Check:
    """What the manifest says beside its hashes: the signature, and hashes of what is withheld."""
    facts = Sheet.read(files["facts.csv"])
    names = facts.column("name")
    wrong = [
        name for name, times in Counter(names).items() if times > 1 or not _FACT.fullmatch(name)
    ]
    signature, of_splits = manifest["signature"], facts.pairs()
    for board in SPLITS:
        told = of_splits.get(f"{board} signature", "")
        if told not in ("", for_split(signature, board)):
            wrong.append(f"{board} signature")
    withheld = manifest["withheld"]
    hidden = set(WITHHELD) if manifest["edition"] == "public" else set()
    wrong += sorted(withheld.keys() ^ hidden)
    wrong += [name for name, told in withheld.items() if not _SHA256.fullmatch(told)]
    return Check(MANIFEST, len(names) + len(withheld), tuple(wrong))


def _everything(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> list[Check]:
    """Scored anew: the signature, each file's own hash, and every table."""
    golds = references.read([(GOLDS, files[GOLDS])], limits=TAKEN)
    profile = as_signed(Profile.from_dict(manifest["profile"]), manifest["signature"])
    prepared = pipeline.prepare(golds, profile)
    standing = read_files(Sheet.read(files["files.csv"]))
    other = [one.name for one in standing
             if sha256(files[f"{PREDICTIONS}{one.name}"]) != one.sha256]  # fmt: skip

    values = {}
    for one in standing:
        given = predictions.read(files[f"{PREDICTIONS}{one.name}"], golds.ids, TAKEN)
        values[one.name] = pipeline.score(given.texts, prepared).examples
    seed = Sheet.read(files["facts.csv"]).pairs().get(SPLIT_SEED, "")
    found = tables(standing, values, prepared, seed)
    signed = () if prepared.signature == manifest["signature"] else (prepared.signature,)
    # By cells: an earlier version quoted only those that had to be.
    same = () if Sheet.read(golds.written()) == Sheet.read(files[GOLDS]) else (GOLDS,)
    by_seed = []
    if seed:  # it draws the public and private rows that the golds have
        drawn = zip(golds.examples, references.draw_again(golds, seed).examples, strict=True)
        moved = tuple(one.example_id for one, again in drawn if one.split != again.split)
        by_seed.append(Check(SPLIT_SEED, len(golds.examples), moved))
    return [
        Check("signature", 1, signed),
        Check("golds", len(golds.examples), same),
        *by_seed,
        Check("predictions", len(standing), tuple(other)),
        *(_same(name, Sheet.read(files[name]), table) for name, table in found.items()),
    ]


def _same(name: str, given: Sheet, right: Sheet) -> Check:
    """Two tables cell by cell; places are `line column`."""
    different = [] if given.head == right.head else ["1"]
    if len(given.rows) != len(right.rows):
        different.append(f"{len(given.rows)} ≠ {len(right.rows)}")
    for line, (row, other) in enumerate(zip(given.rows, right.rows, strict=False), start=2):
        different += [
            f"{line} {column}: {cell} ≠ {wanted}"
            for column, cell, wanted in zip(right.head, row, other, strict=False)
            if cell != wanted
        ]
    return Check(name, len(right.rows) * len(right.head), tuple(different))


def _public(files: Mapping[str, bytes]) -> list[Check]:
    """What follows from printed totals and thresholds: order, ranks, their ranges, the shake-up."""
    standings = Sheet.read(files["standings.csv"])
    facts = Sheet.read(files["facts.csv"]).pairs()
    shaken, standing = Sheet.read(files["shakeup.csv"]), read_files(Sheet.read(files["files.csv"]))
    place = {name: at for at, name in enumerate(standings.head)}
    head = (*PLACES, *standings.head[len(PLACES) :])
    right: list[tuple[str, ...]] = []
    other: list[str] = []
    for board in ("public", "private"):
        rows = [row for row in standings.rows if row[place["board"]] == board]
        rows.sort(key=lambda row: -in_units(row[place["total"]]))
        totals = [in_units(row[place["total"]]) for row in rows if row[place["rank"]]]
        numbers = iter(
            zip(ranks(totals), rank_ranges(totals, facts[f"{board} noise"]), strict=True)
        )
        for row in rows:
            rank, (best, worst) = next(numbers) if row[place["rank"]] else ("", ("", ""))
            places = (row[place["team"]], board, str(rank), best, worst)
            right.append((*places, *row[len(PLACES) :]))
        if leaders(rank_ranges(totals, facts[f"{board} noise"])) != facts[f"{board} leaders"]:
            other.append(f"{board} leaders")
    return [
        _same("standings.csv", standings, Sheet(head, tuple(right))),
        _same("shakeup.csv", shaken, shake_up(standings)),
        _same("gaps.csv", Sheet.read(files["gaps.csv"]), gaps(standing, shaken, facts)),
        Check("facts.csv", 2, tuple(other)),
    ]


def _report(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> Check:
    """The page is, byte by byte, the one that the tables make."""
    known = {name: Sheet.read(data) for name, data in files.items()
             if name.endswith(".csv") and "/" not in name and name != GOLDS}  # fmt: skip
    right = render(manifest["contest"]["title"], known).decode().split("\n")
    given = files[REPORT].decode().split("\n")
    different = [
        f"{line} {_from_where_they_part(one, other)}"
        for line, (one, other) in enumerate(zip_longest(given, right), start=1)
        if one != other
    ]
    return Check(REPORT, len(right), tuple(different))


def _from_where_they_part(given: str | None, right: str | None) -> str:
    """Of two lines, of which one may be missing."""
    one, other = given or "", right or ""
    pairs = enumerate(zip_longest(one, other))
    start = next((place for place, (ours, theirs) in pairs if ours != theirs), 0)
    return f"{start + 1}: {escaped(one[start:], _SHOWN)} ≠ {escaped(other[start:], _SHOWN)}"
