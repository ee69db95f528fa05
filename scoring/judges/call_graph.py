"""The words in which pipelines are described."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.judges.schemas import SCHEMAS, TEXT


@dataclass(frozen=True)
class Call:
    """One call of a pipeline.

    inputs: key of the material -> name of a value: given, `<call>.<field>` of an earlier answer, or
    derived (`derived`). It is skipped if any value of `skip_if` is there, or all of `skip_if_empty`
    are empty. numbered: the list whose ids are replaced by our own (prefix and position). The id
    `P2/3` is the third asking of `P2`; see `majority`.
    """

    id: str
    prompt: str
    schema: str
    inputs: Mapping[str, str]
    after: tuple[str, ...] = ()
    skip_if: tuple[str, ...] = ()
    skip_if_empty: tuple[str, ...] = ()
    numbered: tuple[str, str] | None = None

    @property
    def skipped(self) -> Mapping[str, object]:
        """The empty answer, which stands for one that was not asked for."""
        fields = SCHEMAS[self.schema].body["properties"]
        return {name: "" if form == TEXT else [] for name, form in fields.items()}

    @property
    def kind(self) -> str:
        """The id without the number of the asking."""
        return self.id.partition("/")[0]

    @property
    def sample(self) -> int:
        """Which asking it is, from 0."""
        return int(self.id.partition("/")[2] or 1) - 1


def calls(text: str) -> tuple[Call, ...]:
    """The calls of a pipeline in words, one a line: `<id> <prompt>: <inputs>, <more>, …`.

    An input is `summary` or `key=name`. More is the name of a field of `Call` with its values.

    >>> [verify] = calls("P2 verify: dialogue claims=P1.claims, after P1")
    >>> verify.inputs, verify.after
    ({'dialogue': 'dialogue', 'claims': 'P1.claims'}, ('P1',))
    """
    return tuple(_call(line) for line in text.splitlines() if line.strip())


def _call(line: str) -> Call:
    head, _, rest = line.partition(":")
    (call_id, prompt), (sees, *clauses) = head.split(), rest.split(",")
    words = (word.partition("=") for word in sees.split())
    inputs = {key: name or key for key, _, name in words}
    more: dict[str, Any] = {name: tuple(values) for name, *values in map(str.split, clauses)}
    return Call(call_id, prompt, _schema(prompt), inputs, **more)


def _schema(prompt: str) -> str:
    """Named as the prompt; else as its last word, where several systems ask for the same."""
    kind = prompt.rpartition("_")[2]
    return next(name for name in (prompt, f"texts_{kind}", kind) if name in SCHEMAS)


def family_of(name: str) -> str:
    """The family in a pipeline's name: `shared` of `shared:3`."""
    return name.partition(":")[0]


@dataclass(frozen=True)
class Pipeline:
    """Calls in an order that respects `after`; `systems` can be scored from its answers."""

    name: str
    calls: tuple[Call, ...]
    systems: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """`shared`, `faithful` or `artefacts`."""
        return family_of(self.name)

    def ready(self, over: frozenset[str]) -> tuple[Call, ...]:
        """Calls that can be made now, given the ids of those that are over."""
        return tuple(
            call for call in self.calls if call.id not in over and over.issuperset(call.after)
        )
