"""What a metric is. To add one: a class here, and its line in `scoring.metrics`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from scoring.messages import Language, _, say
from scoring.metrics.definition import Measure, Overlap, ReferenceAggregation
from scoring.metrics.kernel import Floats, NumberedTokens, Vocabulary


class RowReferences(NamedTuple):
    """The references of a few hundred rows: texts and tokens, each a list per row.

    vocabulary: numbers for the tokens of the whole set; a metric adds those that it wants to find.
    """

    texts: Sequence[Sequence[str]]
    tokens: Sequence[Sequence[Sequence[str]]]
    vocabulary: Vocabulary


class RowPredictions(NamedTuple):
    """One prediction for each of these rows: texts, and the numbers of their tokens."""

    texts: Sequence[str]
    tokens: NumberedTokens


class PlainRow(NamedTuple):
    """A prediction and then its references, as texts and as tokens, for `Metric.recompute`."""

    texts: Sequence[str]
    tokens: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Metric(ABC):
    """A number per row, known by its name: `rouge1`, `rouge1.recall`.

    All metrics of one class that a profile names are prepared and scored together, so that they
    share what they have in common; the class methods are given them as `chosen`.

    key: of the class's part in a signature. names: their shortest forms, for people. by_split: a
    split's number is the mean over its rows; otherwise every split has that of the whole file.
    """

    name: str

    key: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    by_split: ClassVar[bool] = True

    @classmethod
    def parse(cls, name: str) -> Self | None:
        """The metric of that name; None if it is of another class, else ValueError if unknown."""
        return cls(name) if name in cls.names else None

    @property
    @abstractmethod
    def label(self) -> str:
        """What people read, as the catalogue finds it: `ROUGE-1`."""

    def heading(self, language: Language, constant: int | None = None) -> str:
        """The label with its constant, in one language."""
        label = say(language, self.label)
        if constant is None:
            return label
        return say(language, _("{label} (references {constant})"), label=label, constant=constant)

    @abstractmethod
    def formula(self, reference: str) -> str:
        """What is printed of it, for a prediction p: `F1[ROUGE-1](p, g)`."""

    @classmethod
    def constant(cls, prepared: Sequence[Any]) -> int | None:
        """The one number of the references that is printed beside it, of all prepared rows."""
        return None

    @classmethod
    @abstractmethod
    def signature(cls, chosen: Sequence[Self]) -> str:
        """What stands behind `key`; changes whenever a number can."""

    @classmethod
    @abstractmethod
    def prepare(cls, chosen: Sequence[Self], references: RowReferences) -> Any:
        """Whatever makes scoring many files against these rows fast."""

    @classmethod
    @abstractmethod
    def score(
        cls,
        chosen: Sequence[Self],
        prepared: Any,
        predictions: RowPredictions,
        aggregation: ReferenceAggregation,
    ) -> Floats:
        """Rows x chosen, fractions 0..1."""

    @classmethod
    @abstractmethod
    def recompute(
        cls, chosen: Sequence[Self], aggregation: ReferenceAggregation
    ) -> Callable[[PlainRow], Sequence[float]]:
        """The same for one row, by a package that is not ours or in plain arithmetic.

        Raises PackageMissing where the package is not installed.
        """


@dataclass(frozen=True)
class Counting(Metric):
    """A metric of the total: precision, recall or F1 of what a prediction shares with a reference.

    Only these have terms in the formula and counts in a worked example.
    """

    @property
    @abstractmethod
    def measure(self) -> Measure:
        """Which of the three counts."""

    @abstractmethod
    def worked(self, prediction: Sequence[str], reference: Sequence[str]) -> Overlap:
        """One reference by hand: the counts from which precision, recall and F1 follow."""


class PackageMissing(RuntimeError):
    """A package to compare with is not installed; the message says how to get it."""
