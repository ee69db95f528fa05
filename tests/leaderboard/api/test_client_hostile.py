"""The client before what nobody meant: tokens with blanks, answers of other servers."""

import io
import sys
from types import SimpleNamespace

import pytest

from leaderboard.api.client import leaderboard_client as client
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
