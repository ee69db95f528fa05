"""Metrics by their names. A class in `METRICS` is all that makes one known everywhere.

`metric` says what a metric is, `rouge` is ROUGE: `definition` to read and to test against,
`kernel` the same counts for many rows at once.
"""

from collections.abc import Iterator, Sequence

from scoring.metrics.chrf import Chrf
from scoring.metrics.length import Length
from scoring.metrics.metric import Counting, Metric
from scoring.metrics.rouge import Rouge

METRICS: tuple[type[Metric], ...] = (Rouge, Chrf, Length)
NAMES = tuple(name for kind in METRICS for name in kind.names)
# What a contest may choose to see beside the total.
BESIDE = tuple(name for kind in METRICS if not issubclass(kind, Counting) for name in kind.names)


def parse(name: str) -> Metric:
    """The metric of that name. ValueError where there is none.

    >>> parse("rouge1.recall").label
    'ROUGE-1'
    """
    found = (metric for kind in METRICS if (metric := kind.parse(name)) is not None)
    if (metric := next(found, None)) is None:
        raise ValueError(f"unknown metric {name!r}; choose from {', '.join(NAMES)}")
    return metric


def by_class(metrics: Sequence[Metric]) -> Iterator[tuple[type[Metric], list[Metric], list[int]]]:
    """The metrics of each class, and their places."""
    for kind in METRICS:
        places = [place for place, metric in enumerate(metrics) if type(metric) is kind]
        if places:
            yield kind, [metrics[place] for place in places], places
