"""What is written here is read back the same, cell by cell, by every Python that it may meet."""

import json
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from django.utils.translation import gettext_lazy as _

from leaderboard.api.client import leaderboard_client as client
from leaderboard.boards.exports import csv_file
from leaderboard.demo.contests import as_csv
from leaderboard.references.handouts import made_file
from scoring import predictions, references
from scoring.findings import Limits
from scoring.predictions.repair import repair
from scoring.references import ReferenceRow, References
from scoring.table import records, written
from tests.leaderboard.api.test_client_processes import python

PYTHONS = pytest.mark.parametrize("versions", [("3.8", "3.9"), ("3.11.7", "3.11"), ("3.13",)])
CELLS = [
    "첫 문장.\r둘째 문장.",
    "\r",
    "가\r\n나",
    "가\n나",
    '그는 "네"라고, 했다.',
    " 나 ",
    "",
    "'=1",
]
TEXTS = {"a": "첫째 문장.\r둘째 문장.", "b": "큰 소리, 작은 소리.", "c": '"네"\r\n\n"아니요"'}

READ = """
import csv, io, json, sys
text = sys.stdin.buffer.read().decode("utf-8-sig")
print(json.dumps(list(csv.reader(io.StringIO(text, newline=""), strict=True))))
"""
SENT = """
import json, sys
sys.path.insert(0, sys.argv[1])
import leaderboard_client as client
texts = json.load(sys.stdin)
rows = [{"fname": name, "summary": text} for name, text in texts.items()]
print(json.dumps([client.as_file(source).data.decode() for source in (texts, rows)]))
"""


def run_under(versions: tuple[str, ...], code: str, given: bytes, *words: str) -> list[list[str]]:
    command = [python(versions), "-c", code, *words]
    done = subprocess.run(command, input=given, capture_output=True, check=True)
    found: list[list[str]] = json.loads(done.stdout)
    return found


@PYTHONS
def test_what_is_written_is_read_back(versions: tuple[str, ...]) -> None:
    rows = [["fname", "summary"], *([f"r{n}", cell] for n, cell in enumerate(CELLS))]
    assert run_under(versions, READ, written(rows).encode()) == rows
    assert [record.cells for record in records(written(rows), Limits())] == rows


@PYTHONS
def test_a_client_of_any_python_sends_what_it_is_given(versions: tuple[str, ...]) -> None:
    given = json.dumps(TEXTS).encode()
    folder = str(Path(client.__file__).parent)
    for sent in run_under(versions, SENT, given, folder):
        assert dict(predictions.read(str(sent).encode(), list(TEXTS)).texts) == TEXTS


def test_a_frame_is_sent_as_it_is() -> None:
    frame = pd.DataFrame({"fname": list(TEXTS), "summary": list(TEXTS.values())})
    assert dict(predictions.read(client.as_file(frame).data, list(TEXTS)).texts) == TEXTS


def golds() -> References:
    rows = (ReferenceRow(name, (text, "둘.\r셋.")) for name, text in TEXTS.items())
    return References.from_examples(rows)


@PYTHONS
def test_every_file_that_is_handed_out_comes_back(versions: tuple[str, ...]) -> None:
    made = made_file("dev_golds.csv", _("Download"), [("fname", "summary1"), *TEXTS.items()])
    files = [as_csv(TEXTS), made.file.read(), golds().written()]
    files.append(csv_file({"team": "둘\r셋"}, ["name"], [["x\ry"]]))
    files.append(repair(as_csv(TEXTS).replace(b",", b";"), list(TEXTS)).data or b"")
    for data in files:
        rows = run_under(versions, READ, data)
        assert {len(row) for row in rows if not row[0].startswith("#")} == {len(rows[-1])}
        assert any("\r" in cell for row in rows for cell in row)


def test_golds_of_a_bundle_are_the_same_set() -> None:
    again = references.read([("golds.csv", golds().written())])
    assert again.sha256 == golds().sha256


def test_a_line_of_a_fact_is_still_one_that_programs_skip(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_bytes(csv_file({"signature": "rouge:r1, v:1"}, ["rank", "team"], [[1, "가, 나"]]))
    frame = pd.read_csv(path, comment="#")
    assert frame.to_dict("records") == [{"rank": 1, "team": "가, 나"}]
