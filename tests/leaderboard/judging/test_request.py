"""Who may have what judged, how often, and what the policies choose by themselves."""

from datetime import timedelta

import pytest

from leaderboard.actions.discipline import exclude
from leaderboard.actions.ending import archive
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.judging.actions.judgings import choose_by_policy, request_judging
from leaderboard.judging.models import JudgeConfig, Judging
from leaderboard.refusals import Refused
from leaderboard.submissions.models import FinalChoice, Submission
from leaderboard.teams.models import Team
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user
from tests.leaderboard.judging.stage import ScriptedJudge, judge_config, work
from tests.leaderboard.material import CLOSES, GOLDS, NOON, REVEALS
from tests.leaderboard.web.pages import browser

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("connected_judge")]
WRONG = dict.fromkeys(GOLDS, "아무 관계가 없는 글이다.")


def judged_contest(**fields: object) -> JudgeConfig:
    contest = open_competition()
    config = judge_config(contest, **fields)
    Competition.objects.filter(pk=contest.pk).update(shows_other_columns=True)
    config.competition.refresh_from_db()
    return config


def scored(config: JudgeConfig, who: str = "alice") -> Submission:
    given = hand_in(team(config.competition, who))
    score_all()
    return given


def refused(submission: Submission, who: str, **delta: int) -> str:
    with pytest.raises(Refused) as refusal:
        request_judging(submission_id=submission.pk, user=user(who), at=NOON + timedelta(**delta))
    return refusal.value.code


def test_a_member_asks_for_the_public_board_and_only_once() -> None:
    config = judged_contest()
    given = scored(config)
    first = request_judging(submission_id=given.pk, user=user("alice"), at=NOON)
    again = request_judging(submission_id=given.pk, user=user("alice"), at=NOON)
    assert first == again
    assert (first.board, first.rows, first.state) == ("public", 2, "waiting")
    assert Judging.objects.count() == 1
    assert not AuditEvent.objects.filter(kind="judge.requested").exists()


def test_others_are_refused() -> None:
    config = judged_contest()
    given = scored(config)
    assert refused(given, "charlie") == "not_a_member"
    exclude(submission=given, user=user("olivia"), reason="베낀 글", at=NOON)
    assert refused(given, "alice") == "excluded"


def test_without_a_judge_or_a_score_it_is_refused() -> None:
    contest = open_competition()
    given = hand_in(team(contest, "alice"))
    assert refused(given, "alice") == "no_judge"
    judge_config(contest)
    assert refused(given, "alice") == "no_judge"  # frozen or active, but not shown
    Competition.objects.filter(pk=contest.pk).update(shows_other_columns=True)
    assert refused(given, "alice") == "not_scored"


def test_a_team_may_ask_a_few_times_a_day_and_an_editor_any_time() -> None:
    config = judged_contest(submissions_per_team_day=1)
    alices = team(config.competition, "alice")
    first, second = (hand_in(alices, at=NOON + timedelta(minutes=n)) for n in range(2))
    score_all()
    request_judging(submission_id=first.pk, user=user("alice"), at=NOON)
    assert refused(second, "alice") == "judge_limit"
    assert refused(second, "alice", hours=11) == "judge_limit"  # 23:00 in Seoul
    request_judging(submission_id=second.pk, user=user("alice"), at=NOON + timedelta(hours=12))
    third = hand_in(alices, at=NOON + timedelta(minutes=3))
    score_all()
    request_judging(submission_id=third.pk, user=user("olivia"), at=NOON + timedelta(hours=12))
    assert AuditEvent.objects.filter(kind="judge.requested", subject=third.pk).count() == 1


