"""The client before what nobody meant: tokens with blanks, answers of other servers."""

import contextlib
import io
import json
import sys
from types import SimpleNamespace
from typing import Any

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


def test_what_an_id_holds_is_quoted(alice: Through) -> None:
    with pytest.raises(client.NotPossible):
        client.connect().get("/competitions/talk/submissions/한글 \r\n?/state")
    assert alice.asked[0].endswith("/submissions/%ED%95%9C%EA%B8%80%20%0D%0A%3F/state")


KEPT = ['{"tokens":["a"]}', "[" * 99_999]


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
        *("http://한글.kr", "http://[::1", "http://x:99999", "http://", "ftp://x", "http://x\ny"),
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
