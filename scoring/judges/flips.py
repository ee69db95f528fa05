"""How steady a judge is: how often a verdict turns when the same is asked again.

An item flips when its samples are not all equal; the disagreement is the mean share of samples
that differ from their item's majority.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# A judge may leave "experimental" only below this; above it, single answers are not to be trusted.
MOST = 0.05


@dataclass(frozen=True)
class Flips:
    """Of so many `items`, how many turned. `disagreement`: 0..1, None without any item."""

    items: int
    flipped: int
    disagreement: float | None

    @property
    def rate(self) -> float | None:
        """Flipped items as a share of all, None without any."""
        return self.flipped / self.items if self.items else None

    @property
    def is_steady(self) -> bool:
        """Whether something was measured and at most `MOST` of it turned."""
        return self.rate is not None and self.rate <= MOST


def majority(samples: Sequence[bool]) -> bool:
    """What most samples say; a tie goes to the first, which is the answer that counted.

    >>> majority([True, False, False]), majority([True, False])
    (False, True)
    """
    yes = 2 * sum(samples)
    return samples[0] if yes == len(samples) else yes > len(samples)


def among(items: Iterable[Sequence[bool]]) -> Flips:
    """The samples of each item among themselves. Items with fewer than two are left out.

    >>> among([[True, True, True], [True, False, True], [False]])
    Flips(items=2, flipped=1, disagreement=0.16666666666666666)
    """
    several = [samples for samples in items if len(samples) > 1]
    shares = [
        sum(sample != majority(samples) for sample in samples) / len(samples) for samples in several
    ]
    return Flips(len(several), sum(share > 0 for share in shares), _mean(shares))


def against(items: Iterable[tuple[Sequence[bool], bool]]) -> Flips:
    """One more answer to each item, such as one of another order, against the majority before it.

    >>> against([([True, False, True], False), ([True], True)])
    Flips(items=2, flipped=1, disagreement=0.5)
    """
    turned = [majority(samples) != again for samples, again in items]
    return Flips(len(turned), sum(turned), _mean(turned))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
