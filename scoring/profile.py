"""The scoring profile: every choice a contest makes about its number.

Nothing here is hard-wired elsewhere. The formula on the page, the signature and the pipeline all
read the same frozen object, so they cannot disagree.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, Self, get_args

from scoring import metrics, tokenizers
from scoring.metrics.definition import ReferenceAggregation
from scoring.metrics.metric import Counting, Metric

MetricAggregation = Literal["sum", "mean"]
_CHOICES = {"gold_aggregation": ReferenceAggregation, "metric_aggregation": MetricAggregation}


@dataclass(frozen=True)
class Profile:
    """How a contest turns tokens into one number. Invalid settings raise ValueError.

    >>> Profile(gold_aggregation="mean").full_mark
    3.0
    """

    tokenizer: str = "mecab-ko"
    gold_aggregation: ReferenceAggregation = "max"
    metric_aggregation: MetricAggregation = "sum"
    scale: int = 1
    metrics: tuple[str, ...] = ("rouge1", "rouge2", "rougeL")

    def __post_init__(self) -> None:
        if self.tokenizer not in tokenizers.NAMES:
            names = ", ".join(tokenizers.NAMES)
            raise ValueError(f"unknown tokenizer {self.tokenizer!r}; choose from {names}")
        for name, choices in _CHOICES.items():
            if (value := getattr(self, name)) not in get_args(choices):
                raise ValueError(f"{name} is {' or '.join(get_args(choices))}, not {value!r}")
        if isinstance(self.scale, bool) or self.scale not in (1, 100):
            raise ValueError(f"scale is 1 or 100, not {self.scale!r}")
        if isinstance(self.metrics, str) or not self.metrics:
            raise ValueError("metrics is a non-empty list of names")
        chosen = [metrics.parse(name) for name in self.metrics]
        named = [one.name for one in chosen]
        if len(set(named)) != len(named):
            raise ValueError(f"a metric is named twice: {', '.join(named)}")
        first = [one.name for one in chosen if isinstance(one, Counting)]
        if not first:
            raise ValueError("no metric of the total is named")
        beside = [name for name in named if name not in first]
        object.__setattr__(self, "metrics", (*first, *beside))

    @cached_property
    def parsed_metrics(self) -> tuple[Metric, ...]:
        """The metrics in the order of the signature and of every table."""
        return tuple(map(metrics.parse, self.metrics))

    @cached_property
    def counting(self) -> tuple[Counting, ...]:
        """The metrics that make the total, which are the first."""
        return tuple(one for one in self.parsed_metrics if isinstance(one, Counting))

    @property
    def beside(self) -> tuple[Metric, ...]:
        """The metrics that only stand beside the total."""
        return self.parsed_metrics[len(self.counting) :]

    @property
    def full_mark(self) -> float:
        """The total of a file whose every metric is 1.

        Under `max` each gold reaches it; under `mean` only rows with equal golds do.
        """
        return float(self.scale * (len(self.counting) if self.metric_aggregation == "sum" else 1))

    def total(self, values: Sequence[float]) -> float:
        """Metric values in the order of `metrics` to one total, scaled."""
        counted = values[: len(self.counting)]
        added = math.fsum(counted)
        if self.metric_aggregation == "mean":
            added /= len(counted)
        return added * self.scale

    def with_tokenizer(self, name: str) -> Self:
        """The same profile with another tokenizer."""
        return replace(self, tokenizer=name)

    def with_beside(self, names: Sequence[str]) -> Self:
        """The same profile with these metrics beside the total."""
        return replace(self, metrics=(*(one.name for one in self.counting), *names))

    def to_dict(self) -> dict[str, Any]:
        """JSON-able settings; `from_dict` gives an equal profile back."""
        return asdict(self) | {"metrics": list(self.metrics)}

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """Read settings written by `to_dict`; missing keys take the defaults."""
        unknown = set(settings) - {field.name for field in fields(cls)}
        if unknown:
            raise ValueError(f"unknown profile settings: {', '.join(sorted(unknown))}")
        chosen = dict(settings)
        if "metrics" in chosen:
            if not isinstance(chosen["metrics"], list | tuple):
                raise ValueError("metrics is a non-empty list of names")
            chosen["metrics"] = tuple(str(name) for name in chosen["metrics"])
        return cls(**chosen)


# max-sum is the formula of the contest page, mean-sum its words, stages the site's final number.
PRESETS: Mapping[str, Profile] = MappingProxyType(
    {
        "max-sum": Profile(),
        "mean-sum": Profile(gold_aggregation="mean"),
        "stages": Profile(gold_aggregation="mean", metric_aggregation="mean", scale=100),
    }
)


def preset_of(profile: Profile) -> str | None:
    """The name of the preset that makes this total under its tokenizer; None if none does.

    >>> preset_of(Profile(gold_aggregation="mean", tokenizer="mecab-ko"))
    'mean-sum'
    """
    total = profile.with_beside(())
    found = (name for name in PRESETS if PRESETS[name].with_tokenizer(profile.tokenizer) == total)
    return next(found, None)
