"""The client as a command: what it says, its exit codes, and what it chooses by itself."""

import csv
import io
import json
import re
import stat
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.api.client import leaderboard_client as client
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.teams.models import Team
from tests.leaderboard.api.calling import token
from tests.leaderboard.api.through import URL, Through, run
from tests.leaderboard.web.pages import hand_in, running

pytestmark = pytest.mark.django_db


def test_login_keeps_the_token_for_this_person_alone(
    alice: Through, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = token("alice")
    monkeypatch.delenv("LEADERBOARD_TOKEN")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{secret}\n"))
    assert run("login") == 0
    assert run("limits") == 0
    shown = "".join(capsys.readouterr())
    assert "as alice" in shown
    assert secret not in shown
    file = client.settings_file()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {"server": URL, "tokens": {URL: secret}}
    monkeypatch.setattr("sys.stdin", io.StringIO("slb_wrong\n"))
    assert run("login") == 4
    assert client.kept()["tokens"] == {URL: secret}


def test_a_bad_file_is_told_line_by_line_in_the_language_asked_for(
    alice: Through, bad: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for verb in ("validate", "submit"):
        assert run(verb, bad, "--lang", "en") == 2
        shown = capsys.readouterr().err
        assert "\n  line 2, talk_1: " in shown
        assert "\n  lines 3, 4, talk_2: " in shown
        assert run(verb, bad, "--lang", "ko") == 2
        shown = capsys.readouterr().err
        assert "\n  2행 talk_1: " in shown
        assert "\n  3, 4행 talk_2: " in shown
    assert run("validate", "-f", bad, "--json") == 2
    found = json.loads(capsys.readouterr().out)
    assert (found["exit"], found["code"]) == (2, "invalid_file")
    assert not QuotaEntry.objects.exists()


def test_verbs_say_what_is_left_today(
    alice: Through, good: str, capsys: pytest.CaptureFixture[str]
) -> None:
    verbs = ("validate", "submit", "submissions", "leaderboard", "limits", "files")
    for verb in verbs:
        assert run(verb, *([good] if verb in ("validate", "submit") else [])) == 0, verb
        assert "left today" in capsys.readouterr().out, verb


def test_each_refusal_has_its_exit_code(
    contest: Competition,
    alice: Through,
    good: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert [run("submit", good), run("submit", good), run("submit", good, "--again")] == [0, 2, 0]
    shown = capsys.readouterr().err
    assert re.search(r"^This very file was handed in before: .*--again hands it in", shown, re.M)
    assert [run("submit", good), run("submit", good, "--again")] == [3, 3]
    assert run("validate", good) == 0
    shown = capsys.readouterr().out
    assert "next slot" in shown
    assert "handed in before" in shown
    assert run("submit", good, "--dry-run") == 3
    assert run("submit", "no such file") == 1
    assert run("submissions", "-c", "tlak") == 6
    assert "Did you mean talk?" in capsys.readouterr().err
    now = timezone.now()
    Competition.objects.update(
        closes_at=now - timedelta(seconds=5), reveals_at=now + timedelta(days=1)
    )
    assert run("submit", good) == 6
    monkeypatch.setenv("LEADERBOARD_TOKEN", "slb_wrong")
    assert run("leaderboard") == 4
    monkeypatch.setenv("LEADERBOARD_TOKEN", token("alice", "read"))
    assert run("submit", good) == 4


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["submit", "GOOD", "-m", "가" * 501], "form.note: "),
        (["leaderboard", "--at", "yesterday"], "query.at: "),
    ],
)
def test_a_field_that_is_wrong_is_named_and_means_used_wrongly(
    alice: Through, good: str, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = [good if word == "GOOD" else word for word in words]
    assert run(*typed) == 1
    shown = capsys.readouterr().err
    assert re.search(rf"^Fields are missing.*\n  {told}[A-Z]", shown, re.M)
    assert "See “fields”" not in shown
    assert run(*typed, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["code"], f"{found['fields'][0]['where']}: ") == ("invalid_request", told)
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        ("leaderboard_client.py", "python3 leaderboard_client.py"),
        ("../my tools/leaderboard_client.py", "python3 '../my tools/leaderboard_client.py'"),
        ("/home/alice/.local/bin/leaderboard", "leaderboard"),
    ],
)
def test_who_has_no_token_reads_where_to_make_one_and_what_to_type(
    alice: Through,
    typed: str,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", [typed, "limits"])
    monkeypatch.setenv("LEADERBOARD_TOKEN", "slb_wrong")
    assert run("limits") == 4
    shown = capsys.readouterr().err
    assert f"{URL}/settings/tokens\n" in shown
    assert f"\nSign in: {command} login\n" in shown
    assert "LEADERBOARD_TOKEN is set" in shown
    monkeypatch.delenv("LEADERBOARD_TOKEN")
    assert run("limits", "--server", URL, "--lang", "ko") == 4
    shown = capsys.readouterr().err
    assert f"\n로그인: {command} login --server {URL}\n" in shown
    assert "LEADERBOARD_TOKEN" not in shown
    with pytest.raises(client.NotSignedIn, match=f"{URL}/settings/tokens"):
        client.limits()


def test_help_and_what_is_wrong_are_told_in_korean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    for words in (["--help"], *([verb, "-h"] for verb in client.VERBS)):
        with pytest.raises(SystemExit) as caught:
            run(*words)
        shown = capsys.readouterr().out
        assert caught.value.code == 0
        assert re.findall("쓰는 법: *", shown) == ["쓰는 법: "]
        assert re.findall(r"^[ a-z]*(?:usage|options|arguments).*:$", shown, re.M) == []
        told = re.findall(r"^  -.*?  +(.*)$", shown, re.M)
        assert told
        assert [line for line in told if not re.search("[가-힣]", line)] == []
    for words, said in (
        ([], "빠진 것: 동작"),
        (["submit", "--nonsense"], "모르는 옵션: --nonsense"),
        (["nonsense"], "있는 것: "),
        (["submit", "-m"], "값이 필요합니다"),
    ):
        with pytest.raises(SystemExit):
            run(*words)
        assert said in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run("submit", "--lang", "en", "--help")
    assert "the same as FILE" in capsys.readouterr().out


def test_the_only_open_contest_needs_no_name(
    alice: Through, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("LEADERBOARD_COMPETITION")
    now = timezone.now()
    late = running("late", late_entries=True)
    closed = {"closes_at": now - timedelta(hours=2), "reveals_at": now - timedelta(hours=1)}
    Competition.objects.filter(pk=late.pk).update(**closed)
    assert {one["takes_files"] for one in client.connect().get("/competitions")} == {True}
    assert run("limits") == 0
    assert "contest: talk" in capsys.readouterr().err
    Competition.objects.filter(slug="talk").update(paused_at=now)  # a file goes nowhere else
    assert run("limits") == 0
    assert "contest: talk" in capsys.readouterr().err
    running("other")
    assert run("limits") == 1
    shown = capsys.readouterr().err
    assert "-c" in shown
    assert "late" not in shown
    assert {"talk", "other"} <= set(re.findall(r"\w+", shown))
    Competition.objects.exclude(pk=late.pk).update(state="archived")
    assert run("leaderboard") == 0
    assert "contest: late" in capsys.readouterr().err


def test_lists_come_whole_and_as_csv(
    contest: Competition,
    alice: Through,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("leaderboard.api.calls.PAGE", 2)
    team, contest.daily_limit = Team.objects.get(captain__username="alice"), 9
    contest.save(update_fields=["daily_limit"])
    for n in range(5):
        hand_in(team, {"talk_1": f"민수 {n}"})
    Submission.objects.update(note="=1+1")
    assert run("submissions", "--csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["description"] for row in rows] == ["'=1+1"] * 5
    assert list(rows[0])[:4] == ["ref", "fileName", "date", "description"]
