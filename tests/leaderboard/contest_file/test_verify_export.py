"""What the server exports can be verified on another machine, from the files alone."""

import csv
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from leaderboard.contest_file.everything import everything
from scoring.cli import main
from tests.leaderboard import builders
from tests.leaderboard.builders import GOLDS, user, viewer_of
from tests.leaderboard.web.pages import browser, csv_file, hand_in, running

pytestmark = pytest.mark.django_db

DEV = {"dev_1": ("비가 와서 경기가 밀렸다.", "경기를 미룬다."), "dev_2": ("둘은 영화를 본다.",)}
SENT = {"talk_1": "민수는 지우를 만난다.", "talk_5": "회의가 밀렸다."}


class Files:
    """Golds, one file of predictions, and what the server exported of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        contest = running()
        builders.dev_set(contest, DEV)
        alices = builders.team(contest, "alice")
        given = hand_in(alices, SENT)
        hand_in(alices, dict.fromkeys(GOLDS, "같다"))
        builders.score_all(timezone.now())
        with zipfile.ZipFile(
            everything(viewer_of(contest, user("olivia"), timezone.now()))
        ) as archive:
            self._write("predictions.csv", archive.read(f"files/{given.pk}.csv"))
            for name in ("scores.csv", "board-public.csv"):
                self._write(name, archive.read(name))
        self._write("golds.csv", builders.gold_csv())
        page = browser("alice")
        self._write("submissions.csv", page.get("/c/talk/submissions.csv").content)
        self._write("dev_golds.csv", builders.gold_csv(DEV, None))
        sent = builders.texts_csv({"dev_1": "비가 와서 경기를 미룬다.", "dev_2": "둘은 본다."})
        self._write("dev_predictions.csv", sent)
        asked = {"file": csv_file(sent), "verb": "csv"}
        self._write("dev_scores.csv", page.post("/c/talk/lab", asked).content)

    def _write(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)

    def verify(self, export: str, *more: str) -> int:
        before = "dev_" if export.startswith("dev_") else ""
        names = (f"{before}golds.csv", f"{before}predictions.csv", export)
        golds, predictions, against = (str(self.folder / name) for name in names)
        return main(["verify", golds, predictions, "--against", against, *more])

    def change(self, export: str, change: Callable[[str], str]) -> None:
        path = self.folder / export
        text = path.read_text("utf-8-sig")
        assert change(text) != text
        path.write_text(change(text), "utf-8-sig", newline="")

    def tamper(self, export: str, column: str, cell: str) -> None:
        """Another number in this column wherever the first file's stands."""
        sha256 = hashlib.sha256((self.folder / "predictions.csv").read_bytes()).hexdigest()

        def change(text: str) -> str:
            lines = list(csv.reader(io.StringIO(text, newline="")))
            head = next(line for line in lines if not line[0].startswith("# "))
            for line in lines[lines.index(head) + 1 :]:
                if "sha256" not in head or sha256 in line:
                    line[head.index(column)] = cell
            out = io.StringIO()
            csv.writer(out).writerows(lines)
            return out.getvalue()

        self.change(export, change)


EXPORTS = ["scores.csv", "submissions.csv", "dev_scores.csv"]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@pytest.mark.parametrize(
    ("export", "numbers"), [(EXPORTS[0], 10), (EXPORTS[1], 4), (EXPORTS[2], 6)]
)
def test_the_server_s_numbers_are_ours(
    export: str, numbers: int, files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    assert files.verify(export, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["checks"]["against"] == {
        "compared": numbers,
        "different": 0,
        "largest": 0.0,
        "places": [],
    }


@pytest.mark.parametrize(
    ("export", "column", "cell", "place"),
    [
        ("scores.csv", "total_exact", "1.25", "public total_exact: 1.25 ≠ "),
        ("scores.csv", "rouge1", "0.25", "private rouge1: 0.25 ≠ "),
        ("submissions.csv", "public_total", "1000", "public total: 1000 ≠ "),
        ("dev_scores.csv", "rougeL", "0.250000", "dev_2 rougeL: 0.250000 ≠ "),
        ("dev_scores.csv", "rouge2", "a lot", "dev_1 rouge2: a lot ≠ "),
    ],
)
def test_a_number_that_the_server_changed_is_found_and_named(
    export: str,
    column: str,
    cell: str,
    place: str,
    files: Files,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files.tamper(export, column, cell)
    assert files.verify(export, "--json") == 1
    said = json.loads(capsys.readouterr().out)
    assert said["failed"] == ["against"]
    against = said["checks"]["against"]
    assert any(one.startswith(place) for one in against["places"])
    assert cell != "1000" or 997 <= against["largest"] < 1000


@pytest.mark.parametrize("export", EXPORTS)
def test_another_signature_is_no_agreement(
    export: str, files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    files.change(export, lambda text: text.replace("|golds:max|", "|golds:mean|"))
    assert files.verify(export, "--language", "en") == 1
    out = capsys.readouterr().out
    assert "✗ against (the server's scores)" in out
    assert "    signature: rouge:r1+r2+rL.f1|golds:mean|" in out


def test_a_board_whose_numbers_bear_another_signature_is_not_left_out(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else whoever changes the private number would only have to change its signature too."""
    private = re.compile(r"golds:max(\S*\|split:private\|)")
    files.change("scores.csv", lambda text: private.sub(r"golds:mean\1", text))
    assert files.verify("scores.csv", "--language", "en") == 1
    out = capsys.readouterr().out
    [said] = [line for line in out.splitlines() if "≠" in line]
    assert said.startswith("    signature: rouge:r1+r2+rL.f1|golds:mean|")
    assert "|split:private|" in said


def test_what_cannot_be_compared_is_told(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    assert files.verify("board-public.csv", "--language", "en") == 2
    assert "Use scores.csv" in capsys.readouterr().err
    (files.folder / "predictions.csv").write_bytes(builders.prediction_csv({"talk_2": "다른 것"}))
    assert files.verify("scores.csv", "--language", "en") == 2
    assert "no score for this predictions file" in capsys.readouterr().err
    assert files.verify("nowhere.csv") == 2


def test_what_a_file_of_others_says_cannot_steer_the_terminal(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    files.tamper("scores.csv", "total", "\x1b[2Jall is well")
    assert files.verify("scores.csv", "--language", "en") == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert r"\x1b[2Jall is well" in out
