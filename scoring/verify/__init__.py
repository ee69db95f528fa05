"""Everything again without our code: other packages cut and score, plain arithmetic adds up.

A chain of checks. Each takes what the one before has proved, so that a fault is named where it is:

    tokenizer   our tokens against the analyzer's own public call, for every text
    metrics     every row's values against the rouge-score package over the public call's tokens
    splits      each split's rows and means against its own rows
    totals      each total against the settings of the profile
    signature   every line against one put together anew
    against     the server's exported numbers, where a file of them is given
"""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from typing import NamedTuple

import mecab

from scoring import tokenizers
from scoring.characters import nfc
from scoring.metrics import by_class
from scoring.metrics.metric import PlainRow
from scoring.metrics.rouge import Rouge
from scoring.pipeline import Report
from scoring.profile import Profile
from scoring.references import References
from scoring.signature import VERSION
from scoring.tokenizers import java

Cut = Callable[[str], Sequence[str]]

_BEYOND_BMP = re.compile("([\U00010000-\U0010ffff])")


class Check(NamedTuple):
    """One link: how much was compared, and what differs, as places that a reader finds.

    largest: the largest absolute difference between two numbers.
    """

    name: str
    compared: int
    different: tuple[str, ...] = ()
    largest: float = 0.0


class Verification(NamedTuple):
    """What was compared, link by link."""

    rows: int
    checks: tuple[Check, ...]

    @property
    def failed(self) -> tuple[str, ...]:
        """Names of the checks that found a difference; empty if all is well."""
        return tuple(check.name for check in self.checks if check.different)

    @property
    def compared(self) -> int:
        """How many texts and values were compared in all."""
        return sum(check.compared for check in self.checks)

    @property
    def largest(self) -> float:
        """The largest difference between two numbers."""
        return max(check.largest for check in self.checks)


def verify(
    texts: Mapping[str, str], references: References, profile: Profile, report: Report
) -> Verification:
    """Recompute a report from the texts and compare every number of it.

    Raises PackageMissing without the rouge-score package.
    """
    return Verification(
        rows=len(references.examples),
        checks=(
            *_rows(texts, references, profile, report),
            _splits(references, profile, report),
            _totals(profile, report),
            _signatures(references, profile, report),
        ),
    )


def public_call(name: str) -> Cut:
    """The analyzer as its own package offers it, none of our code around it.

    `chars` and `whitespace` have no package; they are written out.
    """
    if name == "mecab-ko":
        morphs: Cut = mecab.MeCab().morphs
        return morphs
    if name == "chars":
        return lambda text: [char for char in text if not char.isspace()]
    if name == "whitespace":
        return str.split
    from konlpy import tag  # heavy, and only these four need it

    analyzed = getattr(tag, name.capitalize())(jvmpath=java.jvm_path()).morphs

    def cut(text: str) -> Sequence[str]:
        try:
            return list(analyzed(text))
        except UnicodeDecodeError:  # KoNLPy cannot hand over half an emoji: cut around them
            parts = [part for part in _BEYOND_BMP.split(text) if part.strip()]
            return [
                token
                for part in parts
                for token in ([part] if _BEYOND_BMP.fullmatch(part) else analyzed(part))
            ]

    return cut


def _rows(
    texts: Mapping[str, str], references: References, profile: Profile, report: Report
) -> tuple[Check, Check]:
    """Tokens of every text, and the values of every row.

    Where tokens differ, the values are those of rouge-score over ours: that only the tokenizer
    is at fault, or the metric too.
    """
    recompute = [
        (places, kind.recompute(chosen, profile.gold_aggregation))
        for kind, chosen, places in by_class(profile.parsed_metrics)
    ]
    theirs, ours = _public_cut(profile), profile.analyzer()
    odd_tokens: list[str] = []
    odd_values: dict[str, float] = {}
    cut = 0
    for place, example in enumerate(references.examples):
        row = (texts[example.example_id], *example.references)
        public = list(map(theirs, row))
        own = [list(ours(text)) for text in row]
        cut += len(row)
        for number, (one, other) in enumerate(zip(public, own, strict=True)):
            if one != other:
                where = f"gold {number}" if number else "prediction"
                odd_tokens.append(f"{example.example_id} {where}")
        found = report.examples[place].tolist()
        for places, values in recompute:
            for number, right in zip(places, values(PlainRow(row, own)), strict=True):
                if right != found[number]:
                    where = f"{example.example_id} {profile.metrics[number]}"
                    odd_values[where] = abs(right - found[number])
    return (
        Check("tokenizer", cut, tuple(odd_tokens)),
        Check(
            "metrics",
            report.examples.size,
            tuple(odd_values),
            max(odd_values.values(), default=0.0),
        ),
    )


