"""The house's own rules: the strengths of the three systems without their holes.

    alignment     = claims supported by the dialogue / claims asked
    coverage      = questions the summary answers / questions asked
    summarization = min(alignment, coverage), None where either is None
    completeness  = mean over rubrics with contents of (covered / contents); `completeness_micro`
                    pools the contents
    adherence     = rubrics addressed / rubrics asked
    conciseness   = claims that carry a covered content / claims [own]

Sections are averaged, unweighted, as Google's API averages them. `unsure` is not yes and is counted
apart. A verdict counts only with its evidence; that something is absent cannot be quoted, so such a
rubric is met by the verdict alone. Nothing is rounded.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring.judges import evidence, joining, schemas
from scoring.judges.evidence import TOO_LONG, LengthLimit, plain
from scoring.judges.google import mean
from scoring.judges.parsing import Malformed
from scoring.judges.records import Asked, Item, Returned, RowResult, Status
from scoring.judges.rows import RowScores, smaller, weightiest
from scoring.judges.schemas import QUOTE, TEXT, TRUTH, Body, lenient, read

NO_CLAIMS = "no_claims"
EVIDENCE_MISSING = "evidence_missing"
JUDGE_UNREADABLE = "judge_unreadable"

# What the judge is asked for: the metric that stops with it, and the form of an item. A span that
# cites nothing may be null.
_CONTENT = schemas.fields(
    id=TEXT, transcript_content=TEXT, related_content_from_summary=QUOTE, is_covered=TRUTH
)
_LISTS: Mapping[str, tuple[str, Body]] = {
    "claims": ("alignment", lenient(schemas.CLAIM)),
    "decomposition": ("alignment", lenient(schemas.POINT_VERDICT)),
    "answers": ("coverage", lenient(schemas.ANSWER)),
    "completeness": ("completeness", lenient(schemas.contents(_CONTENT))),
    "adherence": ("adherence", lenient(schemas.ADHERENCE)),
}


def returned(fields: Mapping[str, Any]) -> Returned:
    """What the judge said; an unreadable item stops its metric. Malformed for what is no list."""
    lists: dict[str, Sequence[Item]] = {}
    stopped: dict[str, Status] = {}
    for name, (metric, form) in _LISTS.items():
        if fields.get(name) is None:
            continue
        listed = read(schemas.listed({}), fields[name], name)
        try:
            lists[name] = [read(form, item) for item in listed]
        except Malformed:
            stopped[metric] = Status.CONTENT_FAILED
    return Returned(**lists, stopped=stopped)


def score(
    summary: str,
    dialogue: str,
    asked: Asked,
    returned: Returned,
    length: LengthLimit | None = None,
) -> RowScores:
    """Score one summary; a blank or overlong one whatever came back (`evidence.gate`)."""
    barred = evidence.gate(summary, dialogue, length)
    if barred:
        parts = _barred(barred, asked)
    else:
        names = evidence.speakers(dialogue)
        spoken, written = _Text(dialogue, names), _Text(summary, names)
        parts = {
            name: _guarded(name, returned, result)
            for name, result in {
                "alignment": lambda: _alignment(spoken, returned),
                "coverage": lambda: _coverage(written, asked, returned),
                "completeness": lambda: _completeness(written, asked, returned),
                "adherence": lambda: _adherence(written, asked, returned),
            }.items()
        }
    complete = parts["completeness"]
    return RowScores(
        {
            "summarization": smaller(parts["alignment"], parts["coverage"]),
            "alignment": parts["alignment"],
            "coverage": parts["coverage"],
            "completeness": complete,
            "completeness_micro": _micro(complete),
            "adherence": parts["adherence"],
            "conciseness": _conciseness(parts["alignment"], complete, returned),
        }
    )


@dataclass(frozen=True)
class _Proof:
    counts: bool
    evidence_missing: bool


@dataclass(frozen=True)
class _Text:
    """What is quoted from. `names`: of the dialogue's speakers."""

    text: str
    names: frozenset[str]

    def proved(self, claimed: bool, span: str | None, of: str = "") -> _Proof:
        proved = claimed and evidence.proves(span, self.text, of, self.names)
        return _Proof(proved, claimed and not proved)

    def cited(self, item: Item, verdict: str, of: str = "") -> _Proof:
        """Of an item that cites the summary."""
        return self.proved(item[verdict], item["related_content_from_summary"], of)


