"""Floors and ceiling, against a plain double loop with the rouge-score package."""

import json
import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from scoring.cli import main
from scoring.insight.specificity import next_rows
from scoring.insight.trivial_baselines import FLOORS, LINES, Floors, floors, way
from scoring.pipeline import prepare
from scoring.profile import PRESETS, Profile
from scoring.references import ReferenceRow, References
from scoring.tokenizers.tags import Tags

GOLDS = [
    ("a", "public", "#Person1#은 #Person2#에게 수박을 판다.", "#Person2#는 잘 익은 수박을 산다."),
    ("b", "private", "민수는 지우를 만나 영화를 본다.", "두 사람은 주말에 영화를 보기로 한다."),
    ("c", "public", "#Person1#은 #Person2#에게 길을 묻는다.", "길을 잃은 사람이 역을 찾는다."),
    ("d", "private", "의사는 환자에게 검사를 권한다.", "#Person2#는 검사를 받기로 한다."),
    ("e", "public", "#Person1#은 #Person2#에게 책상을 판다.", "책상은 오만 원이다."),
    ("f", "private", "비가 와서 소풍을 미룬다.", "#Person1#과 #Person2#는 소풍을 미룬다."),
    ("g", "public", "회의가 늦어진다.", "#Person1#은 회의에 늦는다고 #Person2#에게 말한다."),
]
SET = References.from_examples(
    [ReferenceRow(name, golds, split) for name, split, *texts in GOLDS for golds in [tuple(texts)]]
)
TALKS = {
    name: f"#Person1#: {first}\n\n#Person2#: 네.\n가: {last}" for name, _, first, last in GOLDS
}
PROFILES = [(preset, tags) for preset in PRESETS for tags in ("keep", "atomic", "drop")]


class Given:
    def tokenize(self, tokens: Sequence[str]) -> Sequence[str]:
        return tokens


SCORER = RougeScorer(list(Profile().metrics), tokenizer=Given())


@cache
def by_package(tags: Tags, prediction: str, gold: str) -> list[float]:
    cut = Profile(tags=tags).analyzer()
    found = SCORER.score(cut(gold), cut(prediction))
    return [found[metric].fmeasure for metric in Profile().metrics]


def plain(profile: Profile, rows: Sequence[tuple[str, Sequence[str]]]) -> float:
    """The total of (prediction, references) rows by the package, added up in plain Python."""
    values: list[list[float]] = [[], [], []]
    for prediction, golds in rows:
        found = [by_package(profile.tags, prediction, gold) for gold in golds]
        for column, each in zip(values, zip(*found, strict=True), strict=True):
            best, mean = max(each), math.fsum(each) / len(each)
            column.append(best if profile.gold_aggregation == "max" else mean)
    means = [math.fsum(column) / len(column) for column in values]
    divisor = 1 if profile.metric_aggregation == "sum" else len(means)
    return math.fsum(means) / divisor * profile.scale


def paired(texts: Sequence[str], rows: Sequence[ReferenceRow]) -> list[tuple[str, Sequence[str]]]:
    return [(text, row.references) for text, row in zip(texts, rows, strict=True)]


@pytest.mark.parametrize(("preset", "tags"), PROFILES)
def test_every_line_is_that_of_a_plain_double_loop(preset: str, tags: Tags) -> None:
    profile = PRESETS[preset].with_tags(tags)
    prepared = prepare(SET, profile)
    found, others = floors(prepared, TALKS), next_rows(prepared, 0)
    held = found.constant
    for split in ("all", "public", "private"):
        places = [at for at, row in enumerate(SET.examples) if split in ("all", row.split)]
        rows = [SET.examples[at] for at in places]
        strangers = [row for row in rows if held not in row.references]
        humans = [
            [(row.references[k], row.references[1 - k : 2 - k]) for row in rows] for k in (0, 1)
        ]
        expected = {
            "constant": plain(profile, paired([held] * len(strangers), strangers)),
            "phrase": plain(profile, paired([found.phrase] * len(strangers), strangers)),
            "other_row": plain(
                profile, paired([SET.examples[others[at]].references[0] for at in places], rows)
            ),
            "lead1": plain(
                profile, paired([f"#Person1#: {row.references[0]}" for row in rows], rows)
            ),
            "lead3": plain(profile, paired([TALKS[row.example_id] for row in rows], rows)),
            "human": math.fsum(plain(profile, human) for human in humans) / 2,
        }
        assert found.totals(split) == expected
        assert list(expected) == list(LINES)
    public = [row for row in SET.examples if row.split == "public"]
    assert held == max(
        (text for row in public for text in row.references), key=partial(alone, profile)
    )


def alone(profile: Profile, text: str) -> float:
    """One text on all public rows but its own."""
    rows = [row for row in SET.examples if row.split == "public" and text not in row.references]
    return plain(profile, paired([text] * len(rows), rows))


def test_the_phrase_is_the_constant_without_the_words_that_do_not_pay() -> None:
    found = floors(prepare(SET, Profile()))
    public = found.totals("public")
    assert public["phrase"] is not None
    assert public["constant"] is not None
    assert public["phrase"] > public["constant"]
    words = iter(found.constant.split())
    assert all(word in words for word in found.phrase.split()), "in the order of the constant"
    assert len(found.phrase.split()) < len(found.constant.split())


