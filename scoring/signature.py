"""The line that says how a number was made.

`rouge:r1+r2+rL.f1|golds:max|ngolds:3|total:sum|scale:1|tok:mecab-ko/1.3.7+dic/2.1.1.post2|
norm:nfc/14.0.0|rows:mean|gold:3f9a0c12d5e67b80|split:public|v:1`. Keys are unique and in fixed
order, the version last. Two numbers are comparable only if their signatures are equal.
"""

import unicodedata
from dataclasses import replace

from scoring import tokenizers
from scoring.metrics import by_class
from scoring.profile import Profile
from scoring.tokenizers import tags

# Raised by every change that can move a number; CHANGELOG then has a line under "Scores".
VERSION = 1

# Eight can be met on purpose: two sets that share them are found in half a second.
REFERENCE_HEX_DIGITS = 16


def version_signature(profile: Profile, *, references_sha256: str, ngolds: tuple[int, int]) -> str:
    """Signature of a scoring version: profile, analyzer and golds, but no split.

    `ngolds` is the smallest and largest number of golds of a row.
    """
    low, high = ngolds
    metrics = by_class(profile.parsed_metrics)
    cut_tags = {}  # where they are cut like everything else, as before they could be
    if profile.tags != "keep":
        cut_tags["tags"] = tags.signature(profile.tags, profile.tag_forms)
    parts = {kind.key: kind.signature(chosen) for kind, chosen, _ in metrics} | {
        "golds": profile.gold_aggregation,
        "ngolds": str(low) if low == high else f"{low}-{high}",
        "total": profile.metric_aggregation,
        "scale": str(profile.scale),
        "tok": tokenizers.signature(profile.tokenizer, profile.reading),
        **cut_tags,
        "norm": f"nfc/{unicodedata.unidata_version}",
        "rows": "mean",
        "gold": references_sha256[:REFERENCE_HEX_DIGITS],
        "v": str(VERSION),
    }
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def part(signature: str, key: str) -> str:
    """What a signature says of one thing; empty if it says nothing.

    >>> part("rouge:r1.f1|tok:okt/0.6.0|v:1", "tok")
    'okt/0.6.0'
    """
    parts = (one.partition(":") for one in signature.split("|"))
    return next((value for name, _, value in parts if name == key), "")


def as_signed(profile: Profile, signature: str) -> Profile:
    """The profile with the reading that the signature names, which settings of that time do not.

    >>> as_signed(Profile(tokenizer="okt"), "rouge:r1.f1|tok:okt/2.1.0+konlpy/0.6.0|v:1").reading
    'whole'
    """
    signed = part(signature, "tok")
    return replace(profile, reading=tokenizers.reading_of(signed)) if signed else profile


def for_split(version_signature: str, split: str) -> str:
    """Signature of one split's numbers: the version's, with `split` before `v`."""
    if "|v:" not in version_signature or "|split:" in version_signature:
        raise ValueError(f"not a version's signature: {version_signature!r}")
    return with_part(version_signature, "split", split)


def with_part(signature: str, key: str, value: str) -> str:
    """The signature of a number that was made from others: one key more, before `v`.

    >>> with_part("rouge:r1.f1|split:all|v:1", "lift", "shuffles5")
    'rouge:r1.f1|split:all|lift:shuffles5|v:1'
    """
    head, _, version = signature.rpartition("|v:")
    return f"{head}|{key}:{value}|v:{version}"
