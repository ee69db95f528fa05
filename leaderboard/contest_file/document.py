"""Writing and reading `contest.yaml`.

Written so that equal contests give equal bytes on every machine: one dumper, keys in the order of
the layout. Read as hostile text: no tags, no anchors, no repeated keys, bounded size and depth; of
YAML's many kinds of plain words only null, true, false and whole numbers, everything else is text.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

MAX_BYTES = 64_000_000
MAX_VALUES = 4_000_000  # values, names, beginnings and ends
MAX_DEPTH = 8

# libyaml is faster; wheels have it, a build from source may not.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,18})")
_WORDS = {"null": None, "~": None, "": None, "true": True, "false": False}
_BREAKS = re.compile("[\x85\u2028\u2029]")

Key = str | int
Path = tuple[Key, ...]


@dataclass(frozen=True)
class Document:
    """What the text says, and the line on which each value begins."""

    data: Any
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int | None:
        """The line of a value, or of the nearest thing around it."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return None


class NotReadable(Exception):
    """The text is no YAML, or more than this reader takes."""

    def __init__(
        self, ko: str, en: str, line: int | None = None, *, too_large: bool = False
    ) -> None:
        super().__init__(en)
        self.message_ko = ko
        self.message_en = en
        self.line = line
        self.too_large = too_large


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


def load(data: bytes, *, max_values: int = MAX_VALUES) -> Document:
    """Read what `dump` wrote, or a person. Raises NotReadable."""
    if len(data) > MAX_BYTES:
        raise NotReadable("파일이 너무 큽니다.", "The file is too large.")
    try:
        text = data.decode("utf-8")
        return _Builder(max_values).build(yaml.parse(text, Loader=_Loader))
    except UnicodeDecodeError:
        raise NotReadable("UTF-8이 아닙니다.", "The text is not UTF-8.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise NotReadable("YAML이 아닙니다.", f"Not YAML: {error.problem}.", line) from None
    except yaml.YAMLError:
        raise NotReadable("YAML이 아닙니다.", "Not YAML: unreadable characters.") from None


@dataclass
class _Open:
    """A mapping or list that is being read."""

    value: dict[str, Any] | list[Any]
    key: str | None = None


@dataclass
class _Builder:
    """Turns the parser's events into plain values; nothing in the text can ask for more."""

    max_values: int
    lines: dict[Path, int] = field(default_factory=dict)
    _open: list[_Open] = field(default_factory=list)
    _path: list[Key] = field(default_factory=list)
    _root: list[Any] = field(default_factory=list)

    def build(self, events: Iterator[Any]) -> Document:
        for number, event in enumerate(events):
            if number > self.max_values:
                raise NotReadable(
                    f"값이 {self.max_values:,}개보다 많습니다.",
                    f"There are too many values: more than {self.max_values:,}.",
                    event.start_mark.line + 1,
                    too_large=True,
                )
            self._take(event)
        if len(self._root) != 1:
            raise NotReadable("YAML 문서 하나가 필요합니다.", "One YAML document is needed.")
        return Document(self._root[0], self.lines)

    def _take(self, event: Any) -> None:
        match event:
            case yaml.AliasEvent():
                raise self._no(event, "별칭(*)은 쓸 수 없습니다.", "Aliases (*) are not taken.")
            case yaml.NodeEvent() if event.anchor or getattr(event, "tag", None):
                raise self._no(
                    event,
                    "앵커(&)와 태그(!)는 쓸 수 없습니다.",
                    "Anchors (&), tags (!): not taken.",
                )
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.MappingStartEvent():
                self._begin(event, {})
            case yaml.SequenceStartEvent():
                self._begin(event, [])
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._end()
            case _:
                pass  # where documents and the stream begin and end

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        around = self._open[-1] if self._open else None
        if around and isinstance(around.value, dict) and around.key is None:
            if event.value in around.value:
                name = event.value[:60]
                raise self._no(event, f"{name!r}: 두 번 있습니다.", f"{name!r} is there twice.")
            around.key = event.value
            return
        self._enter(event)
        plain = event.implicit[0]
        value: Any = event.value
        if plain and value in _WORDS:
            value = _WORDS[value]
        elif plain and _WHOLE.fullmatch(value):
            value = int(value)
        self._leave(value)

    def _begin(self, event: Any, value: dict[str, Any] | list[Any]) -> None:
        around = self._open[-1] if self._open else None
        if around and isinstance(around.value, dict) and around.key is None:
            raise self._no(event, "이름은 글이어야 합니다.", "A key must be text.")
        if len(self._open) >= MAX_DEPTH:
            raise self._no(event, "너무 깊습니다.", "Nested too deeply.")
        self._enter(event)
        self._open.append(_Open(value))

    def _end(self) -> None:
        self._leave(self._open.pop().value)

    def _enter(self, event: Any) -> None:
        if self._open:
            around = self._open[-1]
            here = len(around.value) if isinstance(around.value, list) else around.key
            assert here is not None
            self._path.append(here)
        self.lines[tuple(self._path)] = event.start_mark.line + 1

    def _leave(self, value: Any) -> None:
        if not self._open:
            self._root.append(value)
            return
        around = self._open[-1]
        if isinstance(around.value, list):
            around.value.append(value)
        else:
            assert around.key is not None
            around.value[around.key] = value
            around.key = None
        self._path.pop()

    def _no(self, event: Any, ko: str, en: str) -> NotReadable:
        return NotReadable(ko, en, event.start_mark.line + 1)
