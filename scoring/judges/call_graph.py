"""The words in which pipelines are described."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Call:
    """One call of a pipeline.

    inputs: key of the material -> name of a value: given at the start, `<call>.<field>` of an
    earlier answer, or derived from these (`derived`). after: calls that must be over,
    answered or skipped. It is skipped if any value of `skip_if` is there, or if all of
    `skip_if_empty` are empty; its answer is then `skipped`. numbered: the list of the answer whose
    ids are replaced by our own (prefix and position), so that every later id is one we issued.
    """

    id: str
    prompt: str
    schema: str
    inputs: Mapping[str, str]
    after: tuple[str, ...] = ()
    skip_if: tuple[str, ...] = ()
    skip_if_empty: tuple[str, ...] = ()
    skipped: Mapping[str, object] = field(default_factory=dict)
    numbered: tuple[str, str] | None = None


@dataclass(frozen=True)
class Pipeline:
    """Calls in an order that respects `after`; `systems` can be scored from its answers."""

    name: str
    calls: tuple[Call, ...]
    systems: tuple[str, ...] = ()

    def ready(self, over: frozenset[str]) -> tuple[Call, ...]:
        """Calls that can be made now, given the ids of those that are over."""
        return tuple(
            call for call in self.calls if call.id not in over and over.issuperset(call.after)
        )
