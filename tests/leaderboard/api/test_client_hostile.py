"""The client before what nobody meant: tokens with blanks, answers of other servers."""

import contextlib
import io
import json
import sys
from email.message import Message
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.response import addinfourl

import pytest

from leaderboard.api.client import leaderboard_client as client
from leaderboard.submissions.models import Submission
from tests.leaderboard.api.calling import token
from tests.leaderboard.api.through import URL, Through, run

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("around", ["{}\r", "\ufeff{}", " {}\n", "{}\r\n"])
def test_what_was_copied_along_with_a_token_is_not_sent(
    alice: Through, around: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = token("alice")
    monkeypatch.setenv("LEADERBOARD_TOKEN", around.format(secret))
    assert client.token_of(URL) == secret
    monkeypatch.delenv("LEADERBOARD_TOKEN")
    colab = SimpleNamespace(get=lambda name: around.format(secret))
    monkeypatch.setitem(sys.modules, "google.colab.userdata", colab)
    assert client.token_of(URL) == secret
    monkeypatch.delitem(sys.modules, "google.colab.userdata")
    monkeypatch.setattr("sys.stdin", io.StringIO(around.format(secret)))
    assert run("login") == 0
    assert client.kept()["tokens"] == {URL: secret}


@pytest.mark.parametrize("inside", ["slb_{}\r\nX: y", "“slb_{}”", "slb_{} x", "slb_{}\udcff"])
def test_what_is_no_token_is_told_and_never_shown(
    alice: Through,
    inside: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong = inside.format("secret")
    monkeypatch.setenv("LEADERBOARD_TOKEN", wrong)
    for words in (["limits"], ["login"]):
        assert run(*words) == 4
    with pytest.raises(client.NotSignedIn) as caught:
        client.limits()
    monkeypatch.delenv("LEADERBOARD_TOKEN")
    monkeypatch.setattr("sys.stdin", io.StringIO(wrong.replace("\n", "\x0b")))
    assert run("login") == 4
    shown = repr(caught.value) + "".join(capsys.readouterr())
    assert "no token has" in shown
    assert "secret" not in shown
    assert alice.asked == []


LIMITS = {"left_today": 1, "of_today": 2, "resets_at": "evil"}
SHAPES = {
    "list": [],
    "number": 5,
    "other": {"a": 1},
    "texts": {"rows": "abc", "items": "abc", "pages": "x", "notices": 5, "problems": 5},
    "instant": {"rows": 4, "problems": [], "notices": [], "refusal": None, "limits": LIMITS},
    "rows": {"rows": [5], "items": [5], "pages": 1, "columns": "x", "own": 7, "limits": LIMITS},
    "submission": {"id": "한글", "state": "", "note": 5, "scores": "x", "limits": [], "url": 5},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("status", [200, 422, 429])
def test_an_answer_of_another_shape_is_told_as_no_leaderboards(
    alice: Through,
    good: str,
    shape: Any,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    body = json.dumps(
        shape
        if status == 200 or not isinstance(shape, dict)
        else {"problems": "abc", **shape, "code": "invalid_file", "ko": {}, "en": {}}
    ).encode()
    answer = client.Answered(status, {"Content-Length": "9", "Retry-After": "²"}, body)
    monkeypatch.setattr(client.Remote, "_once", lambda *_: answer)
    monkeypatch.setattr(client.Remote, "patiently", lambda self, once, pauses: once())
    ends = {run("login"), run("submit", good, "--wait"), run("validate", good, "--json")}
    ends |= {run(verb) for verb in ("submissions", "leaderboard", "limits", "files", "download")}
    assert ends <= {0, 2, 3, 5, 6}
    for verb in (client.limits, client.leaderboard):
        with contextlib.suppress(client.ClientError):
            verb()
    for sends in (client.submit, client.validate):
        with pytest.raises(client.ClientError):
            sends({"talk_1": "요약"})
    if status == 200:
        assert "not the answer of a leaderboard" in capsys.readouterr().err
        assert client.kept()["tokens"] == {}


def test_an_answer_that_is_nested_without_end_is_no_leaderboards(
    alice: Through, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "IMPATIENT", 0)
    for deep in (b"[" * 200_000, b'{"limits":' * 900 + b"5" + b"}" * 900):
        for status in (200, 403):
            opened = addinfourl(io.BytesIO(deep), Message(), URL, status)
            opened.headers["Content-Length"] = str(len(deep))
            monkeypatch.setattr(client.Remote, "open", lambda *_, opened=opened: opened)
            assert run("limits", "--json") in (5, 6)


def test_what_an_id_holds_is_quoted(alice: Through) -> None:
    with pytest.raises(client.NotPossible):
        client.connect().get("/competitions/talk/submissions/한글 \r\n?/state")
    assert alice.asked[0].endswith("/submissions/%ED%95%9C%EA%B8%80%20%0D%0A%3F/state")


class Endless(io.BytesIO):
    """A body that fails where more is read of it than anybody needs."""

    status, length = 200, None
    headers = Message()

    def __init__(self, most: int) -> None:
        super().__init__()
        self.left = most

    def read(self, size: int | None = -1) -> bytes:
        assert size is not None
        assert 0 < size <= self.left
        self.left -= size
        return b" " * size


def test_a_body_without_an_end_is_not_read_to_it(
    alice: Through, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    remote = client.connect()
    [file] = [one for one in remote.get("/competitions/talk/files") if one["size"] < 9000][:1]
    monkeypatch.setattr(client, "MOST_ANSWERED", 100_000)
    for status in (200, 500):
        body = Endless(200_000)
        refused = HTTPError(URL, status, "", Message(), body) if status == 500 else None

        def opened(*_: Any, body: Any = body, refused: Any = refused) -> Any:
            if refused:
                raise refused
            return body

        with monkeypatch.context() as patch:
            patch.setattr(client.Remote, "open", opened)
            with pytest.raises(client.ServerAway, match="not the answer"):
                remote.get("/me")
    monkeypatch.setattr(client.Remote, "open", lambda *_: Endless(file["size"]))
    with pytest.raises(client.ServerAway, match="damaged"):
        client.fetch(remote, file, tmp_path / "files", force=False)


KEPT = ['["a"]', '{"tokens":["a"]}', '{"tokens":{"http://testserver":5}}', "5", "[" * 99_999]


@pytest.mark.parametrize("text", KEPT, ids=range(len(KEPT)))
def test_a_file_of_tokens_that_is_none_is_as_if_there_were_none(
    alice: Through, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.settings_file().parent.mkdir(parents=True)
    client.settings_file().write_text(text)
    monkeypatch.delenv("LEADERBOARD_TOKEN")
    assert run("limits") == 4
    secret = token("alice")
    monkeypatch.setenv("LEADERBOARD_TOKEN", secret)
    assert run("login") == 0
    assert client.kept()["tokens"] == {URL: secret}


def test_what_is_no_address_is_told(alice: Through, capsys: pytest.CaptureFixture[str]) -> None:
    for server in [
        *("http://한글.kr", "http://[::1", "http://x:y", "http://x:99999", "http://a b", "http://"),
        *("http://a..b", f"http://{'a' * 70}.kr", "ftp://x", "http://x\ny", "http://:80"),
    ]:
        assert run("limits", "--server", server) == 1
        assert "A server begins with https:// or http://" in capsys.readouterr().err
        assert alice.asked == []


def test_what_is_no_key_is_told_and_nothing_is_handed_in(
    alice: Through, good: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for key in ["한글", "a\nb", "a\r", "\x7f"]:
        assert run("submit", good, "--key", key) == 1
        assert "A key has plain letters alone" in capsys.readouterr().err
        assert not Submission.objects.exists()


def test_a_login_that_cannot_be_kept_leaves_nothing(
    alice: Through, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(client.os, "replace", full)
    assert run("login") == 1
    assert list(client.settings_file().parent.iterdir()) == []
