"""The report: which labels meet which verdicts, and what is counted as left out."""

import pytest

from leaderboard.judging.agreement_report import JudgedItems
from scoring.judges.labels import PersonsLabel
from tests.leaderboard.judging.reports import NONE, report


def label(
    item: str, rater: str, value: float, *, kind: str = "claim", of: str = "A", example: str = "t1"
) -> PersonsLabel:
    return PersonsLabel(of, example, kind, item, rater, value)


NOTHING = JudgedItems({}, {})


def test_two_raters_have_kappa_and_a_majority_only_where_they_agree() -> None:
    labels = [label(f"c{n}", "kim", n < 3) for n in range(5)]
    labels += [label(f"c{n}", "lee", n < 2) for n in range(5)]
    labels.append(label("c9", "kim", 1))
    verdicts = {("A", "t1", "claim", f"c{n}"): n != 1 and n < 4 for n in range(5)}
    found = report(labels, JudgedItems(verdicts, {}), resamples=20)
    (whole,) = found.kinds
    # c2 is split; of c0 c1 c3 c4 people say y y n n, the judge y n y n: as by chance.
    assert (whole.raters, whole.labelled, whole.compared) == (2, 6, 4)
    assert (whole.unjudged, whole.split) == (1, 1)
    assert whole.measure == "cohen_kappa"
    # Four of five agree; chance (3/5 * 2/5) + (2/5 * 3/5) = 0.48: 0.32 / 0.52.
    assert whole.people.value == pytest.approx(0.32 / 0.52)
    assert whole.kappa.value == pytest.approx(0)
    assert whole.balanced_accuracy.value == pytest.approx(0.5)
    assert whole.recall_of_no.value == pytest.approx(0.5)
    assert (whole.kind, whole.is_open) == ("claim", False)


def test_three_raters_have_alpha_and_kinds_are_told_apart() -> None:
    labels = [label("c1", rater, 1) for rater in ("kim", "lee", "park")]
    labels += [label("c2", rater, rater == "kim") for rater in ("kim", "lee", "park")]
    labels += [label("q1", "kim", 0, kind="question"), label("q1", "lee", 0, kind="question")]
    verdicts = {
        ("A", "t1", "claim", "c1"): True,
        ("A", "t1", "claim", "c2"): False,
        ("A", "t1", "question", "q1"): False,
    }
    found = report(labels, JudgedItems(verdicts, {}), resamples=20)
    assert [one.kind for one in found.kinds] == ["claim", "question"]
    assert [one.measure for one in found.kinds] == ["krippendorff_alpha", "cohen_kappa"]
    # c1 y y y, c2 y n n: disagreement 2/6 over chance 2*4*2/(6*5): 1 - (5 * 2)/(2*4*2).
    assert found.kinds[0].people.value == pytest.approx(1 - 10 / 16)
    # Each place was labelled once: what the judge says of it may be its answer to the place.
    assert (found.kinds[0].compared, found.kinds[0].kappa) == (2, NONE)
    assert not any(one.is_open for one in found.kinds)


def test_rows_and_systems() -> None:
    people = {"A": (0.9, 0.7), "B": (0.5, 0.5), "C": (0.2, 0.4)}
    judge = {"A": (0.8, 0.9), "B": (0.6, 0.4), "C": (0.3, 0.1)}
    labels = [
        label("summarization", rater, score, kind="row", of=name, example=f"t{n}")
        for name, scores in people.items()
        for n, score in enumerate(scores)
        for rater in ("kim", "lee")
    ]
    scores = {(name, f"t{n}"): score for name, row in judge.items() for n, score in enumerate(row)}
    scores["A", "t7"] = 0.1  # judged, and labelled by nobody: in the judge's mean alone
    scores["Z", "t0"] = 0.5
    found = report(labels, JudgedItems({}, {"summarization": scores}), resamples=200)
    rows, systems = found.rows[0], found.systems[0]
    assert (rows.metric, rows.rows, rows.unjudged) == ("summarization", 6, 0)
    # Ranks of people 6 5 3.5 3.5 1 2, of the judge 5 6 4 3 2 1: 15 / sqrt(17 * 17.5).
    assert rows.spearman.value == pytest.approx(15 / (17 * 17.5) ** 0.5)
    # Judge's means 0.6, 0.5, 0.2; people's 0.8, 0.5, 0.3: the same order.
    assert (systems.systems, systems.tau.value) == (3, 1.0)


def test_nothing_to_compare_is_none_and_no_error() -> None:
    assert report([], NOTHING, resamples=5).kinds == []
    found = report([label("c1", "kim", 1), label("alignment", "kim", 1, kind="row")], NOTHING)
    assert found.kinds[0].compared == 0
    assert found.kinds[0].kappa == found.kinds[0].people == NONE
    assert found.rows[0].spearman == NONE
    assert found.rows[0].unjudged == 1
    assert found.systems[0].tau == NONE
    assert not found.enough_tau
    assert found.labels == 2
