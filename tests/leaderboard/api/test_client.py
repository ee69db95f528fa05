"""The one file that participants have: what it says, what it keeps, and what it returns."""

import ast
import csv
import errno
import http.server
import io
import json
import re
import stat
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas
import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from leaderboard.actions.checks import CHECKS
from leaderboard.actions.teams import add_baseline
from leaderboard.api.cli import CLIENT
from leaderboard.api.client import leaderboard_client as client
from leaderboard.competitions.models import Competition
from leaderboard.submissions.intake import Upload
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.api.calling import token
from tests.leaderboard.api.through import URL, Through, as_person
from tests.leaderboard.material import GOLDS
from tests.leaderboard.web.pages import browser, hand_in, running
from tests.leaderboard.web.stage import DEV_GOLDS, DEV_TEXTS

pytestmark = pytest.mark.django_db
NO_CHECKS = replace(CHECKS, most=0)
ROUGE = ["rouge1", "rouge2", "rougeL"]
TEXTS = {name: golds[0] for name, golds in GOLDS.items()}


@pytest.fixture
def contest() -> Competition:
    contest = running(daily_limit=2)
    builders.team(contest, "alice")
    builders.data_file(contest)
    return contest


@pytest.fixture
def alice(
    contest: Competition, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Through]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(client, "_language", "")  # a command before may have had --lang
    with as_person(monkeypatch, "alice") as opener:
        yield opener


@pytest.fixture
def good(tmp_path: Path) -> str:
    file = tmp_path / "good.csv"
    file.write_bytes(builders.prediction_csv())
    return str(file)


@pytest.fixture
def bad(tmp_path: Path) -> str:
    file = tmp_path / "bad.csv"
    file.write_text("fname,summary\ntalk_1,\ntalk_2,좋다\ntalk_2,좋다\nnope,없다\n")
    return str(file)


def scored(state: Any) -> None:
    """A worker that has done its work by the time that the client looks again."""
    builders.score_all(at=timezone.now())


# The file itself.


def test_it_is_handed_out_with_the_address_of_its_server() -> None:
    answer = Client().get("/cli")
    assert answer["Content-Type"] == "text/x-python; charset=utf-8"
    assert CLIENT.name in answer["Content-Disposition"]
    assert f'\nSERVER = "{settings.BASE_URL}"  #' in answer.text
    compile(answer.text, CLIENT.name, "exec")


def test_it_is_written_for_python_3_8_and_the_standard_library_alone() -> None:
    tree = ast.parse(CLIENT.read_text(), feature_version=(3, 8))
    found = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert found <= sys.stdlib_module_names
    done = subprocess.run([sys.executable, CLIENT, "--help"], capture_output=True, text=True)
    assert (done.returncode, "Exit codes" in done.stdout) == (0, True)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_submit_page_prints_the_line_and_no_token(alice: Through, language: str) -> None:
    page = browser("alice", language).get("/c/talk/submit").text
    [shown] = re.findall(r'<details id="terminal">.*?</details>', page, re.S)
    assert f"curl -o {CLIENT.name} {settings.BASE_URL}/cli\n" in shown
    assert f"python3 {CLIENT.name} submit predictions.csv -c talk -m " in shown
    assert "slb_" not in page
    assert ("Python 3.8 이상" in shown) is (language == "ko")


# Handing in, from Python.


def test_a_dataframe_with_a_missing_row_costs_nothing_and_says_which(alice: Through) -> None:
    frame = pandas.DataFrame({"fname": list(TEXTS), "summary": list(TEXTS.values())})
    with pytest.raises(client.InvalidPredictions) as caught:
        client.submit(frame.drop(index=1), note="lr 3e-5")
    assert "talk_2" in repr(caught.value)
    assert [problem["code"] for problem in caught.value.problems] == ["missing_ids"]
    assert not QuotaEntry.objects.exists()


