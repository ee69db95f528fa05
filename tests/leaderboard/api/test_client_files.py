"""The client on this machine and on the line: files, tokens, and servers that are slow."""

import io
import json
import re
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from leaderboard.api.client import leaderboard_client as client
from leaderboard.competitions.models import Competition
from leaderboard.web.uploads import PREDICTIONS_BYTES
from tests.leaderboard import builders
from tests.leaderboard.api.through import URL, Through, run
from tests.servers import Answering, Said

pytestmark = pytest.mark.django_db


def test_files_are_fetched_once_and_only_into_the_folder(
    contest: Competition, alice: Through, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    assert run("download", "-p", str(folder)) == 0
    kept = folder / contest.data_files.get().name
    assert kept.read_bytes() == contest.data_files.get().file.open("rb").read()
    fetched = [asked for asked in alice.asked if "/files/" in asked]
    assert run("download", kept.name, "-p", str(folder)) == 0
    assert [asked for asked in alice.asked if "/files/" in asked] == fetched
    kept.write_text("mine")
    assert run("download", "-f", kept.name, "-p", str(folder)) == 1
    assert kept.read_text() == "mine"
    assert run("download", kept.name, "-p", str(folder), "-o") == 0
    contest.data_files.update(name="../../.profile")
    assert run("download", "-p", str(folder)) == 0
    sample = "sample_submission.csv"
    assert {one.name for one in folder.iterdir()} == {kept.name, sample, "_.._.profile"}
    assert run("download", "none", "-p", str(folder)) == 6


def test_what_lies_beside_a_file_stays_as_it_is(
    contest: Competition, alice: Through, tmp_path: Path
) -> None:
    """Nobody else's `.part` is deleted, written to or followed, and nothing is left."""
    folder, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    folder.mkdir()
    file = contest.data_files.get()
    own = folder / f"{file.name}.part"
    own.symlink_to(elsewhere)
    assert run("download", "-p", str(folder)) == 0
    assert not elsewhere.exists()
    own.unlink()
    own.write_text("mine")
    (folder / file.name).unlink()
    contest.data_files.update(sha256="0" * 64)
    assert run("download", file.name, "-p", str(folder)) == 5
    assert own.read_text() == "mine"
    assert {one.name for one in folder.iterdir()} == {own.name, "sample_submission.csv"}


def test_names_that_become_one_on_a_disk_are_marked() -> None:
    sent = ["a?b.csv", "a*b.csv", "A_b.CSV", "c.csv", "\u1100\u1161.csv", "가.csv", "가" * 99 + "?"]
    names = client.file_names(sent)
    assert len({one.casefold() for one in names.values()}) == len(sent)
    assert names["c.csv"] == "c.csv"
    assert re.fullmatch("a_b~[0-9a-f]{8}\\.csv", names["a?b.csv"])
    assert max(len(one.encode()) for one in names.values()) <= client.LONGEST_NAME


def test_a_file_that_cannot_be_kept_stops_no_other(
    contest: Competition, alice: Through, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contest.data_files.update(name="third.csv")
    builders.data_file(contest)
    listed = [one["name"] for one in client.connect().get("/competitions/talk/files")]
    names = [one for one in listed if one != "third.csv"]
    (tmp_path / names[0]).mkdir()
    (tmp_path / names[1]).write_text("mine")
    assert run("download", "-p", str(tmp_path), "--json") == 1
    assert json.loads(capsys.readouterr().out)["fetched"] == [str(tmp_path / "third.csv")]
    assert run("download", "-p", str(tmp_path)) == 1
    shown = capsys.readouterr()
    assert "Another file is there" in shown.err
    assert "Is a directory" in shown.err
    assert shown.out == f"{tmp_path / 'third.csv'}\n"


def test_a_file_that_is_too_large_is_told_with_its_size(
    alice: Through, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert client.MOST_BYTES == PREDICTIONS_BYTES
    file = tmp_path / "large.csv"
    with file.open("wb") as out:
        out.truncate(12_345_678)
    for source in (file, {"talk_1": "x" * 6_000_000}):
        size = "12,345,678" if source is file else "6,000,"
        with pytest.raises(client.InvalidPredictions, match=rf"{size}.* 5,000,000 ") as caught:
            client.validate(source)
        assert caught.value.code == "too_large"
    assert not any("POST" in asked for asked in alice.asked)
    monkeypatch.setattr(client, "MOST_BYTES", 1 << 30)
    with pytest.raises(client.InvalidPredictions, match=r"5 MB\. Yours is 12\.3 MB") as caught:
        client.validate(file)
    assert caught.value.code == "too_large"


def test_a_connection_that_is_cut_while_a_file_comes_is_the_servers(
    contest: Competition, alice: Through, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It goes on where it was, and is told as unreachable at the end."""
    remote = client.connect()
    listed = remote.get("/competitions/talk/files")
    [file] = [one for one in listed if one["name"] == contest.data_files.get().name]
    opened = remote.open
    asked: list[Any] = []
    data = contest.data_files.get().file.open("rb").read()
    monkeypatch.setattr(remote, "sleep", lambda seconds: None)

    class Cut(io.BytesIO):
        status = 200

        def read(self, size: int | None = -1) -> bytes:
            found = super().read(size)
            if not found:
                raise ConnectionResetError("cut")
            return found

    answers = [Cut(data[:9]), Cut(data[:7])]

    def open_or_cut(request: Any) -> Any:
        asked.append(request.get_header("Range"))
        return answers.pop() if answers else opened(request)

    monkeypatch.setattr(remote, "open", open_or_cut)
    fetched = client.fetch(remote, file, tmp_path / "one", force=False)
    assert Path(fetched).read_bytes() == data
    assert asked == [None, "bytes=7-", "bytes=9-"]  # 200 begins anew
    answers += [Cut() for _ in range(9)]
    with pytest.raises(client.ServerAway, match="cut"):
        client.fetch(remote, file, tmp_path / "again", force=False)
    assert [one.name for one in tmp_path.iterdir()] == ["one"]


def test_the_token_of_a_notebook_is_found_before_the_kept_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("LEADERBOARD_TOKEN", raising=False)
    client.keep(URL, "kept")
    assert client.token_of(URL) == "kept"
    secrets = SimpleNamespace(get_secret="of-{}".format)
    kaggle = SimpleNamespace(UserSecretsClient=lambda: secrets)
    monkeypatch.setitem(sys.modules, "kaggle_secrets", kaggle)
    assert client.token_of(URL) == "of-LEADERBOARD_TOKEN"
    colab = SimpleNamespace(get="in-{}".format)
    monkeypatch.setitem(sys.modules, "google.colab.userdata", colab)
    assert client.token_of(URL) == "in-LEADERBOARD_TOKEN"
    monkeypatch.setenv("LEADERBOARD_TOKEN", "set")
    assert client.token_of(URL) == "set"


def test_what_a_busy_server_asks_for_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Growing pauses, or what Retry-After says where that is longer; too long is not waited for."""
    waited: list[float] = []
    told = iter(["", "7", "1", "600"])

    def busy() -> client.Answered:
        return client.Answered(503, {"Retry-After": next(told)}, b"")

    remote = client.Remote("http://x", sleep=waited.append)
    assert remote.patiently(busy, client.PAUSES).status == 503
    assert waited == [1, 7, 4]


def test_a_limit_is_told_at_once_and_too_many_calls_are_waited_out() -> None:
    for code, busy in (("daily_limit", False), ("too_many_calls", True)):
        answer = client.Answered(429, {}, json.dumps({"code": code}).encode())
        assert client._is_busy(answer) is busy


def test_a_redirect_is_told_and_not_followed() -> None:
    asked = []

    class Elsewhere(Answering):
        def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> Said:
            asked.append(request.path)
            return 302, {"Location": "/elsewhere"}, b""

    with Elsewhere() as server, pytest.raises(client.ServerAway, match="/elsewhere"):
        client.Remote(f"http://{server.place}", "secret").get("/me")
    assert asked == ["/api/v1/me"]
