"""`contest.yaml` and the ZIP around it: written, and read as something hostile.

Equal contests give equal bytes on every machine: one dumper, keys in the order of the layout, a ZIP
that compresses nothing. Of YAML are taken no tags, no anchors, no repeated keys, bounded size and
depth; of its many kinds of plain words only null, true, false and whole numbers, everything else is
text. A compressed file never grows past its limit, and nothing is unpacked to the disk.
"""

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, NamedTuple

import yaml
from django.utils.translation import gettext as _

from leaderboard.contest_file.export import Package
from leaderboard.contest_file.layout import DOCUMENT
from scoring.messages import size

MAX_BYTES = 64_000_000
MAX_VALUES = 4_000_000  # values, names, beginnings and ends
MAX_DEPTH = 8

# libyaml is faster; wheels have it, a build from source may not.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,18})")
_WORDS = {"null": None, "~": None, "": None, "true": True, "false": False}
_BREAKS = re.compile("[\x85\u2028\u2029]")
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a ZIP can say: equal contests, equal bytes
ENTRY = b"PK\x01\x02"  # with which each file's line in the directory of a ZIP begins
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Wrong(ValueError):
    """Something in a file that cannot be taken, said in the language of who reads it."""


class _Dumper(yaml.SafeDumper):
    """Every value written out in full, in the same way everywhere."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # In a block or between single quotes a reader turns these line breaks into others.
    style = '"' if _BREAKS.search(text) else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def dump(data: Mapping[str, Any]) -> bytes:
    """The document as UTF-8, keys in the order they have."""
    text: str = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**31, line_break="\n"
    )
    return text.encode("utf-8")


def load(data: bytes, *, max_values: int = MAX_VALUES) -> Any:
    """Read what `dump` wrote, or a person. Raises Wrong."""
    try:
        events = _counted(yaml.parse(data.decode("utf-8"), Loader=_Loader), max_values)
        found = [_value(one, events, 0) for one in events if isinstance(one, yaml.NodeEvent)]
    except UnicodeDecodeError:
        raise Wrong(_("The text is not UTF-8.")) from None
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise Wrong(_("Not YAML: {problem}.").format(problem=problem)) from None
    if len(found) != 1:
        raise Wrong(_("One YAML document is needed."))
    return found[0]


def _counted(events: Iterable[Any], max_values: int) -> Iterator[Any]:
    for number, event in enumerate(events):
        if number > max_values:
            text = _("There are too many values: more than {max_values:,}.")
            raise Wrong(text.format(max_values=max_values))
        yield event


def _value(event: Any, events: Iterator[Any], depth: int) -> Any:
    """The value that begins with `event`; nothing in the text can ask for more than plain ones."""
    if event.anchor or getattr(event, "tag", None):
        text = _("Line {line}: aliases (*), anchors (&) and tags (!) are not allowed.")
        raise Wrong(text.format(line=event.start_mark.line + 1))
    if isinstance(event, yaml.ScalarEvent):
        word: str = event.value
        if event.implicit[0] and word in _WORDS:
            return _WORDS[word]
        return int(word) if event.implicit[0] and _WHOLE.fullmatch(word) else word
    if depth >= MAX_DEPTH:
        raise Wrong(_("Nested too deeply."))
    if isinstance(event, yaml.SequenceStartEvent):
        listed: list[Any] = []
        while not isinstance(inner := next(events), yaml.SequenceEndEvent):
            listed.append(_value(inner, events, depth + 1))
        return listed
    named: dict[str, Any] = {}
    while not isinstance(inner := next(events), yaml.MappingEndEvent):
        key = _value(inner, events, depth + 1)
        if not isinstance(key, str):
            raise Wrong(_("A key must be text."))
        if key in named:
            raise Wrong(_("{name!r} appears twice.").format(name=key[:60]))
        named[key] = _value(next(events), events, depth + 1)
    return named


# --- The ZIP -------------------------------------------------------------------------------------


class Bounds(NamedTuple):
    """The most that a package may hold: bytes and values of its document, its files, their bytes
    unpacked."""

    document: int
    values: int
    entries: int
    total: int


# Time and memory of whoever has the machine; about a hundred thousand submissions.
COMMAND_LINE = Bounds(MAX_BYTES, MAX_VALUES, entries=150_000, total=4_000_000_000)
# Within one request, beside all others; about five thousand submissions.
WEB = Bounds(document=2_000_000, values=250_000, entries=10_000, total=200_000_000)


def write_zip(packed: Package, out: IO[bytes]) -> int:
    """As a ZIP. Stored, not compressed: a compressor's bytes differ from machine to machine."""
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(entry(DOCUMENT), dump(packed.document))
        for path, read in sorted(packed.files.items()):
            archive.writestr(entry(path), read())
    return len(packed.files) + 1


def entry(path: str, compressed: int = zipfile.ZIP_STORED) -> zipfile.ZipInfo:
    """A file's place in a ZIP of ours: for its owner's eyes, and of no day."""
    made = zipfile.ZipInfo(path, EPOCH)
    made.compress_type = compressed
    made.create_system = 3  # Unix, wherever this runs: it gives the next line its meaning
    made.external_attr = 0o600 << 16
    return made


class Archive:
    """A ZIP that somebody sent."""

    def __init__(self, file: IO[bytes], bounds: Bounds = COMMAND_LINE) -> None:
        self.bounds = bounds
        # Read at once, the directory of a ZIP grows thirtyfold in memory.
        if bounds is not COMMAND_LINE and file.read().count(ENTRY) > bounds.entries:
            raise Wrong(_("The file is too large when unpacked."))
        try:
            self.zip = zipfile.ZipFile(file)
            entries = [entry for entry in self.zip.infolist() if not entry.is_dir()]
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            raise Wrong(_("This is not a ZIP file.")) from None
        total = sum(one.file_size for one in entries)
        if len(entries) > bounds.entries or total > bounds.total:
            raise Wrong(_("The file is too large when unpacked."))
        self.entries = {entry.filename: entry for entry in entries}

    def read(self, path: str, *, at_most: int) -> bytes:
        """The bytes of one file. Raises Wrong."""
        entry = self.entries.get(path)
        if entry is None:
            raise Wrong(_("The file is missing."))
        if entry.flag_bits & 0x1 or entry.compress_type not in METHODS:
            raise Wrong(_("The file is encrypted, or compressed in an unsupported way."))
        try:
            with self.zip.open(entry) as opened:
                data = opened.read(at_most + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError):
            raise Wrong(_("The ZIP file is damaged here.")) from None
        if len(data) > at_most:
            text = _("The file is too large; the limit is {size}.")
            raise Wrong(text.format(size=size(at_most)))
        return data
