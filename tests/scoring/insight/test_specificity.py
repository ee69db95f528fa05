"""Lift: what a file loses when its texts stand on other rows tells near-constant files apart."""

import json
import math
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from scoring import references
from scoring.cli import main
from scoring.insight.specificity import Light, lifts, light, next_rows
from scoring.insight.trivial_baselines import floors
from scoring.pipeline import PreparedReferences, prepare, score
from scoring.profile import PRESETS, Profile
from scoring.references import ReferenceRow, References
from scoring.tokenizers.tags import Tags

DEMO = Path(__file__).resolve().parents[3] / "leaderboard" / "demo"
WHO = ["은수", "도윤", "하린", "#Person1#", "#Person2#", "점원", "의사", "선생님", "지호", "서연"]
WHAT = [
    "수박",
    "기차표",
    "복사기",
    "감기약",
    "영화표",
    "책상",
    "자전거",
    "김치찌개",
    "회의실",
    "우산",
]
WHERE = ["시장", "역", "사무실", "병원", "극장", "학교", "공원", "식당", "도서관", "집"]
WHEN = ["내일", "주말에", "저녁에", "다음 달에", "오늘", "아침에", "곧", "방학에"]


def made(rows: int = 40) -> References:
    """Three golds a row that tell the same in other words."""
    dice = random.Random(20260101)
    examples = []
    for number in range(rows):
        one, other = dice.sample(WHO, 2)
        what, where, when = dice.choice(WHAT), dice.choice(WHERE), dice.choice(WHEN)
        golds = (
            f"{one}은 {other}에게 {where}에서 {what}을 {when} 고르자고 한다.",
            f"{when} {where}에 가는 {one}은 {other}와 {what}을 같이 보기로 합니다.",
            f"{other}는 {one}의 {what} 이야기를 듣고 {when} {where}에서 만나기로 약속했다.",
        )
        examples.append(ReferenceRow(f"row_{number}", golds, ("public", "private")[number % 2]))
    return References.from_examples(examples)


def demo(name: str) -> References:
    return references.read([(name, (DEMO / name).read_bytes())])


def light_of(texts: Mapping[str, str], prepared: PreparedReferences) -> Light:
    found = lifts(texts, score(texts, prepared), prepared)
    assert list(found) == list(prepared.splits)
    [same] = {one.light for one in found.values()}
    return same


TEMPLATE = "#Person1#은 #Person2#에게 {}에 대해 이야기하고 함께 하기로 한다."
PADDING = " 두 사람은 서로 이야기를 나누고 그렇게 하기로 약속한다. 그래서 다시 만나기로 합니다."


@pytest.mark.parametrize(
    ("golds", "tags"), [(made(), "keep"), (demo("finished_golds.csv"), "drop")]
)
def test_files_that_hardly_look_at_their_row_are_red_and_no_others(
    golds: References, tags: Tags
) -> None:
    rows = golds.examples
    nouns = {row.example_id: max(row.references[0].split(), key=len)[:2] for row in rows}
    nxt = [*rows[1:], rows[0]]
    cheap = {
        "constant": {row.example_id: rows[0].references[0] for row in rows},
        "template": {name: TEMPLATE.format(noun) for name, noun in nouns.items()},
        "padded": {name: TEMPLATE.format(noun) + PADDING for name, noun in nouns.items()},
        "shifted": {
            row.example_id: other.references[0] for row, other in zip(rows, nxt, strict=True)
        },
    }
    honest = {
        f"reference {slot}": {row.example_id: row.references[slot] for row in rows}
        for slot in range(3)
    } | {
        "brief": {row.example_id: " ".join(row.references[1].split()[:4]) for row in rows},
        "two": {row.example_id: " ".join(row.references[:2]) for row in rows},
    }
    prepared = prepare(golds, Profile().with_tags(tags))
    assert {name: light_of(texts, prepared) for name, texts in cheap.items()} == (
        dict.fromkeys(cheap, "red")
    )
    assert {name: light_of(texts, prepared) for name, texts in honest.items()} == (
        dict.fromkeys(honest, "green")
    )
    totals = floors(prepared).totals("all")
    floor = max(value for name, value in totals.items() if value is not None and name != "human")
    assert score(cheap["constant"], prepared).splits["all"].total <= floor
    assert score(cheap["shifted"], prepared).splits["all"].total <= floor