def test_lines_that_a_set_cannot_have() -> None:
    single = References.from_examples(
        [replace(row, references=row.references[:1]) for row in SET.examples[:3]]
    )
    found = floors(prepare(single, Profile(tokenizer="chars")))
    assert list(found.lines) == ["constant", "phrase", "other_row"]
    assert found.totals("all")["human"] is None
    assert (found.against, found.gap_errors["all"]) == ((0, 0), None)
    # One row alone in its split: nobody to take a text from; it counts in no line of others.
    assert found.totals("private")["other_row"] is None
    one = floors(
        prepare(References.from_examples([ReferenceRow("a", ("가 나", "가 다"))]), Profile())
    )
    assert {
        name: line.splits.get("all") for name, line in one.lines.items() if name != "human"
    } == (dict.fromkeys(("constant", "phrase", "other_row")))
    with pytest.raises(ValueError, match="no dialogue for a"):
        floors(prepare(SET, Profile(tokenizer="chars")), {"b": "가: 나"})


def test_references_by_rows_of_different_number_lend_their_last() -> None:
    uneven = References.from_examples(
        [ReferenceRow("a", ("가 나", "가 다", "다 라")), ReferenceRow("b", ("마 바", "마 사"))]
    )
    found = floors(prepare(uneven, Profile(tokenizer="whitespace", metrics=("rouge1",))))
    assert found.against == (1, 2)
    # a: each has half in common with one of the others; b: the second stands for the third.
    assert found.totals("all")["human"] == 0.5


@pytest.mark.parametrize("preset", PRESETS)
def test_a_row_with_one_reference_hides_no_human_line(preset: str) -> None:
    """The others count: their line is that of the set without this row."""
    profile = PRESETS[preset].with_tokenizer("chars")
    lonely = ReferenceRow("z", ("하나.",), "public")
    without = floors(prepare(SET, profile))
    found = floors(prepare(References.from_examples([*SET.examples, lonely]), profile))
    assert found.against == (1, 1)
    for split, rows in (("all", 7), ("public", 4), ("private", 3)):
        assert found.lines["human"].splits[split].rows == rows
        assert found.totals(split)["human"] == without.totals(split)["human"]
    assert np.isnan(found.lines["human"].examples[:, 0]).tolist() == [False] * 7 + [True]


def test_the_error_of_the_gap_is_that_of_paired_rows() -> None:
    found = floors(prepare(SET, Profile(tokenizer="chars")))
    totals = {name: total for name, total in found.totals("all").items() if name != "human"}
    highest = max(totals, key=lambda name: totals[name] or 0)
    rows = found.lines["human"].examples.sum(axis=1) - found.lines[highest].examples.sum(axis=1)
    known = rows[~np.isnan(rows)].tolist()
    expected = statistics.stdev(known) / math.sqrt(len(known))
    assert found.gap_errors["all"] == pytest.approx(expected)


def test_a_large_set_is_searched_in_part_and_always_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [ReferenceRow(f"r{n}", (f"{'가' * (n % 7 + 1)} {n}", f"나 {n}")) for n in range(40)]
    profile = Profile(tokenizer="whitespace")
    monkeypatch.setattr("scoring.insight.trivial_baselines.MOST_CANDIDATES", 20)
    monkeypatch.setattr("scoring.insight.trivial_baselines.MOST_ROWS", 15)
    first, again = (
        floors(prepare(References.from_examples(order), profile)) for order in (rows, rows[::-1])
    )
    assert (first.constant, first.totals("all")) == (again.constant, again.totals("all"))
    assert first.constant.split()[0] in ("나", "가"), "what most rows hold"


def test_the_way_from_the_highest_floor_to_the_human_line() -> None:
    lines = {"constant": 1.0, "phrase": 1.1, "other_row": None, "lead1": 0.9, "human": 2.1}
    assert way(1.6, lines, Profile(), 0.1) == pytest.approx(0.5)
    assert way(0.1, lines, Profile(), 0.1) == pytest.approx(-1.0), "never clipped"
    assert way(3.1, lines, Profile(), 0.1) == pytest.approx(2.0)
    assert way(1.6, lines | {"human": None}, Profile(), 0.1) is None
    assert way(1.6, {"human": 2.0}, Profile(), 0.1) is None
    near = lines | {"human": 1.1199}
    assert way(1.11, near, Profile(), 0.001) is None
    assert way(1.11, near, replace(Profile(), metric_aggregation="mean"), 0.001) is not None
    assert way(1.6, lines, Profile(), 0.499) is not None, "the gap of 1.0 is two errors"
    assert way(1.6, lines, Profile(), 0.501) is None
    assert way(1.6, lines, Profile(), None) is None
    assert set(FLOORS) | {"human"} == set(LINES)


def test_the_command_line_prints_floors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    golds, talks = tmp_path / "gold.csv", tmp_path / "talks.csv"
    rows = [f"{row.example_id},{row.split},{','.join(row.references)}" for row in SET.examples]
    golds.write_text("\n".join(["fname,split,summary1,summary2", *rows, ""]), "utf-8")
    talks.write_text(
        "fname,dialogue\n" + "".join(f'{n},"{t}"\n' for n, t in TALKS.items()), "utf-8"
    )
    command = ["floors", str(golds), "--tokenizer", "chars", "--profile", "stages"]
    assert main([*command, "--dialogues", str(talks), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    found: Floors = floors(prepare(SET, PRESETS["stages"].with_tokenizer("chars")), TALKS)
    assert said["splits"] == {name: found.totals(name) for name in ("all", "public", "private")}
    assert said["signature"] == found.signature
    assert re.search(r"\|floors:c200\.r1000\|dialogues:[0-9a-f]{16}\|v:1$", found.signature)
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == list(LINES)
    assert lines[4].split() == ["lead1", "–", "–", "–"]
    talks.write_text("fname,dialogue\na,가: 나\n", "utf-8")
    assert main([*command, "--dialogues", str(talks)]) == 2
    assert "b, c, d, e, f" in capsys.readouterr().err
