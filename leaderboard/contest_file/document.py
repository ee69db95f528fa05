"""Writing and reading `contest.yaml`.

Written so that equal contests give equal bytes on every machine: one dumper, keys in the order of
the layout. Read as hostile text: no tags, no anchors, no repeated keys, bounded size and depth; of
YAML's many kinds of plain words only null, true, false and whole numbers, everything else is text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.texts import say

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


class Wrong(ValueError):
    """Something in a file that cannot be taken: a text of the catalogue with places for `values`.

    `line`: of the document. `too_large`: a larger file is taken elsewhere.
    """

    def __init__(
        self,
        text: Promise | str,
        line: int | None = None,
        *,
        too_large: bool = False,
        **values: object,
    ) -> None:
        super().__init__(say(text, "en", **values))
        self.text, self.values = text, values
        self.line, self.too_large = line, too_large

    def message(self, language: str) -> str:
        """The sentence in `ko` or `en`."""
        return say(self.text, language, **self.values)


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
    """Read what `dump` wrote, or a person. Raises Wrong."""
    lines: dict[Path, int] = {}
    try:
        events = _counted(yaml.parse(data.decode("utf-8"), Loader=_Loader), max_values)
        found = [
            _value(event, events, (), lines)
            for event in events
            if isinstance(event, yaml.NodeEvent)
        ]
    except UnicodeDecodeError:
        raise Wrong(_("The text is not UTF-8.")) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise Wrong(_("Not YAML: {problem}."), line, problem=error.problem) from None
    except yaml.YAMLError:
        raise Wrong(_("Not YAML: unreadable characters.")) from None
    if len(found) != 1:
        raise Wrong(_("One YAML document is needed."))
    return Document(found[0], lines)


def _counted(events: Iterable[Any], max_values: int) -> Iterator[Any]:
    for number, event in enumerate(events):
        if number > max_values:
            raise Wrong(
                _("There are too many values: more than {max_values:,}."),
                _line(event),
                max_values=max_values,
                too_large=True,
            )
        yield event


def _value(event: Any, events: Iterator[Any], path: Path, lines: dict[Path, int]) -> Any:
    """The value that begins with `event`; nothing in the text can ask for more than plain ones."""
    _refuse_marks(event)
    lines[path] = _line(event)
    if isinstance(event, yaml.ScalarEvent):
        return _scalar(event)
    if len(path) >= MAX_DEPTH:
        raise Wrong(_("Nested too deeply."), _line(event))
    if isinstance(event, yaml.SequenceStartEvent):
        listed: list[Any] = []
        while not isinstance(inner := next(events), yaml.SequenceEndEvent):
            listed.append(_value(inner, events, (*path, len(listed)), lines))
        return listed
    named: dict[str, Any] = {}
    while not isinstance(inner := next(events), yaml.MappingEndEvent):
        key = _key(inner, named)
        named[key] = _value(next(events), events, (*path, key), lines)
    return named


def _key(event: Any, known: Mapping[str, Any]) -> str:
    _refuse_marks(event)
    if not isinstance(event, yaml.ScalarEvent):
        raise Wrong(_("A key must be text."), _line(event))
    key: str = event.value
    if key in known:
        name = key[:60]
        raise Wrong(_("{name!r} is there twice."), _line(event), name=name)
    return key


def _scalar(event: yaml.ScalarEvent) -> Any:
    if event.implicit[0]:
        if event.value in _WORDS:
            return _WORDS[event.value]
        if _WHOLE.fullmatch(event.value):
            return int(event.value)
    return event.value


def _refuse_marks(event: Any) -> None:
    if isinstance(event, yaml.AliasEvent):
        raise Wrong(_("Aliases (*) are not taken."), _line(event))
    if event.anchor or getattr(event, "tag", None):
        raise Wrong(_("Anchors (&), tags (!): not taken."), _line(event))


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1