@pytest.mark.parametrize("preset", PRESETS)
def test_lift_is_the_total_without_the_mean_of_five_shuffled_files(preset: str) -> None:
    golds = made(9)
    prepared = prepare(golds, PRESETS[preset].with_tokenizer("whitespace").with_beside(["chrf"]))
    texts = {row.example_id: row.references[0] + f" {row.example_id}" for row in golds.examples}
    report = score(texts, prepared)
    shuffled = []
    for number in range(1, 6):
        others = next_rows(prepared, number)
        moved = {row: texts[golds.ids[other]] for row, other in zip(golds.ids, others, strict=True)}
        shuffled.append(score(moved, prepared).splits)
    known: dict[str, tuple[str, ...]] = {}
    for split, found in lifts(texts, report, prepared, None, known).items():
        total = report.splits[split].total
        lift = total - math.fsum(one[split].total for one in shuffled) / 5
        assert (found.total, found.lift, found.ratio) == (total, lift, lift / total)
        assert f"|split:{split}|lift:shuffles5|v:1" in found.signature
    assert known.keys() == set(texts.values()), "each text is cut once"


def test_no_row_keeps_its_text_and_none_leaves_its_split() -> None:
    golds = made(15)
    prepared = prepare(golds, Profile(tokenizer="chars"))
    orders = [next_rows(prepared, number).tolist() for number in range(6)]
    assert len({tuple(order) for order in orders}) == 6
    for order in orders:
        assert sorted(order) == list(range(15))
        for row, other in enumerate(order):
            assert row != other
            assert golds.examples[row].split == golds.examples[other].split
    whole = replace(golds, examples=tuple(replace(row, split=None) for row in golds.examples))
    order = next_rows(prepare(whole, Profile(tokenizer="chars")), 0).tolist()
    assert any(row % 2 != other % 2 for row, other in enumerate(order))
    # Other golds, another order: who knows the ids alone cannot know it.
    other_golds = prepare(made(14), Profile(tokenizer="chars"))
    assert next_rows(other_golds, 0).tolist() != orders[0][:14]


def test_a_split_of_one_row_has_no_lift_and_a_blank_file_is_red() -> None:
    rows = [
        ReferenceRow(name, ("가 나",), split)
        for name, split in zip("abc", ["public", "public", "private"], strict=True)
    ]
    prepared = prepare(References.from_examples(rows), Profile(tokenizer="chars"))
    texts = dict.fromkeys("abc", " ")
    found = lifts(texts, score(texts, prepared), prepared)
    assert list(found) == ["all", "public"]
    assert (found["all"].ratio, found["all"].light) == (None, "red")
    assert [light(ratio) for ratio in (0.2, 0.1999, 0.12, 0.1199, -0.3)] == (
        ["green", "amber", "amber", "red", "red"]
    )


def test_the_command_line_prints_lift(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    golds = made(6)
    texts = {row.example_id: row.references[1] for row in golds.examples}
    gold, given = tmp_path / "gold.csv", tmp_path / "given.csv"
    lines = [f"{row.example_id},{row.split},{','.join(row.references)}" for row in golds.examples]
    gold.write_text("\n".join(["fname,split,summary1,summary2,summary3", *lines, ""]), "utf-8")
    given.write_text("fname,summary\n" + "".join(f"{n},{t}\n" for n, t in texts.items()), "utf-8")
    command = ["lift", str(gold), str(given), "--tokenizer", "chars"]
    assert main([*command, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    prepared = prepare(golds, Profile(tokenizer="chars"))
    found = lifts(texts, score(texts, prepared), prepared)
    assert said["splits"] == {
        name: {"total": one.total, "lift": one.lift, "ratio": one.ratio, "light": "green"}
        for name, one in found.items()
    }
    assert said["signature"] == prepared.signature.replace("|v:1", "|lift:shuffles5|v:1")
    assert main(command) == 0
    table = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in table[1:-1]] == ["total", "lift", "ratio", "light"]
