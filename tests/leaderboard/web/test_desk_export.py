"""Everything of a contest in one ZIP: complete, safe to open, and the same each time."""

import codecs
import csv
import io
import json
import zipfile
from datetime import datetime, timedelta

import pytest

from leaderboard.actions.discipline import exclude
from leaderboard.actions.forum import delete_post, hide_post, reply, start_thread
from leaderboard.actions.submissions import choose_finals
from leaderboard.actions.teams import add_baseline
from leaderboard.actions.versions import rehearse
from leaderboard.competitions.models import Competition
from leaderboard.contest_file.everything import everything, plain
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload
from tests.leaderboard import builders
from tests.leaderboard.builders import GOLDS, NOON, user, viewer_of

pytestmark = pytest.mark.django_db
POOR = dict.fromkeys(GOLDS, "두 사람은 보기로 한다")
MINUTE = timedelta(minutes=1)


def contest() -> tuple[Competition, Submission, Submission]:
    """Alice with a good and a poor file under two versions, and a baseline."""
    made = builders.open_competition()
    alices = builders.team(made, "alice", "bob", called="=1+1")
    good = builders.hand_in(alices, at=NOON)
    poor = builders.hand_in(alices, POOR, at=NOON + MINUTE)
    upload = Upload("../../kobart.csv", builders.prediction_csv(POOR))
    add_baseline(competition=made, user=user("olivia"), name="KoBART", upload=upload, at=NOON)
    draft = builders.uploaded(made, preset="mean-sum")
    rehearse(version=draft, user=user("olivia"), at=NOON + MINUTE)
    builders.score_all(NOON + MINUTE)
    choose_finals(team=alices, user=user("bob"), submission_ids=[poor.pk], at=NOON + MINUTE)
    exclude(submission=good, user=user("olivia"), reason="@두 번\r\n냄", at=NOON + 2 * MINUTE)
    return made, good, poor


def packed(of: Competition, at: datetime = NOON + 3 * MINUTE) -> zipfile.ZipFile:
    return zipfile.ZipFile(everything(viewer_of(of, user("olivia"), at)))


