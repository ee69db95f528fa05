"""The stock `kaggle` command against the running product: an independent client of the facade.

Its protocol is not documented and changes with its versions: the lock pins the one that is tried.
"""

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from leaderboard import kaggle
from tests.faults.drive import upload
from tests.stack import Stack

pytestmark = pytest.mark.faults
ROWS = 20
FILE = upload(ROWS, 4).data
CONTEST = "leaderboard.kaggle.contest"


@dataclass(frozen=True)
class Kaggle:
    """The command of somebody with a home of their own, behind the server as its proxy."""

    stack: Stack
    home: Path
    secret: str

    def run(self, *words: str, ends: int = 0, **env: str) -> str:
        """What it prints, on both ways; it ends so."""
        done = subprocess.run(
            [str(Path(sys.executable).with_name("kaggle")), *words],
            cwd=self.home,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.home),
                "LC_ALL": "C.UTF-8",
                "KAGGLE_API_ENVIRONMENT": "LOCALHOST",
                "http_proxy": self.stack.url,
                "KAGGLE_API_TOKEN": self.secret,
                **env,
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == ends, said
        return said


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kaggle]:
    with Stack(env={"KAGGLE_FACADE": "1"}) as stack:
        secret = stack.drive(CONTEST, "prepare", str(ROWS))
        yield Kaggle(stack, tmp_path_factory.mktemp("home"), secret)


def test_it_is_the_version_that_the_facade_was_written_for() -> None:
    assert version("kaggle") in str(kaggle.__doc__)


def test_from_the_list_to_the_score(client: Kaggle) -> None:
    assert re.search(r"^talk .* True", client.run("competitions", "list"), re.MULTILINE)
    assert "dialogues.csv" in client.run("competitions", "files", "talk")
    client.run("competitions", "download", "talk", "-f", "dialogues.csv")
    client.run("competitions", "download", "talk")
    with zipfile.ZipFile(client.home / "talk.zip") as archive:
        assert archive.read("dialogues.csv") == (client.home / "dialogues.csv").read_bytes()

    (client.home / "bad.csv").write_bytes(FILE.replace(b"test_6,", b"test_7,") + b"\ntest_8,\n")
    said = _submit(client, "bad.csv", ends=1)
    assert "5줄 test_7" in said, said
    assert "22줄 test_8" in said, said
    (client.home / "large.csv").write_bytes(b"x" * 5_000_001)
    assert "5 MB" in _submit(client, "large.csv", ends=1)
    assert client.stack.drive(CONTEST, "handed_in") == {
        "notes": [],
        "charges": 0,
    }

    (client.home / "good.csv").write_bytes(FILE)
    said = _submit(client, "good.csv", "--wait", "--poll-interval", "5")
    assert "1 submissions remaining today." in said
    assert (score := re.search(r"Public score: (\d\.\d{4})", said)), said
    own = re.search(r"Submission ref: (\d+)", said)
    assert f"Public Score:    {score[1]}" in client.run("competitions", "submission", own[1])
    listed = client.run("competitions", "submissions", "talk", "--format", "json")
    [line] = json.loads(listed)
    assert (line["ref"], line["fileName"], line["description"]) == (
        int(own[1]),
        "good.csv",
        "첫 시도",
    )
    assert (line["publicScore"], line["privateScore"]) == (score[1], "")
    client.run("competitions", "submission-download", own[1])
    assert (client.home / f"{own[1]}.csv").read_bytes() == FILE

    board = client.run("competitions", "leaderboard", "talk", "--show")
    assert re.search(rf"1  alice .* {score[1]}", board), board
    client.run("competitions", "leaderboard", "talk", "--download", "-p", "board")
    with zipfile.ZipFile(client.home / "board/talk.zip") as archive:
        assert score[1] in archive.read("talk-public.csv").decode("utf-8-sig")

    _submit(client, "good.csv")
    limits = client.run("competitions", "submission-limits", "talk")
    assert "Remaining today: 0" in limits
    assert "오늘" in _submit(client, "good.csv", ends=1)
    assert client.stack.drive(CONTEST, "handed_in")["charges"] == 2


def test_the_key_of_a_file_is_a_token_too(client: Kaggle) -> None:
    folder = client.home / ".kaggle"
    folder.mkdir()
    (folder / "kaggle.json").write_text(json.dumps({"username": "alice", "key": client.secret}))
    assert "talk" in client.run("competitions", "list", KAGGLE_API_TOKEN="")
    (folder / "kaggle.json").unlink()
    said = client.run("competitions", "list", ends=1, KAGGLE_API_TOKEN="slb_wrong")
    assert "Authentication required" in said


def _submit(client: Kaggle, file: str, *words: str, ends: int = 0) -> str:
    named = ("competitions", "submit", "talk", "-f", file, "-m", "첫 시도")
    return client.run(*named, *words, ends=ends)
