"""One report of people against a judge: per kind of item, per row, per system. No database."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from scoring.judges.labels import METRICS, ROW, PersonsLabel
from scoring.statistics import agreement
from scoring.statistics.agreement import Estimate, Numbers, drawn, estimate

# For a kind of item a judge may leave "experimental" where both lower ends reach these, with
# attacks and flips measured elsewhere. Kinds are never pooled: yes to every claim and no to every
# content has a high kappa over both and 0 within each.
ENOUGH_KAPPA = 0.6
ENOUGH_RECALL = 0.5

About = tuple[str, str, str, str]  # submission, example, kind, item
Place = tuple[str, str]  # submission, example


@dataclass(frozen=True)
class JudgedItems:
    """What the judge said: verdicts as labels name them, and each metric's score of each row."""

    verdicts: Mapping[About, bool]
    scores: Mapping[str, Mapping[Place, float]]


def report(
    labels: Sequence[PersonsLabel],
    judged: JudgedItems,
    *,
    resamples: int = agreement.RESAMPLES,
    seed: int = agreement.SEED,
) -> dict[str, Any]:
    """Compare labels with the judge, as JSON. What one of both has not seen is left out."""

    def draw(clusters: Sequence[str]) -> Numbers:
        return drawn(clusters, seed=seed, resamples=resamples)

    labelled = (label.kind for label in labels if label.kind != ROW)
    by_metric = _row_scores(label for label in labels if label.kind == ROW)
    both = [(metric, people, judged.scores.get(metric, {})) for metric, people in by_metric.items()]
    systems = [_systems(*each, resamples, seed) for each in both]
    lows = [one["tau"]["low"] for one in systems if one["metric"] == METRICS[0]]
    return {
        "raters": len({label.rater for label in labels}),
        "labels": len(labels),
        # Also one that nobody labelled: its gate is closed.
        "kinds": [
            _kind(name, [label for label in labels if label.kind == name], judged, draw)
            for name in dict.fromkeys([*labelled, *sorted({each[2] for each in judged.verdicts})])
        ],
        "rows": [_rows(*each, draw) for each in both],
        "systems": systems,
        "resamples": resamples,
        "seed": seed,
        "enough_tau": any(low is not None and low > 0 for low in lows),
    }


Draw = Callable[[Sequence[str]], Numbers]


def _kind(
    name: str, labels: Sequence[PersonsLabel], judged: JudgedItems, draw: Draw
) -> dict[str, Any]:
    """Items of one kind. `unjudged` and `split` ones (no majority) are in none of the numbers.

    `kappa` has chance counted within each item id: an answer by the place alone has 0.
    """
    given: dict[About, dict[str, bool]] = {}
    for label in labels:
        given.setdefault(label.about, {})[label.rater] = bool(label.value)
    raters = sorted({label.rater for label in labels})
    unjudged = sum(about not in judged.verdicts for about in given)
    people: list[bool] = []
    judge: list[bool] = []
    clusters: list[str] = []
    places: list[str] = []
    for about, by_rater in given.items():
        yes = 2 * sum(by_rater.values()) - len(by_rater)
        if about in judged.verdicts and yes:
            people.append(yes > 0)
            judge.append(judged.verdicts[about])
            clusters.append(about[1])
            places.append(about[3])
    measure, among_people = _among_people(given, raters, draw)
    weights = draw(clusters)
    kappa = agreement.kappa_of(people, judge, weights, places)
    recall = agreement.recall_of_no_of(people, judge, weights)
    return {
        "kind": name,
        "raters": len(raters),
        "labelled": len(given),
        "compared": len(people),
        "unjudged": unjudged,
        "split": len(given) - unjudged - len(people),
        "measure": measure,
        "people": asdict(among_people),
        "kappa": asdict(kappa),
        "balanced_accuracy": _kept(agreement.balanced_accuracy(people, judge, weights)),
        "recall_of_no": asdict(recall),
        "is_open": kappa.low is not None
        and recall.low is not None
        and kappa.low >= ENOUGH_KAPPA
        and recall.low >= ENOUGH_RECALL,
    }


def _kept(values: Numbers) -> dict[str, float | None]:
    return asdict(estimate(values))


def _among_people(
    given: Mapping[About, Mapping[str, bool]], raters: Sequence[str], draw: Draw
) -> tuple[str, Estimate]:
    shared = {about: by for about, by in given.items() if len(by) > 1}
    if len(raters) < 2 or not shared:
        return "", Estimate(None)
    weights = draw([about[1] for about in shared])
    if len(raters) == 2:
        one, other = ([by[rater] for by in shared.values()] for rater in raters)
        return "cohen_kappa", estimate(agreement.cohen_kappa(one, other, weights))
    units = [list(by.values()) for by in shared.values()]
    return "krippendorff_alpha", estimate(agreement.krippendorff_alpha(units, weights))


def _row_scores(labels: Iterable[PersonsLabel]) -> dict[str, dict[Place, float]]:
    given: dict[str, dict[Place, list[float]]] = {}
    for label in labels:
        rows = given.setdefault(label.item_id, {})
        rows.setdefault((label.submission, label.example_id), []).append(label.value)
    return {
        metric: {place: sum(values) / len(values) for place, values in rows.items()}
        for metric, rows in given.items()
    }


def _rows(
    metric: str, people: Mapping[Place, float], judge: Mapping[Place, float], draw: Draw
) -> dict[str, Any]:
    both = [place for place in people if place in judge]
    x, y = [judge[place] for place in both], [people[place] for place in both]
    weights = draw([example for _, example in both])
    return {
        "metric": metric,
        "rows": len(both),
        "unjudged": len(people) - len(both),
        "spearman": _kept(agreement.spearman(x, y, weights)),
        "kendall": _kept(agreement.kendall_tau_b(x, y, weights)),
    }


def _systems(
    metric: str,
    people: Mapping[Place, float],
    judge: Mapping[Place, float],
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    """Submissions by their means; dialogues and systems are drawn, each by its own seed."""
    labelled = {submission for submission, _ in people}
    names = sorted(labelled & {submission for submission, _ in judge})
    examples = sorted({example for _, example in (*people, *judge)})
    by_dialogue = drawn(examples, seed=seed, resamples=resamples)
    by_system = drawn(names, seed=seed + 1, resamples=resamples)
    judge_means = _drawn_means(judge, names, examples, by_dialogue)
    people_means = _drawn_means(people, names, examples, by_dialogue)
    known = np.isfinite(judge_means) & np.isfinite(people_means)
    found = np.full(len(by_system), np.nan)
    for place, there in enumerate(known):
        x, y = judge_means[place, there].tolist(), people_means[place, there].tolist()
        often = by_system[place : place + 1, there]
        found[place] = agreement.kendall_tau_b(x, y, often)[0]
    return {"metric": metric, "systems": len(names), "tau": _kept(found)}


def _drawn_means(
    scores: Mapping[Place, float], names: Sequence[str], examples: Sequence[str], weights: Numbers
) -> Numbers:
    """The mean of each system over the drawn dialogues; NaN where none of its own was drawn."""
    systems = {name: place for place, name in enumerate(names)}
    rows = {name: place for place, name in enumerate(examples)}
    values, there = np.zeros((2, len(examples), len(names)))
    for (submission, example), score in scores.items():
        if submission in systems:
            values[rows[example], systems[submission]] = score
            there[rows[example], systems[submission]] = 1
    number = weights @ there
    means: Numbers = np.divide(
        weights @ values, number, out=np.full_like(number, np.nan), where=number > 0
    )
    return means
