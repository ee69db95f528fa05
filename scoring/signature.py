"""The line that says how a number was made.

`rouge:r1+r2+rL.f1|golds:max|ngolds:3|total:sum|scale:1|tok:mecab-ko/1.3.7+dic/2.1.1.post2|norm:nfc|
rows:mean|gold:3f9a0c12|split:public|v:1`. Keys are unique and in fixed order, the version last.
Two numbers are comparable only if their signatures are equal.
"""

from scoring import tokenizers
from scoring.profile import Metric, Profile

# Raised by every change that can move a number; CHANGELOG then has a line under "Scores".
VERSION = 1

GOLD_HEX_DIGITS = 8


def version_signature(profile: Profile, *, references_sha256: str, ngolds: tuple[int, int]) -> str:
    """Signature of a scoring version: profile, analyzer and golds, but no split.

    `ngolds` is the smallest and largest number of golds of a row.
    """
    low, high = ngolds
    parts = {
        "rouge": _metrics(profile.parsed_metrics),
        "golds": profile.gold_aggregation,
        "ngolds": str(low) if low == high else f"{low}-{high}",
        "total": profile.metric_aggregation,
        "scale": str(profile.scale),
        "tok": tokenizers.signature(profile.tokenizer),
        "norm": "nfc",
        "rows": "mean",
        "gold": references_sha256[:GOLD_HEX_DIGITS],
        "v": str(VERSION),
    }
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def for_split(version_signature: str, split: str) -> str:
    """Signature of one split's numbers: the version's, with `split` before `v`."""
    head, separator, version = version_signature.rpartition("|v:")
    if not separator or "|split:" in head:
        raise ValueError(f"not a version's signature: {version_signature!r}")
    return f"{head}|split:{split}|v:{version}"


def _metrics(metrics: tuple[Metric, ...]) -> str:
    """`r1+r2+rL.f1` when all share a measure, else each names its own: `r1.f1+r2.recall`."""
    short = [metric.family.replace("rouge", "r") for metric in metrics]
    measures = {metric.measure for metric in metrics}
    if len(measures) == 1:
        return "+".join(short) + "." + measures.pop()
    return "+".join(f"{name}.{metric.measure}" for name, metric in zip(short, metrics, strict=True))