def table(archive: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    text = archive.read(name).decode("utf-8-sig")
    lines = list(csv.reader(io.StringIO(text, newline="")))
    columns, *rows = [line for line in lines if not line[0].startswith("# ")]
    return [dict(zip(columns, row, strict=True)) for row in rows]


def test_everything_is_in_it() -> None:
    made, good, poor = contest()
    archive = packed(made)
    base = Submission.objects.get(team__kind="baseline")
    assert archive.namelist() == [
        *("board-public.csv", "board-public.json", "board-private.csv", "board-private.json"),
        *("submissions.csv", "teams.csv", "members.csv", "merges.csv", "finals.csv"),
        *("exclusions.csv", "announcements.csv", "forum.csv", "audit.csv", "ledger.csv"),
        *("scores.csv", "versions.json"),
        *(f"files/{one}.csv" for one in sorted([good.pk, base.pk], key=str)),
        f"files/{poor.pk}.csv",
    ]
    assert archive.testzip() is None
    assert archive.read(f"files/{good.pk}.csv") == builders.prediction_csv()
    handed_in = {row["id"]: row for row in table(archive, "submissions.csv")}
    assert handed_in[str(good.pk)]["excluded_at"] == "2026-11-20T12:02:00+09:00"
    assert (handed_in[str(poor.pk)]["final"], handed_in[str(good.pk)]["final"]) == ("yes", "no")
    assert (handed_in[str(base.pk)]["kind"], handed_in[str(base.pk)]["file"]) == (
        "baseline",
        "kobart.csv",
    )
    assert [row["username"] for row in table(archive, "members.csv")] == ["alice", "bob"]
    ledger = table(archive, "ledger.csv")
    assert [(row["kind"], row["amount"]) for row in ledger] == [("charge", "-1")] * 2
    assert {(row["reason_ko"], row["reason_en"]) for row in ledger} == {("제출", "Submission")}
    words = "at day team_id team kind amount origin_id source_id reason_ko reason_en submission_id"
    assert list(ledger[0]) == words.split()
    assert [row["submission_id"] for row in table(archive, "finals.csv")] == [str(poor.pk)]
    kinds = [row["kind"] for row in table(archive, "audit.csv")]
    assert {"submission.excluded", "baseline.added", "version.rehearsing"} <= set(kinds)


def test_scores_are_there_under_every_version_with_signatures() -> None:
    made, good, _ = contest()
    archive = packed(made)
    rows = table(archive, "scores.csv")
    assert len(rows) == 3 * 2 * 2  # submissions, versions, boards
    of_good = [row for row in rows if row["submission_id"] == str(good.pk)]
    assert [(row["version"], row["draft"], row["board"]) for row in of_good] == [
        *(("1", "1", "public"), ("1", "1", "private")),
        *(("", "2", "public"), ("", "2", "private")),  # it has no number before it is live
    ]
    # The first golds themselves: 1 + 1 + 1 under the best gold of each row.
    assert [row["total"] for row in of_good[:2]] == ["3.0000", "3.0000"]
    assert float(of_good[0]["total_exact"]) == 3.0
    versions = {str(one["draft"]): one for one in json.loads(archive.read("versions.json"))}
    assert versions["1"]["state"] == "live"
    for row in rows:
        assert versions[row["draft"]]["signature"].split("|")[0] in row["signature"]
    board = json.loads(archive.read("board-public.json"))
    assert board["signature"] == versions["1"]["signature"]


def test_no_cell_is_a_formula_and_no_gold_is_in_it() -> None:
    made, good, _ = contest()
    Submission.objects.filter(pk=good.pk).update(note="\u202e+cmd\x00", method_name="=A1")
    archive = packed(made)
    for name in archive.namelist():
        data = archive.read(name).decode("utf-8-sig")
        if name.endswith(".csv") and not name.startswith("files/"):
            assert archive.read(name).startswith(codecs.BOM_UTF8), "Korean Excel needs it"
            for row in csv.reader(io.StringIO(data, newline="")):
                assert not any(cell.startswith(("=", "+", "@", "\t")) for cell in row), name
                assert not any("\u202e" in cell or "\x00" in cell for cell in row), name
        if not name.startswith("files/"):
            assert not any(gold in data for golds in GOLDS.values() for gold in golds), name
    [row] = table(archive, "exclusions.csv")
    assert row["reason"] == "'@두 번 냄"
    assert plain("a\tb\u200b") == "a b"


def test_what_is_private_or_hidden_in_the_forum_is_marked() -> None:
    made, _, _ = contest()
    words = {"competition": made, "user": user("alice"), "title": "=제목", "at": NOON}
    asked = start_thread(kind="question", text="@첫\n줄", **words)
    inquiry = start_thread(kind="inquiry", text="-비밀", **words)
    said = reply(thread=asked, user=user("bob"), text="광고", at=NOON + MINUTE)
    hide_post(post=said, user=user("olivia"), reason="+도배", at=NOON + MINUTE)
    gone = reply(thread=asked, user=user("bob"), text="지울 말", at=NOON + 2 * MINUTE)
    delete_post(post=gone, user=user("bob"), at=NOON + 3 * MINUTE)
    start_thread(
        competition=builders.open_competition("walk"),
        user=user("olivia"),
        kind="talk",
        title="남",
        text="다른 대회",
        at=NOON,
    )
    rows = {row["id"]: row for row in table(packed(made), "forum.csv")}
    assert len(rows) == 4
    first = rows[str(asked.all_posts.get(opens=True).pk)]
    assert (first["title"], first["text"], first["author"]) == ("'=제목", "'@첫 줄", "alice")
    assert (first["private"], first["hidden"], first["opens"]) == ("no", "no", "yes")
    private = rows[str(inquiry.all_posts.get().pk)]
    assert (private["kind"], private["private"], private["text"]) == ("inquiry", "yes", "'-비밀")
    hidden = rows[str(said.pk)]
    assert (hidden["hidden"], hidden["hide_reason"], hidden["text"]) == ("yes", "'+도배", "광고")
    deleted = rows[str(gone.pk)]
    assert (deleted["text"], deleted["deleted_at"]) == ("", "2026-11-20T12:03:00+09:00")


def test_the_same_contest_gives_the_same_bytes() -> None:
    made, _, _ = contest()
    first, second = (everything(viewer_of(made, user("olivia"), NOON)).read() for _ in range(2))
    assert first == second


def test_a_file_that_the_storage_lost_is_named() -> None:
    made, good, _ = contest()
    good.file.storage.delete(good.file.name)
    archive = packed(made)
    assert archive.read("files/missing.txt").decode() == f"{good.pk}\n"
    assert f"files/{good.pk}.csv" not in archive.namelist()