def test_what_an_organizer_asks_for_leaves_the_team_its_day_and_spends_its_purses() -> None:
    config = judged_contest(submissions_per_team_day=1, calls_per_team_day=1)
    alices = team(config.competition, "alice")
    first, second = (hand_in(alices, at=NOON + timedelta(minutes=n)) for n in range(2))
    score_all()
    request_judging(submission_id=first.pk, user=user("olivia"), at=NOON)
    request_judging(submission_id=second.pk, user=user("alice"), at=NOON)
    assert Judging.objects.count() == 2
    judge = ScriptedJudge()
    work(judge)
    assert judge.calls == 1  # the team's calls of the day, whoever asked
    assert set(Judging.objects.values_list("paused", flat=True)) == {"budget"}


def test_a_late_file_spends_nothing_of_the_judge_s_budget_unless_an_editor_wants_it() -> None:
    """It stands on no board; and late files come for as long as the contest lets them."""
    config = judged_contest()
    Competition.objects.filter(pk=config.competition_id).update(late_entries=True)
    alices = team(config.competition, "alice")
    hand_in(alices)
    late = hand_in(Team.objects.get(pk=alices.pk), at=CLOSES)
    score_all(CLOSES)
    assert refused(late, "alice", days=10) == "late"
    page = browser("alice").get(f"/c/talk/submissions/{late.pk}").text
    assert "심사하지 않았습니다" in page
    assert "심사 요청" not in page
    for policy in ("best", "finals"):
        JudgeConfig.objects.filter(pk=config.pk).update(policy=policy)
        FinalChoice.objects.get_or_create(
            submission=late, defaults={"chosen_by": user("alice"), "at": NOON}
        )
        choose_by_policy(at=REVEALS)
    assert not Judging.objects.filter(submission=late).exists()
    request_judging(submission_id=late.pk, user=user("olivia"), at=CLOSES)
    assert Judging.objects.filter(submission=late).exists()


def test_a_policy_that_chooses_by_itself_takes_no_wishes_of_teams() -> None:
    config = judged_contest(policy="best")
    given = scored(config)
    assert refused(given, "alice") == "judge_chooses"
    assert request_judging(submission_id=given.pk, user=user("olivia"), at=NOON).board == "public"


def test_best_follows_the_public_board_within_the_days_limit() -> None:
    config = judged_contest(policy="best", submissions_per_team_day=2)
    alices = team(config.competition, "alice")
    expected = []
    for minute, texts in enumerate((WRONG, {"talk_1": "민수는 지우를 만난다."}, None)):
        expected.append(hand_in(alices, texts, at=NOON + timedelta(minutes=minute)).pk)
        score_all()
        choose_by_policy(at=NOON)
        choose_by_policy(at=NOON)
    assert set(Judging.objects.values_list("submission", "board")) == {
        (each, "public") for each in expected[:2]
    }
    assert choose_by_policy(at=NOON + timedelta(days=1)) == 1
    assert Judging.objects.filter(submission=expected[2]).exists()


def test_of_an_archived_contest_nothing_more_is_chosen() -> None:
    config = judged_contest(policy="best")
    scored(config)
    contest, olivia = config.competition, user("olivia")
    archive(competition=contest, user=olivia, archived=True, at=NOON)
    assert choose_by_policy(at=NOON) == 0
    archive(competition=contest, user=olivia, archived=False, at=NOON)
    assert choose_by_policy(at=NOON) == 1


def test_finals_are_what_teams_chose() -> None:
    config = judged_contest(policy="finals")
    first, _ = scored(config), scored(config, "charlie")
    assert choose_by_policy(at=NOON) == 0
    FinalChoice.objects.create(submission=first, chosen_by=user("alice"), at=NOON)
    assert choose_by_policy(at=NOON) == 1
    assert Judging.objects.get().submission == first


def test_private_rows_are_judged_only_when_everybody_sees_their_board() -> None:
    config = judged_contest()
    given = scored(config)
    request_judging(submission_id=given.pk, user=user("olivia"), at=REVEALS - timedelta(seconds=1))
    choose_by_policy(at=REVEALS - timedelta(seconds=1))
    assert set(Judging.objects.values_list("board", flat=True)) == {"public"}
    assert choose_by_policy(at=REVEALS) == 1
    assert set(Judging.objects.values_list("board", flat=True)) == {"public", "private"}
