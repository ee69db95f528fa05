"""The organizers' own files on the board: scored like any other, ranked and counted like none."""

from datetime import timedelta

import pytest

from leaderboard.actions.assigning import put_in_team
from leaderboard.actions.registration import join
from leaderboard.actions.teams import (
    add_baseline,
    remove_baseline,
    rename_baseline,
    restore_baseline,
)
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.models import Standing
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from leaderboard.submissions.models import QuotaEntry, Submission, submission_storage
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.queries import baselines, participants
from scoring.findings import InvalidSubmission
from tests.leaderboard.builders import (
    competition,
    hand_in,
    open_competition,
    score_all,
    team,
    user,
)
from tests.leaderboard.material import CLOSES, GOLDS, NOON, prediction_csv

pytestmark = pytest.mark.django_db


def add(contest: Competition, name: str = "KoBART") -> Submission:
    who = {"competition": contest, "user": user("olivia"), "at": NOON}
    return add_baseline(name=name, upload=Upload("../kobart.csv", prediction_csv()), **who)


def test_a_baseline_is_scored_and_shown_without_rank_people_or_quota() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    hand_in(alices, dict.fromkeys(GOLDS, "두 사람은 보기로 한다"))
    submission = add(contest, " ＫｏBART ")
    assert (submission.team.name, submission.team.kind) == ("KoBART", "baseline")
    assert submission.file_name == "kobart.csv"
    score_all()
    rows = Standing.objects.filter(team=submission.team)
    assert {(row.board, row.ranked, row.printed) for row in rows} == {
        ("public", False, 30_000),  # the first golds themselves: 1 + 1 + 1
        ("private", False, 30_000),
    }
    assert not Membership.objects.filter(team=submission.team).exists()
    assert not QuotaEntry.objects.filter(team=submission.team).exists()
    assert not Notification.objects.filter(subject=submission.pk).exists()
    assert participants(contest).count() == 1
    assert list(participants(contest)) == [alices]
    assert list(baselines(contest)) == [submission.team]
    event = AuditEvent.objects.get(kind="baseline.added")
    assert event.after == {"name": "KoBART", "file": "kobart.csv"}


def test_dates_and_limits_are_for_teams() -> None:
    contest = open_competition(max_waiting=1, daily_limit=1)
    for name in ("하나", "둘", "셋"):
        add(contest, name)
    upload = Upload("late.csv", prediction_csv())
    late = CLOSES + timedelta(hours=1)
    submission = add_baseline(
        competition=contest, user=user("olivia"), name="넷", upload=upload, at=late
    )
    assert not submission.is_late
    assert score_all(late) == 4


def test_its_name_is_nobodys_elses_in_both_directions() -> None:
    contest = open_competition()
    hand_in(team(contest, "alice", called="두괄식"))
    files = len(submission_storage().listdir("")[1])
    with pytest.raises(Refused, match="name_taken"):
        add(contest, "두괄식")
    assert len(submission_storage().listdir("")[1]) == files
    added = add(contest)
    with pytest.raises(Refused, match="name_taken"):
        add(contest)
    with pytest.raises(Refused, match="name_taken"):
        join(user=user("bob"), competition=contest, team_name="KoBART", at=NOON)
    olivia = user("olivia")
    with pytest.raises(Refused, match="name_taken"):
        rename_baseline(team=added.team, user=olivia, name="두괄식", at=NOON)
    with pytest.raises(Refused, match="name_empty"):
        rename_baseline(team=added.team, user=olivia, name=" \u200b ", at=NOON)
    rename_baseline(team=added.team, user=olivia, name="KoBART", at=NOON)
    rename_baseline(team=added.team, user=olivia, name="KoBART 2", at=NOON)
    assert [row.name for row in baselines(contest)] == ["KoBART 2"]
    event = AuditEvent.objects.get(kind="baseline.renamed")
    assert (event.before, event.after) == ({"name": "KoBART"}, {"name": "KoBART 2"})


def test_only_with_a_file_that_can_be_scored() -> None:
    contest = open_competition()
    with pytest.raises(InvalidSubmission):
        add_baseline(
            competition=contest,
            user=user("olivia"),
            name="빈 것",
            upload=Upload("x.csv", b"fname,summary\ntalk_1,x\n"),
            at=NOON,
        )
    with pytest.raises(Refused, match="no_live_version"):
        add(competition("empty"))
    assert not Team.objects.exists()


def test_taken_off_the_boards_and_put_back() -> None:
    contest = open_competition()
    base = add(contest).team
    score_all()
    olivia = user("olivia")
    remove_baseline(team=base, user=olivia, at=NOON)
    assert not Standing.objects.filter(team=base).exists()
    with pytest.raises(Refused, match="already_excluded"):
        remove_baseline(team=base, user=olivia, at=NOON)
    restore_baseline(team=base, user=olivia, at=NOON)
    assert Standing.objects.filter(team=base).count() == 2
    with pytest.raises(Refused, match="not_excluded"):
        restore_baseline(team=base, user=olivia, at=NOON)
    kinds = set(AuditEvent.objects.filter(subject=base.pk).values_list("kind", flat=True))
    assert kinds == {"baseline.added", "baseline.removed", "baseline.restored"}


def test_a_team_is_no_baseline_and_a_baseline_no_team_to_join() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    base = add(contest).team
    olivia = user("olivia")
    for change in (remove_baseline, restore_baseline):
        with pytest.raises(Refused, match="not_a_baseline"):
            change(team=alices, user=olivia, at=NOON)
    with pytest.raises(Refused, match="not_a_baseline"):
        rename_baseline(team=alices, user=olivia, name="x", at=NOON)
    with pytest.raises(Refused, match="unknown_team"):
        put_in_team(competition=contest, user=olivia, username="alice", team=base, at=NOON)
