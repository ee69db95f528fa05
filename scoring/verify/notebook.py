"""The same texts by the PyPI package `rouge`, over our tokens: why a notebook's number differs.

That package counts each distinct n-gram once, ends a sentence at every full stop and drops it, and
joins the common subsequences of the sentences. rouge-score does none of it, nor do we. See
docs/scoring.md, section 8.
"""

import math
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any, NamedTuple

from scoring.metrics.definition import aggregated
from scoring.metrics.metric import PackageMissing
from scoring.metrics.rouge import Rouge
from scoring.profile import Profile
from scoring.references import References

_MEASURES = {"f1": "f", "precision": "p", "recall": "r"}


class Notebook(NamedTuple):
    """What the package makes of one file, put together by the profile as our numbers are.

    version: the package's. metrics: means over all rows, fractions 0..1. failed: rows that it
    cannot score (nothing but full stops, or too long for its recursion), which count as 0.
    """

    version: str
    metrics: Mapping[str, float]
    total: float
    failed: tuple[str, ...]


def by_rouge_package(
    texts: Mapping[str, str], references: References, profile: Profile
) -> Notebook:
    """Score one file with the package, over the tokens that our own numbers come from.

    Raises PackageMissing.
    """
    try:
        from rouge import Rouge as Package  # needed by nothing else
    except ImportError as error:
        raise PackageMissing("notebook needs: pip install rouge") from error
    metrics = [one for one in profile.parsed_metrics if isinstance(one, Rouge)]
    scorer = Package(metrics=sorted({_theirs(metric) for metric in metrics}))
    tokenizer = profile.analyzer()
    rows, failed = [], []
    for example in references.examples:
        prediction = " ".join(tokenizer(texts[example.example_id]))
        golds = [" ".join(tokenizer(gold)) for gold in example.references]
        try:
            rows.append(_row(scorer, prediction, golds, metrics, profile))
        except (ValueError, RecursionError):
            rows.append([0.0] * len(metrics))
            failed.append(example.example_id)
    means = tuple(math.fsum(column) / len(rows) for column in zip(*rows, strict=True))
    named = dict(zip((metric.name for metric in metrics), means, strict=True))
    return Notebook(metadata.version("rouge"), named, profile.total(means), tuple(failed))


def _row(
    scorer: Any, prediction: str, golds: Sequence[str], metrics: Sequence[Rouge], profile: Profile
) -> list[float]:
    found = [scorer.get_scores(prediction, gold)[0] for gold in golds]
    values = []
    for metric in metrics:
        name, measure = _theirs(metric), _MEASURES[metric.measure]
        column = [float(scores[name][measure]) for scores in found]
        values.append(aggregated(column, profile.gold_aggregation))
    return values


def _theirs(metric: Rouge) -> str:
    """The package's name of a family: `rouge-1`, `rouge-l`."""
    return "rouge-" + metric.family.removeprefix("rouge").lower()
