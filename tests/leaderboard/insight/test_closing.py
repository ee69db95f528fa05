"""The closing report of a real contest: when it is made, of what, and that it is verified."""

import io
import zipfile
from datetime import timedelta

import pytest

from leaderboard.actions.discipline import exclude, warn
from leaderboard.actions.submissions import choose_finals
from leaderboard.actions.teams import add_baseline
from leaderboard.boards.shake_up import shake_up
from leaderboard.competitions.models import Competition, data_storage
from leaderboard.evaluation.models import KeptFailure
from leaderboard.insight.closing_report import due_report, make_next_report, make_report
from leaderboard.insight.models import ClosingReport
from leaderboard.insight.tuning_gap import make_next_spreads
from leaderboard.references.models import ReferenceSet, gold_storage
from leaderboard.submissions.models import Submission, submission_storage
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Team
from scoring.insight.closing.sheets import Sheet
from scoring.insight.closing.verify import verify_bundle
from tests.leaderboard.builders import competition, hand_in, live, score_all, team, user, viewer_of
from tests.leaderboard.insight.test_bands import GOLD, NEARLY, PERFECT, SPLIT, contest_of_three
from tests.leaderboard.material import CLOSES, NOON, REVEALS, gold_csv, texts_csv

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
INSTANT = timedelta(microseconds=1)
HALF = {name: PERFECT[name] if SPLIT[name] == "private" else "눈이 온다." for name in GOLD}


def contest() -> tuple[Competition, list[Team]]:
    """Alice chose the worse of two files as her final; there is a baseline."""
    made, teams = contest_of_three()
    final = hand_in(teams[0], data=texts_csv(HALF), at=NOON + HOUR)
    add_baseline(
        competition=made,
        user=user("olivia"),
        name="기준선",
        upload=Upload("lead.csv", texts_csv(NEARLY)),
        at=NOON + HOUR,
    )
    score_all(NOON + HOUR)
    choose_finals(team=teams[0], user=user("alice"), submission_ids=[final.pk], at=NOON + 2 * HOUR)
    return made, teams


def stored(edition: str) -> bytes:
    with getattr(ClosingReport.objects.get(), edition).open("rb") as packed:
        data: bytes = packed.read()
    return data


def file_of(edition: str, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(stored(edition))) as archive:
        return archive.read(name)


def test_it_is_made_at_the_reveal_and_not_before() -> None:
    contest()
    assert not make_next_report(CLOSES)
    assert not make_next_report(REVEALS - INSTANT)
    assert make_next_report(REVEALS)
    assert not make_next_report(REVEALS)


def test_nor_while_the_reveal_is_held() -> None:
    contest()
    Competition.objects.update(reveal_held=True)
    assert not make_next_report(REVEALS + HOUR)


@pytest.mark.parametrize("edition", ["public", "organizers"])
def test_both_editions_are_verified_and_the_same_twice(edition: str) -> None:
    contest()
    make_next_report(REVEALS)
    first = stored(edition)
    found = verify_bundle(io.BytesIO(first))
    assert found.failed == ()
    assert found.edition == edition
    kept = ClosingReport.objects.get()
    ClosingReport.objects.all().delete()
    due = due_report(REVEALS + HOUR)
    make_report(due, REVEALS + HOUR)
    assert stored(edition) == first
    again = ClosingReport.objects.get()
    assert (again.public_sha256, again.organizers_sha256) == (
        kept.public_sha256,
        kept.organizers_sha256,
    )


def test_it_prints_the_seed_of_the_split_and_the_draw_is_verified() -> None:
    made = competition("talk")
    version = live(made, gold_csv(GOLD, None))
    hand_in(team(made, "alice"), data=texts_csv(PERFECT), at=NOON)
    score_all(NOON)
    assert make_next_report(REVEALS)
    seed = version.reference_set.split_seed
    for edition in ("public", "organizers"):
        assert Sheet.read(file_of(edition, "facts.csv")).pairs()["split seed"] == seed
        assert verify_bundle(io.BytesIO(stored(edition))).failed == ()
    ReferenceSet.objects.update(split_seed="0" * 32)  # as if somebody had chosen the halves
    ClosingReport.objects.all().delete()
    assert make_next_report(REVEALS)
    assert verify_bundle(io.BytesIO(stored("organizers"))).failed == ("split seed",)


def test_it_says_what_the_boards_say() -> None:
    made, _ = contest()
    make_next_report(REVEALS)
    found = shake_up(viewer_of(made, user("olivia"), REVEALS), page=None)
    table = Sheet.read(file_of("public", "shakeup.csv"))
    right = [
        (move.team_name, str(move.public_rank), str(move.rank), move.total)
        for move in found.rows
        if move.rank is not None
    ]
    columns = ("team", "public_rank", "private_rank", "private_total")
    assert list(zip(*(table.column(name) for name in columns), strict=True)) == right
    standings = Sheet.read(file_of("public", "standings.csv"))
    of_baseline = [row for row in standings.rows if "기준선" in row]
    assert [row[1:3] for row in of_baseline] == [("public", ""), ("private", "")]
    # Alice's final is another file than the one of the public board.
    files = Sheet.read(file_of("public", "files.csv"))
    assert [row[1] for row in files.rows].count("alice") == 2