@pytest.mark.parametrize(
    "source",
    [
        TEXTS,
        pandas.Series(TEXTS),
        pandas.DataFrame({"fname": list(TEXTS), "summary": list(TEXTS.values())}),
        pandas.DataFrame({"summary": TEXTS}).rename_axis("fname"),
        [{"fname": name, "summary": text} for name, text in TEXTS.items()],
    ],
    ids=["dict", "series", "frame", "indexed frame", "dicts"],
)
def test_whatever_holds_the_texts_is_handed_in(alice: Through, source: Any) -> None:
    result = client.submit(source, note="lr <3e-5>", tell=scored, wait=False)
    scored(None)
    result.wait()
    assert (result.rank, result.teams, result.left_today) == (1, 1, 1)
    assert result.score == pytest.approx(sum(result.parts.values()), abs=2e-4)
    table = result._repr_html_()
    assert f"{result.score:.4f}" in table
    assert "<td>1 / 1</td>" in table
    assert "lr &lt;3e-5&gt;" in table
    assert Submission.objects.get().note == "lr <3e-5>"


def test_nothing_and_nan_are_empty_cells(alice: Through) -> None:
    with pytest.raises(client.InvalidPredictions) as caught:
        client.validate({**TEXTS, "talk_1": None, "talk_4": float("nan")})
    found = [(problem["code"], problem["lines"]) for problem in caught.value.problems]
    assert found == [("empty_summary", [2, 4])]
    assert "lines 2, 4: " in str(caught.value)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (list(TEXTS.values()), "list of str."),
        ([{"id": "talk_1", "text": "요약"}], "list of dict."),
        ([], "list."),
        (b"fname,summary", "bytes."),
        (None, "NoneType."),
        (iter(TEXTS), "dict_keyiterator."),
    ],
)
def test_texts_without_their_ids_are_told_what_to_do(
    alice: Through, source: Any, kind: str
) -> None:
    for verb in (client.submit, client.validate):
        with pytest.raises(client.ClientError, match=re.escape("dict(zip(ids, summaries))")) as no:
            verb(source)
        assert str(no.value).endswith(kind)
        assert no.value.code == "no_ids"
    assert not any("POST" in asked for asked in alice.asked)


def test_the_very_same_file_costs_nothing_until_again_is_said(
    contest: Competition, alice: Through
) -> None:
    first = client.submit(TEXTS, wait=False)
    with pytest.raises(client.HandedInBefore, match=rf"{first.id}, \d{{4}}-[^,]+\. .*again=True"):
        client.submit(TEXTS)
    scored(None)
    for dry_run in (False, True):
        with pytest.raises(client.InvalidPredictions, match=r"score 3\.0000") as caught:
            client.submit(TEXTS, dry_run=dry_run)
        assert isinstance(caught.value, client.HandedInBefore)
        assert caught.value.submission["id"] == first.id
    assert Submission.objects.count() == 1
    assert f"before: {first.id}" in repr(client.validate(TEXTS))
    assert f"before: {first.id}" in repr(client.submit(TEXTS, dry_run=True, again=True))
    client.submit({**TEXTS, "talk_1": "다른 글"}, wait=False)
    assert Submission.objects.count() == 2
    with pytest.raises(client.LimitReached):  # what stands in the way anyhow is said first
        client.submit(TEXTS)
    contest.daily_limit = 3
    contest.save(update_fields=["daily_limit"])
    assert client.submit(TEXTS, again=True, wait=False).id != first.id