def _barred(flag: str, asked: Asked) -> dict[str, RowResult]:
    """Every metric that something was asked for: 0. Alignment is asked of every summary."""
    status = Status.CONTENT_FAILED if flag == TOO_LONG else Status.SCORED
    contents = sum(map(len, asked.completeness.values()))
    denominators = {
        "coverage": len(asked.questions),
        "completeness": contents,
        "adherence": len(asked.adherence) + len(asked.categorical),
    }
    return {
        "alignment": RowResult("alignment", status, 0.0, flags=(flag,)),
        **{
            name: RowResult(name, status, 0.0, 0, count, flags=(flag,))
            if count
            else _not_applicable(name)
            for name, count in denominators.items()
        },
    }


def _guarded(name: str, returned: Returned, result: Callable[[], RowResult]) -> RowResult:
    """The result, 0 for a malformed answer, or the status in which the asking stopped."""
    stopped = returned.stopped.get(name)
    if stopped is Status.CONTENT_FAILED:
        return _failed(name)
    if stopped:
        return RowResult(name, stopped, None)
    try:
        return result()
    except Malformed as malformed:
        return _failed(name, malformed.code)


def _failed(name: str, *codes: str) -> RowResult:
    return RowResult(name, Status.CONTENT_FAILED, 0.0, flags=(JUDGE_UNREADABLE, *codes))


def _not_applicable(name: str) -> RowResult:
    return RowResult(name, Status.NOT_APPLICABLE, None)


def _alignment(dialogue: _Text, returned: Returned) -> RowResult:
    claims, decomposition = returned.claims, returned.decomposition
    if claims is None and decomposition is None:
        return _not_applicable("alignment")
    verdicts = joining.verdicts(claims or (), decomposition or ())
    points = {claim["id"]: claim["point"] for claim in claims or ()}
    if not verdicts:
        return RowResult("alignment", Status.SCORED, 0.0, flags=(NO_CLAIMS,))
    return _counted(
        "alignment",
        {
            claim: dialogue.proved(item["verdict"] == "yes", item["evidence"], points[claim])
            for claim, item in verdicts.items()
        },
        unsure=sum(item["verdict"] == "unsure" for item in verdicts.values()),
    )


def _coverage(summary: _Text, asked: Asked, returned: Returned) -> RowResult:
    answers = joining.by_id(asked.questions, returned.answers or ())
    return _counted(
        "coverage",
        {
            each: summary.cited(item, "answered", asked.texts.get(each, ""))
            for each, item in answers.items()
        },
    )


def _completeness(summary: _Text, asked: Asked, returned: Returned) -> RowResult:
    proofs = {
        rubric: {
            each: summary.cited(item, "is_covered", asked.texts.get(f"{rubric}/{each}", ""))
            for each, item in items.items()
        }
        for rubric, items in joining.contents(asked, returned.completeness or ()).items()
    }
    shares = {rubric: _share(each) for rubric, each in proofs.items()}
    pooled = {
        f"{rubric}/{each}": proof
        for rubric, those in proofs.items()
        for each, proof in those.items()
    }
    return _counted("completeness", pooled, _by_section(asked, shares))


def _adherence(summary: _Text, asked: Asked, returned: Returned) -> RowResult:
    proofs = {
        each: _Proof(item["is_addressed"], False)
        if each in asked.absent
        else summary.cited(item, "is_addressed")
        for each, item in joining.by_id(asked.adherence, returned.adherence or ()).items()
    }
    for rubric, allowed in asked.categorical.items():
        proofs[rubric] = _Proof(is_allowed_value(summary.text, allowed), False)
    shares = {rubric: float(proof.counts) for rubric, proof in proofs.items()}
    return _counted("adherence", proofs, _by_section(asked, shares))