def _public_cut(profile: Profile) -> Cut:
    """The public call after NFC, on what stands between speaker tags if these are told apart."""
    call = public_call(profile.tokenizer)
    if profile.tokenizer in java.NAMES and profile.reading == "lines":
        call = _line_by_line(call)
    forms = [] if profile.tags == "keep" else ["#Person*#", *profile.tag_forms]
    forms.sort(key=lambda form: (-len(form), form))
    tag = re.compile("|".join(re.escape(form).replace(r"\*", r"[0-9]+") for form in forms))

    def cut(text: str) -> Sequence[str]:
        text = nfc(text)
        found: list[str] = []
        begin = 0
        for match in tag.finditer(text) if forms else ():
            found += _cut(call, text[begin : match.start()])
            found += [match.group()] if profile.tags == "atomic" else []
            begin = match.end()
        return found + _cut(call, text[begin:])

    return cut


def _line_by_line(call: Cut) -> Cut:
    """As a person would do it: each line that has anything beyond blanks and controls."""

    trimmed = "".join(map(chr, range(33)))
    return lambda text: [
        token
        for line in text.splitlines()
        if line.strip(trimmed) and line.strip()
        for token in call(line)
    ]


def _cut(call: Cut, text: str) -> list[str]:
    return list(call(text)) if text.strip() else []


def _compared(name: str, pairs: Iterator[tuple[str, float, float]]) -> Check:
    """A check of numbers: (place, right, found)."""
    number, different = 0, {}
    for place, right, found in pairs:
        number += 1
        if right != found:
            different[place] = abs(right - found)
    return Check(name, number, tuple(different), max(different.values(), default=0.0))


def _splits(references: References, profile: Profile, report: Report) -> Check:
    """Which splits there are, their rows, and the means over the report's own rows."""
    members: dict[str, list[int]] = {"all": []}
    for place, example in enumerate(references.examples):
        for name in ("all", example.split):
            if name is not None:
                members.setdefault(name, []).append(place)

    def pairs() -> Iterator[tuple[str, float, float]]:
        for name in sorted(members.keys() | report.splits.keys()):
            places, split = members.get(name, []), report.splits.get(name)
            yield f"{name} rows", len(places), split.rows if split else 0
            for number, metric in enumerate(profile.parsed_metrics):
                if places and split:
                    rows = places if metric.by_split else members["all"]
                    column = [float(report.examples[place][number]) for place in rows]
                    mean = math.fsum(column) / len(column)
                    yield f"{name} {metric.name}", mean, split.metrics[metric.name]

    return _compared("splits", pairs())


def _totals(profile: Profile, report: Report) -> Check:
    """Metrics added up, or their mean, times the scale."""

    def pairs() -> Iterator[tuple[str, float, float]]:
        for name, split in report.splits.items():
            added = math.fsum(split.metrics[metric.name] for metric in profile.counting)
            parts = 1 if profile.metric_aggregation == "sum" else len(profile.counting)
            yield name, added / parts * profile.scale, split.total

    return _compared("totals", pairs())


def _signatures(references: References, profile: Profile, report: Report) -> Check:
    """The version's line and each split's, from the texts, the profile and the packages."""
    head, last = _line(references, profile), f"|v:{VERSION}"
    right = {"version": head + last}
    right |= {name: f"{head}|split:{name}{last}" for name in report.splits}
    found = {"version": report.signature}
    found |= {name: split.signature for name, split in report.splits.items()}
    different = tuple(
        f"{place}: {found[place]} ≠ {line}" for place, line in right.items() if found[place] != line
    )
    return Check("signature", len(right), different)


def _line(references: References, profile: Profile) -> str:
    """The signature up to the split, written down a second time."""
    rows = sorted(
        [row.example_id, row.split or "", sorted(row.references)] for row in references.examples
    )
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    counts = sorted({len(row.references) for row in references.examples})
    named = [
        (one.family.replace("rouge", "r"), one.measure)
        for one in profile.parsed_metrics
        if isinstance(one, Rouge)
    ]
    if len({measure for _, measure in named}) == 1:
        rouge = "+".join(family for family, _ in named) + f".{named[0][1]}"
    else:
        rouge = "+".join(f"{family}.{measure}" for family, measure in named)
    others = by_class(profile.beside)
    engine = metadata.version("python-mecab-ko")
    mecab_ko = f"mecab-ko/{engine}+dic/{metadata.version('python-mecab-ko-dic')}"
    is_default = profile.tokenizer == "mecab-ko"
    signed = mecab_ko if is_default else tokenizers.signature(profile.tokenizer, profile.reading)
    return "|".join(
        (
            f"rouge:{rouge}",
            *(f"{kind.key}:{kind.signature(chosen)}" for kind, chosen, _ in others),
            f"golds:{profile.gold_aggregation}",
            f"ngolds:{counts[0]}" + (f"-{counts[-1]}" if len(counts) > 1 else ""),
            f"total:{profile.metric_aggregation}",
            f"scale:{profile.scale}",
            f"tok:{signed}",
            *(["tags:" + "+".join((profile.tags, *profile.tag_forms))] * (profile.tags != "keep")),
            f"norm:nfc/{unicodedata.unidata_version}",
            "rows:mean",
            f"gold:{hashlib.sha256(text.encode()).hexdigest()[:16]}",
        )
    )
