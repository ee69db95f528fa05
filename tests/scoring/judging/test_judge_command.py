"""`python -m scoring judge`: one JSON object, or one line about what is wrong."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from scoring.cli import main
from scoring.judges import systems
from tests.scoring.judging import answers

MASTRA = {"alignment": ["yes", "no"], "coverage": ["yes", "yes", "yes", "no"], "scale": 1}
DEEPEVAL = {
    "alignment": ["yes", "no"],
    "source_answers": ["yes"] * 4,
    "summary_answers": ["yes", "yes", "yes", "no"],
    "threshold": 0.5,
    "strict_mode": False,
}
NATIVE = answers.native("YN", "YYYN", {"r1": "TF"}, "T")


def judge(
    capsys: pytest.CaptureFixture[str], folder: Path, system: str, records: object, *options: str
) -> tuple[int, str, str]:
    file = folder / "records.json"
    written = records if isinstance(records, str) else json.dumps(records, ensure_ascii=False)
    file.write_text(written, "utf-8")
    code = main(["judge", "--system", system, str(file), *options])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize(
    ("system", "records", "printed"),
    [
        (
            "mastra-legacy",
            {**MASTRA, "scale": 10, "reason": "까닭"},
            {
                "score": 5.0,
                "info": {"reason": "까닭", "alignmentScore": 5.0, "coverageScore": 7.5},
            },
        ),
        (
            "mastra-2026",
            {"alignment": [True], "coverage": [True], "questions": 4, "max_questions": 10,
             "reason": ""},
            {"score": 0.25, "info": {"reason": "", "alignmentScore": 1.0, "coverageScore": 0.25}},
        ),
        (
            "deepeval",
            {**DEEPEVAL, "reason": "까닭"},
            {
                "score": 0.5,
                "reason": "까닭",
                "success": True,
                "score_breakdown": {"Alignment": 0.5, "Coverage": 0.75},
            },
        ),
        (
            "google-adherence",
            {"rubrics": []},
            {"score": None, "addressed": 0, "questions": 0, "rubrics": []},
        ),
        (
            "google-completeness",
            [],
            {"score": None, "micro": None, "per_question": [], "excluded": 0, "completeness": []},
        ),
    ],
)  # fmt: skip
def test_it_prints_what_the_page_shows(
    system: str,
    records: object,
    printed: object,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    code, out, _ = judge(capsys, tmp_path, system, records)
    assert code == 0
    assert json.loads(out) == printed
    assert out.count("\n") == 1


def test_native(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = judge(capsys, tmp_path, "native", NATIVE)
    assert code == 0
    printed = json.loads(out)
    assert printed == systems.score("native", NATIVE)
    assert {key: value for key, value in printed.items() if key != "metrics"} == {
        "score": 0.5,
        "status": "scored",
        "summarization": 0.5,
        "alignment": 0.5,
        "coverage": 0.75,
        "completeness": 0.5,
        "completeness_micro": 0.5,
        "adherence": 1.0,
        "conciseness": 0.0,
        "score_breakdown": {"Alignment": 0.5, "Coverage": 0.75},
        "alignmentScore": 0.5,
        "coverageScore": 0.75,
        "unsure": 0,
        "flags": [],
    }


def test_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + json.dumps(MASTRA).encode()))
    monkeypatch.setattr(sys, "stdin", given)
    assert main(["judge", "--system", "mastra", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["score"] == 0.5


def without(records: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in records.items() if name != key}


@pytest.mark.parametrize(
    ("system", "records", "line"),
    [
        ("mastra", "", "Not exactly one valid JSON value (not_one_json_value)."),
        ("mastra", [], "must be a JSON object."),
        ("mastra", without(MASTRA, "alignment"), "alignment is missing."),
        ("mastra", {**MASTRA, "coverage": ["yes", 1]}, "coverage[1]: must be a string."),
        ("mastra", {**MASTRA, "scale": 10**400}, "scale: must be a number."),
        ("mastra", {**MASTRA, "questions": 1.5}, "questions: must be a whole number."),
        ("mastra-2026", {**MASTRA, "max_questions": 0}, "max_questions: must be at least 1."),
        (
            "mastra-legacy",
            {**MASTRA, "questions": 5},
            "5 questions but 4 answers: the original code ends here in a TypeError.",
        ),
        ("deepeval", {**DEEPEVAL, "strict_mode": "no"}, "strict_mode: must be true or false."),
        ("deepeval", {**DEEPEVAL, "version": "2"}, "version: must be one of 3.7, 4.3."),
        (
            "deepeval",
            {**DEEPEVAL, "alignment": ["Yes"], "version": "3.7"},
            "deepeval 3.7 fails on 'Yes', which is not yes, no or idk.",
        ),
        (
            "google-accuracy",
            {"decomposition": [{"point": "a"}]},
            "decomposition[0]: is_accurate is missing.",
        ),
        (
            "google-completeness",
            [{"question": "a", "content_list": [{"is_covered": " True "}]}],
            "[0].content_list[0].is_covered: must be True or False.",
        ),
        ("native", without(NATIVE, "dialogue"), "dialogue is missing."),
        ("native", {**NATIVE, "answers": {}}, "answers: must be a list."),
        (
            "native",
            {**NATIVE, "asked": {"questions": ["q1", "q1"]}},
            "asked.questions: has the same id twice.",
        ),
        (
            "native",
            {**NATIVE, "asked": {"adherence": [None]}},
            "asked.adherence[0]: must be an id.",
        ),
        ("native", {**NATIVE, "asked": {"completeness": []}}, "asked.completeness"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    system: str, records: object, line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    if line == "asked.completeness":
        records = {**NATIVE, "asked": {"completeness": ["r1"]}}
    code, out, err = judge(capsys, tmp_path, system, records, "--language", "en")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert line in err
    korean = judge(capsys, tmp_path, system, records)[2]
    assert korean.count("\n") == 1
    assert korean != err


def test_a_file_that_is_not_utf8(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "records.json"
    file.write_bytes('{"reason": "한국어"}'.encode("cp949"))
    assert main(["judge", "--system", "mastra", str(file), "--language", "en"]) == 2
    assert capsys.readouterr().err == "Not UTF-8 at position 12.\n"