def is_allowed_value(summary: str, allowed: Sequence[str]) -> bool:
    """Whether a categorical section is exactly one of its values, blanks and case aside.

    >>> [is_allowed_value(text, ["Sunny", "Cloudy"]) for text in (" sunny\\n", "It is Sunny")]
    [True, False]
    """
    written = " ".join(summary.split()).casefold()
    return written in {" ".join(value.split()).casefold() for value in allowed}


def _share(proofs: Mapping[str, _Proof]) -> float | None:
    return sum(proof.counts for proof in proofs.values()) / len(proofs) if proofs else None


def _by_section(asked: Asked, shares: Mapping[str, float | None]) -> float | None:
    """Mean of a section's rubrics, then of the sections; those without a share are left out."""
    sections: dict[str, list[float | None]] = {}
    for rubric, share in shares.items():
        sections.setdefault(asked.sections.get(rubric, ""), []).append(share)
    return mean(mean(each) for each in sections.values())


def _counted(
    name: str, proofs: Mapping[str, _Proof], score: float | None = None, unsure: int = 0
) -> RowResult:
    """A result over asked items; not applicable without any. `score`: the plain share."""
    if not proofs:
        return _not_applicable(name)
    missing = any(proof.evidence_missing for proof in proofs.values())
    return RowResult(
        name,
        Status.SCORED,
        _share(proofs) if score is None else score,
        sum(proof.counts for proof in proofs.values()),
        len(proofs),
        unsure,
        (EVIDENCE_MISSING,) if missing else (),
        {each: proof.counts for each, proof in proofs.items()},
    )


def _micro(complete: RowResult) -> RowResult:
    pooled = complete.numerator / max(complete.denominator, 1)
    return replace(
        complete,
        metric="completeness_micro",
        score=None if complete.score is None else pooled,
        items={},
    )


def _conciseness(alignment: RowResult, complete: RowResult, returned: Returned) -> RowResult:
    """Of both parts the weightier status; 0 unless both were scored and there are claims."""
    status = weightiest(alignment, complete)
    if alignment.score is None or complete.score is None:
        return RowResult("conciseness", status, None)
    claims = returned.claims or ()
    if status is not Status.SCORED or not alignment.items:
        return RowResult("conciseness", status, 0.0)
    spans = [
        item["related_content_from_summary"] or ""
        for rubric in returned.completeness or ()
        for item in rubric["content_list"]
        if complete.items[f"{rubric['id']}/{item['id']}"]
    ]
    found = carrying(claims, spans)
    return RowResult(
        "conciseness",
        status,
        len(found) / len(claims),
        len(found),
        len(claims),
        items={claim["id"]: claim["id"] in found for claim in claims},
    )


# Of the shorter text's character pairs, the share that both have.
SHARED_PAIRS = 0.5

_TAG = re.compile(r"#\w+#")


def carrying(claims: Sequence[Item], spans: Iterable[str]) -> frozenset[str]:
    """Ids of claims that restate one of the spans of the summary which cover a content.

    >>> points = {"c1": "#Person1#은 두통이 심하다.", "c2": "#Person1#은 웃는다."}
    >>> claims = [{"id": each, "point": point} for each, point in points.items()]
    >>> sorted(carrying(claims, ["#Person1#은 두통이 심해"]))
    ['c1']
    """
    covered = [pairs for pairs in map(_pairs, spans) if pairs]
    return frozenset(
        claim["id"]
        for claim in claims
        if any(_alike(_pairs(claim["point"]), each) for each in covered)
    )


def _pairs(text: str) -> Counter[str]:
    """Character pairs, without speaker tags: every claim about a speaker shares those."""
    written = plain(_TAG.sub(" ", text))
    return Counter(written[at : at + 2] for at in range(len(written) - 1))


def _alike(one: Counter[str], other: Counter[str]) -> bool:
    shorter = min(one.total(), other.total())
    return shorter > 0 and (one & other).total() >= SHARED_PAIRS * shorter
