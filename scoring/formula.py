"""The rules of a contest in words and as a formula, printed from the settings.

Nothing is written by hand per contest, so page and code cannot disagree.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scoring import tokenizers
from scoring.messages import Language, _, say
from scoring.metrics.metric import Counting
from scoring.profile import Profile
from scoring.ranking import as_printed
from scoring.tokenizers import tags

_MEASURES = {"f1": _("F1"), "precision": _("precision"), "recall": _("recall")}
_UNITS = {"chars": _("characters"), "whitespace": _("blank-separated words")}
_COUNTS = {2: _("two"), 3: _("three"), 4: _("four")}
_CHOSEN = {
    "max": _("for each metric the best reference counts, "),
    "mean": _("each metric is averaged over the references, "),
}
_JOINED = {
    # xgettext:no-python-brace-format  its Korean chooses particles
    "sum": _("the {every} are added up, "),
    "mean": _("the {every} are averaged, "),
}
# xgettext:no-python-brace-format  its Korean chooses particles
_COMPARED = _("Each prediction is compared with {span} references, cut into {unit}, by {metrics}.")
_COMPARED_WITH_ONE = _(
    # xgettext:no-python-brace-format  its Korean chooses particles
    "Each prediction is compared with {span} reference, cut into {unit}, by {metrics}."
)
_TAGS = {
    "atomic": (_("one token each (atomic)"), _("A speaker tag such as {tags} is one token.")),
    "drop": (_("not counted (drop)"), _("Speaker tags such as {tags} do not count.")),
}
_FULL_MARK = _("{chosen}{joined}{scale}so the full mark of a row is {mark}.")
_FULL_MARK_OF_ONE = _("{chosen}{scale}so the full mark of a row is {mark}.")


@dataclass(frozen=True)
class FormulaText:
    """A profile, explained.

    formula: one line. explanation: whole sentences. legend: what the letters mean and how rows
    become the total. settings: (label, value) pairs.
    """

    formula: str
    explanation: str
    legend: str
    settings: tuple[tuple[str, str], ...]


def describe(
    profile: Profile, *, ngolds: tuple[int, int] = (3, 3), language: Language = "ko"
) -> FormulaText:
    """Explain a profile for golds of `ngolds` (smallest, largest number per row).

    >>> describe(Profile(), language="en").formula
    'row score = max(i=1..3) F1[ROUGE-1](p, gᵢ) + max(i=1..3) F1[ROUGE-2](p, gᵢ) + \
max(i=1..3) F1[ROUGE-L](p, gᵢ)'
    """
    if ngolds[0] < 1 or ngolds[0] > ngolds[1]:
        raise ValueError(f"ngolds is (smallest, largest), not {ngolds!r}")
    return FormulaText(
        formula=_plain(profile, ngolds, say(language, _("row score"))),
        explanation=_explanation(profile, ngolds, language),
        legend=say(language, _LEGEND),
        settings=tuple(_settings(profile, ngolds, language)),
    )


_LEGEND = _(
    "p is the prediction, g a reference, and i says which one. The mean of the row scores over all "
    "rows is the total, printed with four decimals."
)


def _plain(profile: Profile, ngolds: tuple[int, int], name: str) -> str:
    low, high = ngolds
    last = str(high) if low == high else "n"
    over = "" if ngolds == (1, 1) else f"{profile.gold_aggregation}(i=1..{last}) "
    gold = "g" if ngolds == (1, 1) else "gᵢ"
    terms = [f"{over}{metric.formula(gold)}" for metric in profile.counting]
    scale = "" if profile.scale == 1 else f"{profile.scale} × "
    return f"{name} = {scale}{joined_terms(profile, terms)}"


def joined_terms(profile: Profile, terms: Sequence[str]) -> str:
    """The terms of the metrics as the profile adds them up or averages them, before its scale."""
    averaged = profile.metric_aggregation == "mean"
    added = " + ".join(terms)
    if len(terms) > 1 and (averaged or profile.scale != 1):
        added = f"({added})"
    return f"{added} / {len(terms)}" if averaged and len(terms) > 1 else added


def _named(metrics: tuple[Counting, ...], language: Language) -> str:
    """`ROUGE-1, ROUGE-2의 F1`, or each with its own measure."""
    measures = [say(language, _MEASURES[metric.measure]) for metric in metrics]
    if len(set(measures)) > 1:
        pairs = zip(metrics, measures, strict=True)
        return ", ".join(f"{metric.label} {measure}" for metric, measure in pairs)
    labels = ", ".join(metric.label for metric in metrics)
    return say(language, _("the {measure} of {labels}"), measure=measures[0], labels=labels)


def _explanation(profile: Profile, ngolds: tuple[int, int], language: Language) -> str:
    """Two or three whole sentences."""
    count, several = len(profile.counting), ngolds != (1, 1)
    chosen = joined = scale = ""
    if several:
        chosen = say(language, _CHOSEN[profile.gold_aggregation])
    if count > 1:
        every = say(language, _COUNTS.get(count, _("{count}")), count=count)
        joined = say(language, _JOINED[profile.metric_aggregation], every=every)
    if profile.scale != 1:
        # xgettext:no-python-brace-format  its Korean chooses particles
        times = _("the result is multiplied by {scale}, ")
        scale = say(language, times, scale=str(profile.scale))
    full = _FULL_MARK if count > 1 else _FULL_MARK_OF_ONE
    mark = as_printed(profile.full_mark)
    second = say(language, full, chosen=chosen, joined=joined, scale=scale, mark=mark)
    first = say(
        language,
        _COMPARED if several else _COMPARED_WITH_ONE,
        span=_span(ngolds),
        unit=say(language, _UNITS.get(profile.tokenizer, _("morphemes"))),
        metrics=_named(profile.counting, language),
    )
    text = f"{first} {second[0].upper()}{second[1:]}"
    if profile.tags != "keep":
        shown = ", ".join(map(tags.example, (tags.USUAL_FORM, *profile.tag_forms)))
        text += " " + say(language, _TAGS[profile.tags][1], tags=shown)
    if profile.gold_aggregation == "mean" and several:
        text += " " + say(
            language, _("Where references differ from each other, nobody can reach it.")
        )
    return text


def _span(ngolds: tuple[int, int]) -> str:
    low, high = ngolds
    return str(low) if low == high else f"{low}–{high}"


def _settings(
    profile: Profile, ngolds: tuple[int, int], language: Language
) -> Iterator[tuple[str, str]]:
    golds = {"max": _("best per metric (max)"), "mean": _("mean over references (mean)")}
    total = {"sum": _("added up (sum)"), "mean": _("averaged (mean)")}
    mark, span = as_printed(profile.full_mark), _span(ngolds)
    scale = say(language, _("{scale} (full mark {mark})"), scale=profile.scale, mark=mark)
    yield say(language, _("Metrics")), _named(profile.counting, language)
    yield say(language, _("References per metric")), say(language, golds[profile.gold_aggregation])
    yield say(language, _("Combining metrics")), say(language, total[profile.metric_aggregation])
    yield say(language, _("Scale")), scale
    engine, version = tokenizers.signature(profile.tokenizer).split("+")[0].split("/")
    known = profile.tokenizer in _UNITS
    yield say(language, _("Tokenizer")), engine if known else f"{engine} {version}"
    if profile.tags != "keep":
        yield say(language, _("Speaker tags")), say(language, _TAGS[profile.tags][0])
    yield say(language, _("References")), say(language, _("{span} a row"), span=span)
    for metric in profile.beside:
        yield metric.heading(language), metric.formula("g")