def test_an_attempt_that_is_repeated_or_was_given_back_is_no_second_one(
    alice: Through, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = client.submit(TEXTS, key="one", wait=False)
    assert client.submit(TEXTS, key="one", wait=False).id == first.id
    remote = client.connect()
    remote.ask("POST", remote.of_contest(f"/submissions/{first.id}/cancel"))
    assert client.validate(TEXTS).same is None
    second = client.submit(TEXTS, wait=False)
    monkeypatch.setattr("leaderboard.actions.checks.CHECKS", NO_CHECKS)
    with pytest.raises(client.HandedInBefore, match=second.id):  # no check is left for that
        client.submit(TEXTS)


def test_a_check_and_a_dry_run_charge_nothing(alice: Through) -> None:
    assert client.validate(TEXTS).rows == 4
    assert client.submit(TEXTS, dry_run=True).left_today == 2
    assert client.limits()["left_today"] == 2
    assert not QuotaEntry.objects.exists()


def test_a_dry_run_is_refused_as_handing_in_would_be(alice: Through) -> None:
    for seed in "ab":
        client.submit({**TEXTS, "talk_1": seed}, wait=False)
    with pytest.raises(client.LimitReached) as caught:
        client.submit(TEXTS, dry_run=True)
    assert caught.value.code == "daily_limit"
    assert Submission.objects.count() == 2


def test_the_board_is_a_list_of_rows(
    contest: Competition, alice: Through, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.boards.queries.PAGE", 2)
    for n in range(1, 6):
        hand_in(builders.team(contest, f"person{n}"), {"talk_1": "민수 " * n})
    scored(None)
    rows = client.leaderboard()
    assert len(pandas.DataFrame(rows)) == 5
    assert rows[0]["rank"] == 1
    assert rows[0]["total"] == pytest.approx(sum(rows[0][key] for key in ROUGE), abs=2e-4)
    result = client.Result(client.connect(), own_file_scored(alice))
    assert list(result.parts) == ROUGE  # one set of names


def own_file_scored(alice: Through) -> Any:
    """What the API says of a file of Alice's."""
    found = hand_in(Team.objects.get(captain__username="alice"))
    scored(None)
    remote = client.connect()
    return remote.get(remote.of_contest(f"/submissions/{found.pk}"))


def test_waiting_asks_with_the_tag_and_as_seldom_as_it_is_told(
    contest: Competition, alice: Through
) -> None:
    waits, states = [], []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            scored(None)

    remote = client.connect()
    remote.sleep = sleep
    result = client.hand_in(remote, client.as_file(TEXTS))
    result.wait(lambda state: states.append(state["state"]))
    assert waits == [3, 3, 3]
    assert states == ["waiting", "done"]  # in between 304


def test_a_file_is_scored_against_the_dev_set(
    contest: Competition,
    alice: Through,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(client.NotPossible) as caught:
        client.score_dev(DEV_TEXTS)
    assert caught.value.code == "no_dev_set"
    builders.dev_set(contest, DEV_GOLDS)
    found = client.score_dev(DEV_TEXTS)
    assert [row["id"] for row in found["rows"]] == list(DEV_TEXTS)
    file = tmp_path / "dev.csv"
    file.write_bytes(builders.texts_csv(DEV_TEXTS))
    assert run("score-dev", str(file)) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"score            {found['total']:.4f}\nROUGE-1          ")
    assert f"\n{found['runs_left'] - 1} left this hour" in shown
    assert run("score-dev", str(file), "--csv") == 0
    heads, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    assert heads == ["id", "total", *ROUGE]
    assert [row[0] for row in rows] == list(DEV_TEXTS)
    file.write_bytes(builders.prediction_csv())
    assert run("score-dev", "-f", str(file), "--json") == 2
    assert not QuotaEntry.objects.exists()


# The command line.


def run(*words: str) -> int:
    return client.main(words)


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
        assert "line 2: " in capsys.readouterr().err
        assert run(verb, bad, "--lang", "ko") == 2
        assert "2행: " in capsys.readouterr().err
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


def test_wrong_words_do_not_look_like_a_wrong_file(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["submit", "--nonsense"], ["unknown"], []):
        with pytest.raises(SystemExit) as caught:
            run(*words)
        assert caught.value.code == 1


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


def test_states_are_told_in_korean_and_stay_codes_for_programs(
    alice: Through, good: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("submit", good, "--lang", "ko") == 0
    assert re.search(r"^상태 +대기$", capsys.readouterr().out, re.M)
    assert run("submissions", "--lang", "ko") == 0
    assert re.search(r" 대기$", capsys.readouterr().out, re.M)
    assert run("submissions", "--csv", "--lang", "ko") == 0
    assert ",waiting," in capsys.readouterr().out
    state = {"state": "running", "is_over": False, "rows_done": 1, "rows_total": 4, "stage": "cut"}
    assert client.state_line(state) == "채점 중, 1 / 4행 (형태소 나누기)"


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
    monkeypatch.setattr("leaderboard.api.lists.PAGE", 2)
    team, contest.daily_limit = Team.objects.get(captain__username="alice"), 9
    contest.save(update_fields=["daily_limit"])
    for n in range(5):
        hand_in(team, {"talk_1": f"민수 {n}"})
    Submission.objects.update(note="=1+1")
    assert run("submissions", "--csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["description"] for row in rows] == ["'=1+1"] * 5
    assert list(rows[0])[:4] == ["ref", "fileName", "date", "description"]


def test_a_board_is_printed_as_its_page_with_marks(
    contest: Competition,
    alice: Through,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    add_baseline(
        competition=contest,
        name="lead-3",
        upload=Upload("lead.csv", builders.prediction_csv({"talk_1": "민수"})),
        user=builders.user("olivia"),
        at=timezone.now(),
    )
    hand_in(builders.team(contest, "bob", called="=1+1"), {"talk_1": "민수 민수"})
    hand_in(Team.objects.get(captain__username="alice"))
    scored(None)
    cells = {"best_rank": 1, "length": 12.5, "lift_percent": -3}
    judge = {"metric": "fluency", "mean": "0.988", "scored": 3, "rows": 4}
    added = {**cells, "judge": [judge]}

    def more(board: Any) -> Any:
        shown = [{**row, **added} for row in board["rows"]]
        return {**board, "rows": shown}

    monkeypatch.setattr(client.Remote, "_once", worse("/leaderboard", more, client.Remote._once))
    assert run("leaderboard", "--csv", "-q") == 0
    heads, first, second, third = csv.reader(io.StringIO(capsys.readouterr().out))
    assert heads[:7] == ["rank", "team", "mark", "total", *ROUGE]
    assert heads[7:9] == ["entries", "last_submission_at"]
    assert heads[9:] == [*cells, "judge_fluency", "judge_fluency_rows"]
    assert first[:7] == ["1", "alice", "own", "3.0000", "1.0000", "1.0000", "1.0000"]
    assert first[9:] == ["1", "12.5", "-3", "0.988", "3/4"]
    assert {tuple(second[:3]), tuple(third[:3])} == {("2", "'=1+1", ""), ("", "lead-3", "baseline")}
    assert run("leaderboard", "-q", "--lang", "ko") == 0
    shown = capsys.readouterr().out
    assert re.search(r"^순위 +팀 +총점 +ROUGE-1 ", shown)
    assert re.search(r"^1 +alice +내 팀 +3\.0000 +1\.0000 ", shown, re.M)
    assert re.search(r"^- +lead-3 +기준선 +\d\.\d{4} ", shown, re.M)
    assert "{" not in shown


def test_a_file_below_the_best_claims_no_rank(
    contest: Competition, alice: Through, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(builders.team(contest, "bob"), {"talk_1": "민수"})
    result = client.Result(client.connect(), own_file_scored(alice))
    assert dict(result.facts())["rank"] == "1 / 2"
    worse_one = client.submit({**TEXTS, "talk_1": "민수"}, wait=False)
    scored(None)
    shown = dict(worse_one.wait().facts())
    assert "rank" not in shown
    assert shown["your best"] == f"stays; this file alone: {worse_one.rank} / 2"
    assert worse_one.is_best is False
    assert "to next rank" not in shown
    assert re.fullmatch(r"-\d\.\d{4}", shown["to your best"])
    monkeypatch.setattr(client, "_language", "ko")
    facts = dict(worse_one.facts())
    assert "순위" not in facts
    assert facts["최고 기록"].startswith("그대로")


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("\N{MINUS SIGN}0.0042", "-0.0042"),
        (-0.0042, "-0.0042"),
        ("+1.3", "+1.3000"),
        (1.3, "+1.3000"),
        ("0.0000", "0.0000"),
        (-0.0, "0.0000"),
        (None, ""),
    ],
)
def test_a_difference_is_a_signed_number_however_it_comes(sent: Any, shown: str) -> None:
    assert client.signed(sent) == shown


EVIL = "\x1b]0;owned\x07\x1b[2J\r\u202egnp\x9b31m\U000e0041\u3164\u2066\ud800"


@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"]], ids=["table", "csv", "json"])
@pytest.mark.parametrize(
    ("verb", "path"),
    [
        (["leaderboard"], "/leaderboard"),
        (["submissions"], "/submissions"),
        (["files"], "/files"),
        (["download"], "/files"),
        (["limits"], "/limits"),
        (["submit", "GOOD", "--wait"], "/validate"),
        (["submit", "GOOD", "--wait"], "/submissions/"),
        (["validate", "BAD"], "/validate"),
        (["submit", "BAD"], "/validate"),
    ],
)
def test_nothing_that_anybody_wrote_moves_a_terminal(
    alice: Through,
    good: str,
    bad: str,
    verb: list[str],
    path: str,
    form: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever text an answer has, keys included, whether a person wrote it or the server."""

    def evil(found: Any, kept: str = "") -> Any:
        if isinstance(found, dict):
            added = {EVIL: 1.0} if kept == "metrics" else {}
            return {name: evil(one, name) for name, one in found.items()} | added
        if isinstance(found, list):
            return [evil(one, kept) for one in found]
        needed = {"id", "state", "sha256", "url", "code", "next_step"}
        is_date = isinstance(found, str) and re.match(r"\d{4}-", found)
        takes = isinstance(found, str) and kept not in needed and not is_date
        return EVIL if takes or kept in ("daily_limit", "of_today", "line", "rank") else found

    monkeypatch.setattr(client.Remote, "_once", worse(path, evil, client.Remote._once))
    hand_in(Team.objects.get(captain__username="alice"), {"talk_1": "민수"})
    scored(None)
    monkeypatch.setattr(client, "follow", lambda *_: scored(None) or {"state": "done"})
    files = {"GOOD": good, "BAD": bad}
    monkeypatch.chdir(tmp_path)
    run(*(files.get(word, word) for word in verb), *form)
    shown = "".join(capsys.readouterr())
    assert "owned" in shown or verb == ["submit", "GOOD", "--wait"]
    assert [one for one in shown if unicodedata.category(one)[0] == "C" and one != "\n"] == []
    assert "\u3164" not in shown


def worse(path: str, evil: Any, once: Any) -> Any:
    """`_once` whose answers about this path are changed."""

    def changed(remote: client.Remote, request: Any) -> client.Answered:
        answer: client.Answered = once(remote, request)
        if path in request.full_url and answer.body:
            body = json.dumps(evil(json.loads(answer.body))).encode()
            return answer._replace(body=body)
        return answer

    return changed


def test_emoji_stay_whole_and_joints_alone_are_shown() -> None:
    for text in ("👨‍👩‍👧 ❤️ 새벽", "요약", "Fuß"):
        assert client.printable(text) == text
    assert client.printable("ali\u200dce\ufe0f") == "ali\\u200dce\\ufe0f"
    assert client.width("❤️가e\u0301") == 4
    assert json.loads(client.in_json([EVIL], ensure_ascii=False)) == [EVIL]


@pytest.mark.parametrize("encoding", ["utf-8", "cp949", "ascii"])
def test_json_has_letters_as_they_are_where_the_output_can(
    contest: Competition, alice: Through, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest.data_files.update(description="대화 😀")
    out = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr("sys.stdout", out)
    assert run("files", "--json") == 0
    out.flush()
    text = out.buffer.getvalue().decode(encoding)
    assert json.loads(text)[0]["description"] == "대화 😀"
    assert ("대화" in text) is (encoding == "utf-8")


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


def test_a_download_that_was_begun_goes_on(
    contest: Competition, alice: Through, tmp_path: Path
) -> None:
    file = contest.data_files.get()
    data = file.file.open("rb").read()
    part = tmp_path / f"{file.name}.part"
    part.write_bytes(data[:7])
    assert run("download", "-p", str(tmp_path)) == 0
    assert (tmp_path / file.name).read_bytes() == data
    (tmp_path / file.name).unlink()
    part.write_bytes(b"x" * 7)  # not what it was the beginning of
    assert run("download", "-p", str(tmp_path)) == 5
    assert not part.exists()
    assert run("download", "-p", str(tmp_path)) == 0


def test_long_names_are_shortened_and_keep_their_ending(
    contest: Competition, alice: Through, tmp_path: Path
) -> None:
    file = contest.data_files.get()
    for n, name in enumerate(["가" * 100 + "1.csv", "가" * 100 + "2.csv", "a" * 254 + "\u202e."]):
        contest.data_files.update(name=name)
        assert run("download", "-p", str(tmp_path)) == 0
        assert len(list(tmp_path.iterdir())) == n + 1
    assert sorted(one.suffix for one in tmp_path.iterdir()) == ["", ".csv", ".csv"]
    assert {one.read_bytes() for one in tmp_path.iterdir()} == {file.file.open("rb").read()}


class Full(io.BytesIO):
    """A file on a disk without room, which says so once more when it is closed."""

    def write(self, data: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        super().close()
        raise OSError(errno.ENOSPC, "No space left on device")


def test_what_is_wrong_with_a_file_here_is_not_told_as_the_servers(
    contest: Competition,
    alice: Through,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(client.Remote, "patiently", lambda self, once, pauses: once())
    (tmp_path / "a file").touch()
    assert run("download", "-p", str(tmp_path / "a file")) == 1
    assert "A file on this machine cannot be used: " in capsys.readouterr().err
    (tmp_path / f"{contest.data_files.get().name}.part").mkdir()
    assert run("download", "-p", str(tmp_path)) == 1
    assert "Is a directory" in capsys.readouterr().err
    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", lambda *_: Full())
        assert run("download", "-p", str(tmp_path / "new"), "--lang", "ko") == 1
    shown = capsys.readouterr().err
    assert "이 컴퓨터의 파일을 쓸 수 없습니다: " in shown
    assert "No space left on device" in shown
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "a file"))
    assert run("login") == 1
    assert "A file on this machine cannot be used: " in capsys.readouterr().err
    with pytest.raises(client.ClientError, match="on this machine"):
        client.validate("no\0name")
    with pytest.raises(client.ClientError, match="on this machine"):
        client.validate("~nobody-at-all/predictions.csv")


def test_a_connection_that_is_cut_while_a_file_comes_is_the_servers(
    contest: Competition, alice: Through, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It goes on where it was, and is told as unreachable at the end."""
    remote, file = client.connect(), client.connect().get("/competitions/talk/files")[0]
    opened = remote.open
    monkeypatch.setattr(remote, "sleep", lambda seconds: None)

    class Cut(io.BytesIO):
        status = 200

        def read(self, size: int | None = -1) -> bytes:
            raise ConnectionResetError("cut")

    answers = [Cut(), Cut()]
    monkeypatch.setattr(
        remote, "open", lambda request: answers.pop() if answers else opened(request)
    )
    fetched = client.fetch(remote, file, str(tmp_path), force=False)
    assert Path(fetched).read_bytes() == contest.data_files.get().file.open("rb").read()
    answers += [Cut() for _ in range(9)]
    with pytest.raises(client.ServerAway, match="cut"):
        client.fetch(remote, file, str(tmp_path / "again"), force=False)


def test_the_token_of_a_notebook_is_found_before_the_kept_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("LEADERBOARD_TOKEN", raising=False)
    client.keep(URL, "kept")
    assert client.token_of(URL) == "kept"
    secrets = SimpleNamespace(get_secret="of {}".format)
    kaggle = SimpleNamespace(UserSecretsClient=lambda: secrets)
    monkeypatch.setitem(sys.modules, "kaggle_secrets", kaggle)
    assert client.token_of(URL) == "of LEADERBOARD_TOKEN"
    colab = SimpleNamespace(get="in {}".format)
    monkeypatch.setitem(sys.modules, "google.colab.userdata", colab)
    assert client.token_of(URL) == "in LEADERBOARD_TOKEN"
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


def test_a_redirect_is_told_and_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: Any) -> None: ...

    with http.server.HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(client.ServerAway, match="/elsewhere"):
            client.Remote(f"http://127.0.0.1:{server.server_port}", "secret").get("/me")
        server.shutdown()
    assert asked == ["/api/v1/me"]
