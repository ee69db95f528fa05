"""Golds with other ids or splits: what cannot be scored is listed, accepted, never paid back."""

from datetime import timedelta

import pytest

from leaderboard.actions.checks import check
from leaderboard.actions.submissions import submit
from leaderboard.actions.versions import make_live, rehearse
from leaderboard.boards.queries import page
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import failed_under, progress
from leaderboard.inbox.models import Notification
from leaderboard.references.models import ScoringVersion
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.queries import Upload
from scoring.findings import InvalidSubmission
from tests.leaderboard import builders
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.material import GOLDS, NOON, SPLITS, gold_csv, prediction_csv

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(hours=1)
LONGER = {**GOLDS, "talk_9": ("둘은 저녁을 같이 먹기로 한다.",)}
LONGER_SPLITS = {**SPLITS, "talk_9": "public"}


def rehearsed(
    contest: Competition, golds: dict[str, tuple[str, ...]], splits: dict[str, str]
) -> ScoringVersion:
    version = builders.uploaded(contest, gold_csv(golds, splits), at=LATER)
    rehearse(version=version, user=user("olivia"), at=LATER)
    return version


def test_a_new_id_leaves_earlier_files_without_a_score() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    given = hand_in(alices)
    score_all()
    told = Notification.objects.count()
    version = rehearsed(contest, LONGER, LONGER_SPLITS)
    score_all(LATER)
    failed = failed_under(version)
    assert [(row.submission_id, row.failure, row.attempt) for row in failed] == [
        (given.pk, "ids_changed", 1)
    ], "once: trying again would change nothing"
    with pytest.raises(Refused, match="rehearsal_failed"):
        make_live(version=version, user=user("olivia"), at=LATER)
    assert Notification.objects.count() == told
    make_live(version=version, user=user("olivia"), accept_failed=True, at=LATER)
    assert allowance(alices, contest, NOON).used_today == 1, "nothing is given back"
    board = page(viewer_of(contest, user("charlie"), LATER), "public")
    assert board.rows == ()
    state = progress(given, at=NOON)
    assert (state["state"], state["ids_changed"]) == ("failed", True)
    assert "제출 1개는 새 기준으로 채점할 수 없어" in Announcement.objects.latest("at").text


def test_uploads_are_read_by_the_live_ids_and_after_the_switch_by_the_new_ones() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    version = rehearsed(contest, LONGER, LONGER_SPLITS)
    longer = Upload("longer.csv", prediction_csv({"talk_9": "저녁 약속을 한다."}))
    assert not check(team=alices, user=alices.captain, upload=longer, at=LATER).ok, (
        "talk_9 is not known yet"
    )
    given = hand_in(alices, at=LATER)
    score_all(LATER)
    assert sorted(row.state for row in given.evaluations.all()) == ["done", "failed"]
    make_live(version=version, user=user("olivia"), accept_failed=True, at=LATER)
    with pytest.raises(InvalidSubmission):
        hand_in(alices, at=LATER)
    new = submit(team=alices, user=user("alice"), upload=longer, key="new", at=LATER)
    score_all(LATER)
    assert progress(new, at=NOON)["state"] == "done"


def test_a_retired_version_that_rehearses_again_reads_no_upload() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    first = ScoringVersion.objects.get(competition=contest)
    make_live(version=rehearsed(contest, LONGER, LONGER_SPLITS), user=user("olivia"), at=LATER)
    rehearse(version=first, user=user("olivia"), at=LATER)
    with pytest.raises(InvalidSubmission):
        hand_in(alices, at=LATER)
    longer = prediction_csv({"talk_9": "저녁 약속을 한다."})
    given = hand_in(alices, data=longer, at=LATER)
    score_all(LATER)
    assert {row.state for row in given.evaluations.all()} == {"done"}, "v1 leaves talk_9 out"


def test_predictions_for_ids_that_are_gone_count_for_nothing() -> None:
    contest = open_competition()
    hand_in(team(contest, "alice"), {"talk_1": "아무 말이나 적었다."})
    score_all()
    before = {
        row.split: row.printed for row in Evaluation.objects.get().scores.all()
    }  # public is talk_1 and talk_4; talk_4 repeats its gold and has the full mark of 3
    fewer = {name: golds for name, golds in GOLDS.items() if name != "talk_1"}
    version = rehearsed(contest, fewer, SPLITS)
    score_all(LATER)
    scores = Evaluation.objects.get(scoring_version=version).scores.all()
    after = {row.split: (row.printed, row.rows) for row in scores}
    assert before["public"] < 30_000
    assert after == {"public": (30_000, 1), "private": (30_000, 2)}


def test_other_splits_move_rows_between_the_boards() -> None:
    contest = open_competition()
    hand_in(team(contest, "alice"), {"talk_1": "아무 말이나 적었다."})
    score_all()
    swapped = {name: "private" if half == "public" else "public" for name, half in SPLITS.items()}
    version = rehearsed(contest, GOLDS, swapped)
    score_all(LATER)
    old, new = (
        {row.split: row.printed for row in Evaluation.objects.get(scoring_version=one).scores.all()}
        for one in (ScoringVersion.objects.get(state="live"), version)
    )
    assert (new["public"], new["private"]) == (old["private"], old["public"])
