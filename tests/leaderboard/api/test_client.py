"""The one file that participants have: what it is, and what Python code gets of it."""

import ast
import csv
import io
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest
from django.conf import settings
from django.test import Client

from leaderboard.actions.checks import CHECKS, LAB_RUNS
from leaderboard.api.client import leaderboard_client as client
from leaderboard.api.pages import CLIENT
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import QuotaEntry, Submission
from tests.leaderboard import builders
from tests.leaderboard.api.through import (
    ROUGE,
    TEXTS,
    Through,
    own_file_scored,
    run,
    scored,
)
from tests.leaderboard.web.pages import hand_in
from tests.leaderboard.web.stage import DEV_GOLDS, DEV_TEXTS
from tests.servers import ROOT

pytestmark = pytest.mark.django_db
NO_CHECKS = replace(CHECKS, most=0)


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
        (None, "NoneType."),
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
    result = client.Result(client.connect(), own_file_scored())
    assert list(result.parts) == ROUGE  # one set of names


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


def test_the_guides_name_what_may_be_scored_against_the_dev_set_in_an_hour() -> None:
    for guide in ("participating.md", "participating.ko.md"):
        text = (ROOT / "docs" / guide).read_text()
        [told] = re.findall(r"\*\*개발 실험실\*\*.*?\n\n", text, re.S)
        assert str(LAB_RUNS.most) in told


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
