"""What the client shows of an answer: numbers as pages print them, and nothing unseen."""

import csv
import io
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.actions.discipline import disqualify, exclude, restore
from leaderboard.actions.teams import add_baseline
from leaderboard.api.client import leaderboard_client as client
from leaderboard.boards.standings import place_everywhere
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.api.through import (
    ROUGE,
    TEXTS,
    Through,
    own_file_scored,
    run,
    scored,
    worse,
)
from tests.leaderboard.web.pages import hand_in

pytestmark = pytest.mark.django_db


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
    cells = {"best_rank": 1, "worst_rank": 3, "way_percent": 47, "lift_percent": -3, "length": 12.5}
    labels = {"range": "순위 구간", "way": "사람까지", "lift": "자리 몫"}
    judge = {"metric": "fluency", "mean": "0.988", "scored": 3, "rows": 4}
    added = {**cells, "judge": [judge]}

    def more(board: Any) -> Any:
        shown = [{**row, **added} for row in board["rows"]]
        told = [{"key": key, "label": label} for key, label in labels.items()]
        return {**board, "rows": shown, "columns": board["columns"] + told}

    monkeypatch.setattr(client.Remote, "_once", worse("/leaderboard", more, client.Remote._once))
    assert run("leaderboard", "--csv", "-q") == 0
    heads, first, second, third = csv.reader(io.StringIO(capsys.readouterr().out))
    assert heads[:7] == ["rank", "team", "mark", "total", *ROUGE]
    assert heads[7:9] == ["entries", "last_submission_at"]
    assert heads[9:] == [*cells, "judge_fluency", "judge_fluency_rows"]
    assert first[:7] == ["1", "alice", "own", "3.0000", "1.0000", "1.0000", "1.0000"]
    assert first[9:] == ["1", "3", "47", "-3", "12.5", "0.988", "3/4"]
    assert {tuple(second[:3]), tuple(third[:3])} == {("2", "'=1+1", ""), ("", "lead-3", "baseline")}
    assert run("leaderboard", "-q", "--lang", "ko") == 0
    shown = capsys.readouterr().out
    assert re.search(r"^순위 +팀 +총점 +ROUGE-1 ", shown)
    assert re.search(r"^1 +alice +내 팀 +3\.0000 +1\.0000 ", shown, re.M)
    assert re.search(r" 1–3 +47 % +-3 % +12\.5 ", shown)
    assert all(label in shown for label in labels.values())
    assert not re.search("best_rank|worst_rank|_percent", shown)
    assert re.search(r"^- +lead-3 +베이스라인 +\d\.\d{4} ", shown, re.M)
    assert "{" not in shown


def test_a_file_below_the_best_claims_no_rank(
    contest: Competition, alice: Through, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(builders.team(contest, "bob"), {"talk_1": "민수"})
    result = client.Result(client.connect(), own_file_scored())
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


@pytest.mark.parametrize("reason", ["copied", ""])
def test_a_file_that_no_board_counts_says_why_and_not_that_a_better_one_stays(
    contest: Competition, alice: Through, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Late, taken off the boards, of a disqualified team: it beats the team's best all the same."""
    team, told = Team.objects.get(captain__username="alice"), {"at": timezone.now()}
    hand_in(team, {"talk_1": "민수"})
    best = client.submit(TEXTS, wait=False)
    Submission.objects.filter(pk=best.id).update(is_late=True)
    scored(None)
    place_everywhere(team=team)

    def ranks() -> list[tuple[str, str]]:
        best.wait()
        found = []
        for language in ("en", "ko"):
            monkeypatch.setattr(client, "_language", language)
            found += [one for one in best.facts() if one[0] in ("rank", "순위")]
            assert not {"your best", "최고 기록"} & dict(best.facts()).keys()
        return found

    assert ranks() == [
        ("rank", "late, not ranked; this file alone: 1 / 1"),
        ("순위", "마감 뒤 제출이라 순위에 들지 않습니다. 이 파일만으로는 1 / 1"),
    ]
    Submission.objects.filter(pk=best.id).update(is_late=False)
    own, olivia = Submission.objects.get(pk=best.id), builders.user("olivia")
    exclude(submission=own, user=olivia, reason="copied", reason_shown=bool(reason), **told)
    colon = f": {reason}" if reason else ""
    assert ranks() == [
        ("rank", f"excluded from the leaderboard{colon}; this file alone: 1 / 1"),
        ("순위", f"리더보드에서 제외된 제출입니다{colon}. 이 파일만으로는 1 / 1"),
    ]
    restore(submission=own, user=olivia, reason="a mistake", **told)
    disqualify(team=team, user=olivia, reason="two accounts", **told)
    assert ranks() == [
        ("rank", "none, the team is disqualified"),
        ("순위", "없음. 실격된 팀입니다"),
    ]


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


def test_emoji_stay_whole_and_joints_alone_are_shown() -> None:
    for text in ("👨‍👩‍👧 ❤️ 새벽", "요약", "Fuß"):
        assert client.printable(text) == text
    assert client.printable("ali\u200dce\ufe0f") == "ali\\u200dce\\ufe0f"
    assert client.width("❤️가e\u0301") == 4
    assert json.loads(client.in_json([EVIL], ensure_ascii=False)) == [EVIL]
