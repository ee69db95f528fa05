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
from scoring.characters import nfc
from scoring.metrics.definition import ReferenceAggregation
from scoring.metrics.metric import Counting, Metric
from scoring.tokenizers import Reading, Tokenizer, tags
from scoring.tokenizers.tags import Tags

MetricAggregation = Literal["sum", "mean"]
_CHOICES = {
    "gold_aggregation": ReferenceAggregation,
    "metric_aggregation": MetricAggregation,
    "tags": Tags,
    "reading": Reading,
}


@dataclass(frozen=True)
class Profile:
    """How a contest turns tokens into one number. Invalid settings raise ValueError.

    tag_forms: what is a speaker tag besides `#Person*#`, sorted; of no account under `keep`.
    reading: `lines`, or `whole` for what was signed before there were two (`tokenizers`).

    >>> Profile(gold_aggregation="mean").full_mark
    3.0
    """

    tokenizer: str = "mecab-ko"
    gold_aggregation: ReferenceAggregation = "max"
    metric_aggregation: MetricAggregation = "sum"
    scale: int = 1
    metrics: tuple[str, ...] = ("rouge1", "rouge2", "rougeL")
    tags: Tags = "keep"
    tag_forms: tuple[str, ...] = ()
    reading: Reading = "lines"

    def __post_init__(self) -> None:
        if self.tokenizer not in tokenizers.NAMES:
            names = ", ".join(tokenizers.NAMES)
            raise ValueError(f"unknown tokenizer {self.tokenizer!r}; choose from {names}")
        for name, choices in _CHOICES.items():
            if (value := getattr(self, name)) not in get_args(choices):
                raise ValueError(f"{name} is {' or '.join(get_args(choices))}, not {value!r}")
        object.__setattr__(self, "tag_forms", self._forms())
        if not tokenizers.has_readings(self.tokenizer):
            object.__setattr__(self, "reading", "lines")
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

    def _forms(self) -> tuple[str, ...]:
        """Each once, and none where tags are cut like everything else."""
        if isinstance(self.tag_forms, str) or len(self.tag_forms) > tags.MOST_FORMS:
            raise ValueError(f"tag_forms is a list of at most {tags.MOST_FORMS} texts")
        forms = {*map(nfc, self.tag_forms)}
        for form in forms:
            tags.refuse_form(form)
        return () if self.tags == "keep" else tuple(sorted(forms - {tags.USUAL_FORM}))

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
        """The same profile with that tokenizer, as it reads today."""
        return replace(self, tokenizer=name, reading="lines")

    def with_tags(self, mode: Tags, forms: Sequence[str] = ()) -> Self:
        """The same profile with speaker tags treated so."""
        return replace(self, tags=mode, tag_forms=tuple(forms))

    def analyzer(self) -> Tokenizer:
        """What cuts the texts. Raises TokenizerUnavailable."""
        tokenizer = tokenizers.get(self.tokenizer, self.reading)
        return tags.tokenizer_of(tokenizer, self.tags, self.tag_forms)

    def with_beside(self, names: Sequence[str]) -> Self:
        """The same profile with these metrics beside the total."""
        return replace(self, metrics=(*(one.name for one in self.counting), *names))

    def to_dict(self) -> dict[str, Any]:
        """JSON-able settings; `from_dict` gives an equal profile back.

        What is said of tags is left out where they are kept, as it was before it could be said, and
        the reading where it is today's.
        """
        settings = asdict(self) | {"metrics": list(self.metrics), "tag_forms": list(self.tag_forms)}
        unsaid = {"tags"} if self.tags == "keep" else set()
        unsaid |= set() if self.tag_forms else {"tag_forms"}
        unsaid |= {"reading"} if self.reading == "lines" else set()
        return {name: value for name, value in settings.items() if name not in unsaid}

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """Read settings written by `to_dict`; missing keys take the defaults."""
        unknown = set(settings) - {field.name for field in fields(cls)}
        if unknown:
            raise ValueError(f"unknown profile settings: {', '.join(sorted(unknown))}")
        chosen = dict(settings)
        for name in ("metrics", "tag_forms"):
            if name in chosen:
                if not isinstance(chosen[name], list | tuple):
                    raise ValueError(f"{name} is a list of texts")
                chosen[name] = tuple(str(value) for value in chosen[name])
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
    """The name of the preset that makes this total under its tokenizer and tags; None if none does.

    >>> preset_of(Profile(gold_aggregation="mean", tokenizer="mecab-ko"))
    'mean-sum'
    """
    total = profile.with_beside(()).with_tags("keep").with_tokenizer(profile.tokenizer)
    found = (name for name in PRESETS if PRESETS[name].with_tokenizer(profile.tokenizer) == total)
    return next(found, None)