def test_the_public_edition_holds_no_gold_and_no_row() -> None:
    contest()
    make_next_report(REVEALS)
    with zipfile.ZipFile(io.BytesIO(stored("public"))) as archive:
        names, everything = archive.namelist(), b"".join(map(archive.read, archive.namelist()))
    assert not any(name.startswith("predictions/") for name in names)
    text = everything.decode()
    assert not [gold for golds in GOLD.values() for gold in golds if gold in text]
    assert not [name for name in GOLD if f"{name}," in text]
    assert PERFECT["row_1"] in file_of("organizers", "golds.csv").decode()


def test_it_tells_falls_and_days_to_all_and_decisions_to_organizers() -> None:
    _, teams = contest()
    worst = Submission.objects.filter(team=teams[2]).get()
    exclude(submission=worst, user=user("olivia"), reason="둘이 같은 기숙사", at=NOON + 3 * HOUR)
    assert make_next_spreads(REVEALS)
    make_next_report(REVEALS)
    days = Sheet.read(file_of("public", "entries.csv"))
    assert [files for _, files in days.rows] == ["4"], "the baseline is no team's"
    [alices] = Sheet.read(file_of("public", "gaps.csv")).rows
    assert (alices[:3], alices[4:]) == (("alice", "2", "0"), ("", "")), "another file is her final"
    shaken = Sheet.read(file_of("public", "shakeup.csv"))
    assert alices[3] == dict(zip(shaken.column("team"), shaken.column("gap"), strict=True))["alice"]
    decided = Sheet.read(file_of("organizers", "decisions.csv"))
    said = dict(zip(decided.column("kind"), decided.rows, strict=True))
    assert "version.made_live" in said
    assert said["submission.excluded"][2:4] == ("olivia", "charlie")
    assert said["submission.excluded"][-1] == "둘이 같은 기숙사"
    with zipfile.ZipFile(io.BytesIO(stored("public"))) as archive:
        everything = b"".join(map(archive.read, archive.namelist())).decode()
    assert "decisions.csv" not in archive.namelist()
    assert "기숙사" not in everything
    assert "olivia" not in everything
    for edition in ("public", "organizers"):
        assert verify_bundle(io.BytesIO(stored(edition))).failed == ()


def test_it_is_made_anew_when_something_was_decided() -> None:
    _, teams = contest()
    make_next_report(REVEALS)
    warn(team=teams[1], user=user("olivia"), reason="서버 문제", at=REVEALS + HOUR)
    assert make_next_report(REVEALS + 2 * HOUR)
    assert "서버 문제" in file_of("organizers", "decisions.csv").decode()


def test_it_is_made_anew_when_a_standing_changed_and_the_old_one_goes() -> None:
    _, teams = contest()
    make_next_report(REVEALS)
    before = ClosingReport.objects.get()
    assert due_report(REVEALS + HOUR) is None
    best = Submission.objects.filter(team=teams[1]).get()
    exclude(submission=best, user=user("olivia"), reason="규칙 위반", at=REVEALS + HOUR)
    assert due_report(REVEALS + HOUR) is None  # looked at a moment ago
    assert make_next_report(REVEALS + 2 * HOUR)
    assert "bob" not in Sheet.read(file_of("public", "shakeup.csv")).column("team")
    assert ClosingReport.objects.get().public_sha256 != before.public_sha256


def test_the_old_files_go_with_the_row(django_capture_on_commit_callbacks: object) -> None:
    contest()
    make_next_report(REVEALS)
    before = ClosingReport.objects.get()
    ClosingReport.objects.update(stamp="")
    with django_capture_on_commit_callbacks(execute=True):
        assert make_next_report(REVEALS + HOUR)
    for old in (before.public, before.organizers):
        assert not old.storage.exists(str(old.name))


def test_the_edition_with_golds_lies_beside_the_golds() -> None:
    contest()
    make_next_report(REVEALS)
    kept = ClosingReport.objects.get()
    assert data_storage().exists(str(kept.public.name))
    assert gold_storage().exists(str(kept.organizers.name))
    assert not data_storage().exists(str(kept.organizers.name))


def test_a_contest_whose_file_is_gone_holds_up_no_other() -> None:
    gone, _ = contest()
    other = competition("other")
    live(other, gold_csv(GOLD, SPLIT))
    hand_in(team(other, "dana"), data=texts_csv(PERFECT))
    score_all()
    lost = Submission.objects.get(team__name="bob")
    submission_storage().delete(str(lost.file.name))
    assert [make_next_report(REVEALS) for _ in range(3)] == [True, True, False]
    assert ClosingReport.objects.get().competition == other
    kept = KeptFailure.objects.get()
    assert (kept.work, kept.code) == ("report", "FileNotFoundError")
    assert kept.scoring_version.competition == gone
