"""Granting more, warning, disqualifying and reinstating a team: what changes and who is told."""

from datetime import date, timedelta
from functools import partial

import pytest

from leaderboard.actions.checks import look
from leaderboard.actions.discipline import (
    appoint_captain,
    disqualify,
    reinstate,
    rename_with_reason,
    warn,
)
from leaderboard.actions.teams import grant, grant_days
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.models import Standing
from leaderboard.boards.standings import stored
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.references.queries import live_version
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.submissions.queries import Upload, chosen
from leaderboard.teams.models import Team
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user
from tests.leaderboard.material import CLOSES, GOLDS, NOON, OPENS, prediction_csv

pytestmark = pytest.mark.django_db
TICK = timedelta(microseconds=1)
DAY = timedelta(days=1)
POOR = dict.fromkeys(GOLDS, "눈이 온다.")
VERBS = {
    "grant": lambda by, who: grant(team=by, user=who, amount=1, reason="정전", at=NOON),
    "warn": lambda by, who: warn(team=by, user=who, reason="베낌", at=NOON),
    "disqualify": lambda by, who: disqualify(team=by, user=who, reason="베낌", at=NOON),
    "reinstate": lambda by, who: reinstate(team=by, user=who, at=NOON),
}


@pytest.fixture
def contest() -> Competition:
    return open_competition(daily_limit=2)


@pytest.fixture
def alices(contest: Competition) -> Team:
    return team(contest, "alice", "bob")


def told(name: str) -> list[tuple[str, str]]:
    """What an organizer's decisions told this person, oldest first."""
    rows = Notification.objects.filter(user__username=name).exclude(kind="scored")
    return [(row.kind, row.data["reason"]) for row in rows.order_by("created_at", "kind")]


# --- Grants ---------------------------------------------------------------------------------------


def test_a_grant_is_a_line_a_message_and_a_log_entry(contest: Competition, alices: Team) -> None:
    hand_in(alices)
    hand_in(alices)
    olivia = user("olivia")
    entry = grant(team=alices, user=olivia, amount=3, reason=" 정전 때문에 ", at=NOON)
    assert (entry.kind, entry.amount, entry.day, entry.words) == (
        "grant",
        3,
        date(2026, 11, 20),
        "정전 때문에",
    )
    assert allowance(alices, contest, NOON).left_today == 3
    assert hand_in(alices)
    assert told("alice") == told("bob") == [("granted", "정전 때문에")]
    assert "2026-11-20에 3회" in Notification.objects.filter(kind="granted")[0].message("ko")
    event = AuditEvent.objects.get(kind="team.granted")
    assert (event.actor, event.subject, event.reason) == (olivia, alices.pk, "정전 때문에")
    assert event.after == {"team": str(alices.pk), "amount": 3, "day": "2026-11-20"}


@pytest.mark.parametrize("amount", [0, -1, 101])
def test_a_senseless_amount_is_refused(alices: Team, amount: int) -> None:
    with pytest.raises(Refused, match="amount") as caught:
        grant(team=alices, user=user("olivia"), amount=amount, reason="정전", at=NOON)
    assert caught.value.status == 422
    assert not QuotaEntry.objects.exists()


def test_a_grant_can_be_used_on_the_days_of_the_contest_only(contest: Competition) -> None:
    # In Seoul the contest opens on the 16th of November and closes on the 10th of December.
    assert grant_days(contest, OPENS - 3 * DAY) == (date(2026, 11, 16), date(2026, 12, 10))
    assert grant_days(contest, NOON) == (date(2026, 11, 20), date(2026, 12, 10))
    assert grant_days(contest, CLOSES - TICK) == (date(2026, 12, 10), date(2026, 12, 10))
    assert grant_days(contest, CLOSES) is None
    contest.late_entries = True
    assert grant_days(contest, CLOSES + 9 * DAY) == (date(2026, 12, 19), None)


@pytest.mark.parametrize("on", [date(2026, 11, 19), date(2026, 12, 11)])
def test_a_day_outside_is_refused(alices: Team, on: date) -> None:
    with pytest.raises(Refused, match="day") as caught:
        grant(team=alices, user=user("olivia"), amount=1, on=on, reason="정전", at=NOON)
    assert "2026-11-20 ~ 2026-12-10" in caught.value.message("ko")


def test_nothing_is_granted_after_the_close(alices: Team) -> None:
    with pytest.raises(Refused, match="closed"):
        grant(team=alices, user=user("olivia"), amount=1, reason="정전", at=CLOSES)


# --- Warnings -------------------------------------------------------------------------------------


def test_a_warning_reaches_every_member_and_changes_nothing(alices: Team) -> None:
    warn(team=alices, user=user("olivia"), reason="같은 파일을 두 팀이 냈습니다", at=NOON)
    warn(team=alices, user=user("olivia"), reason="다시 그랬습니다", at=NOON + DAY)
    said = [("warned", "같은 파일을 두 팀이 냈습니다"), ("warned", "다시 그랬습니다")]
    assert told("alice") == told("bob") == said
    assert AuditEvent.objects.filter(kind="team.warned").count() == 2
    assert hand_in(alices)


# --- Disqualification -----------------------------------------------------------------------------


def test_a_disqualified_team_is_off_the_board_and_keeps_everything(
    contest: Competition, alices: Team
) -> None:
    charlies = team(contest, "charlie")
    best = hand_in(alices)
    hand_in(charlies, POOR)
    score_all()
    olivia = user("olivia")
    disqualify(team=alices, user=olivia, reason="정답을 손으로 씀", at=NOON)
    assert set(Standing.objects.values_list("team__name", flat=True)) == {charlies.name}
    assert Submission.objects.filter(team=alices).get() == best
    assert best.evaluations.get().scores.count() == 2
    assert QuotaEntry.objects.filter(team=alices).count() == 1
    assert chosen(alices.pk) == set()
    assert told("alice")[-1] == told("bob")[-1] == ("disqualified", "정답을 손으로 씀")
    event = AuditEvent.objects.get(kind="team.disqualified")
    assert (event.actor, event.subject, event.reason) == (olivia, alices.pk, "정답을 손으로 씀")


def test_reinstating_brings_the_same_rows_back(contest: Competition, alices: Team) -> None:
    hand_in(alices)
    score_all()
    version = live_version(contest)
    assert version is not None
    before = stored(teams=[alices], version=version)
    assert before[alices.pk]
    disqualify(team=alices, user=user("olivia"), reason="베낌", at=NOON)
    assert not stored(teams=[alices], version=version).get(alices.pk)
    reinstate(team=alices, user=user("olivia"), reason="오해였음", at=NOON + DAY)
    assert stored(teams=[alices], version=version) == before
    alices.refresh_from_db()
    assert (alices.disqualified_at, alices.disqualify_reason) == (None, "")
    assert told("bob")[-1] == ("reinstated", "오해였음")
    event = AuditEvent.objects.get(kind="team.reinstated")
    assert event.before == {"disqualified_at": NOON.isoformat(), "reason": "베낌"}
    assert hand_in(alices)


def test_a_disqualified_team_may_not_submit_and_reads_why(alices: Team) -> None:
    stale = Team.objects.select_related("competition").get(pk=alices.pk)
    disqualify(team=alices, user=user("olivia"), reason="베낌", at=NOON)
    with pytest.raises(Refused, match="disqualified"):
        hand_in(stale)  # decided between the check and the lock
    assert not Submission.objects.exists()
    alices.refresh_from_db()
    with pytest.raises(Refused, match="disqualified") as caught:
        hand_in(alices)
    assert caught.value.status == 403
    assert "베낌" in caught.value.message("ko")
    assert "베낌" in caught.value.message("en")
    verdict = look(
        team=alices, user=alices.captain, upload=Upload("p.csv", prediction_csv()), at=NOON
    )
    assert verdict.refusal.code == "disqualified"


def test_twice_is_refused_and_told_once(alices: Team) -> None:
    disqualify(team=alices, user=user("olivia"), reason="베낌", at=NOON)
    with pytest.raises(Refused, match="already_disqualified"):
        disqualify(team=alices, user=user("olivia"), reason="또", at=NOON)
    alices.refresh_from_db()
    assert alices.disqualify_reason == "베낌"
    reinstate(team=alices, user=user("olivia"), at=NOON)
    with pytest.raises(Refused, match="not_disqualified"):
        reinstate(team=alices, user=user("olivia"), at=NOON)
    assert [kind for kind, _ in told("alice")] == ["disqualified", "reinstated"]


# --- All four -------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["grant", "warn", "disqualify"])
@pytest.mark.parametrize("reason", ["", "  ", "가" * 501])
def test_a_reason_is_needed(alices: Team, verb: str, reason: str) -> None:
    roads = {"grant": grant, "warn": warn, "disqualify": disqualify}
    more = {"amount": 1} if verb == "grant" else {}
    with pytest.raises(Refused, match="reason_length"):
        roads[verb](team=alices, user=user("olivia"), reason=reason, at=NOON, **more)
    assert not Notification.objects.exists()


@pytest.mark.parametrize("verb", VERBS)
def test_a_baseline_is_nobody_to_decide_about(alices: Team, verb: str) -> None:
    Team.objects.filter(pk=alices.pk).update(kind=Team.Kind.BASELINE)
    with pytest.raises(Refused, match="baseline"):
        VERBS[verb](alices, user("olivia"))


def test_an_organizer_renames_a_team_and_says_why(contest: Competition, alices: Team) -> None:
    team(contest, "charlie", called="charlie 팀")
    rename = {"team": alices, "user": user("olivia"), "at": NOON}
    rename_with_reason(name="달빛", reason="남의 이름입니다", **rename)
    assert Team.objects.filter(pk=alices.pk, name="달빛").exists()
    event = AuditEvent.objects.get(kind="team.renamed_by_organizer")
    assert (event.before, event.reason) == ({"name": alices.name}, "남의 이름입니다")
    notices = Notification.objects.filter(kind=Notification.Kind.TEAM)
    assert {row.user.username for row in notices} == {"alice", "bob"}
    assert notices[0].data["news"] == "renamed"
    for name, reason, code in (
        ("달빛", "또", "nothing_changes"),
        ("별빛", " ", "reason_length"),
        ("charlie 팀", "또", "name_taken"),
        ("운영자", "또", "name_reserved"),
    ):
        with pytest.raises(Refused, match=code):
            rename_with_reason(name=name, reason=reason, **rename)


def test_an_organizer_makes_another_member_the_captain_and_says_why(
    contest: Competition, alices: Team
) -> None:
    team(contest, "dana")
    why = "팀장이 열흘째 답하지 않습니다"
    appoint = partial(appoint_captain, team=alices, user=user("olivia"), at=NOON)
    for name, reason, code in (
        ("dana", why, "unknown_person"),
        ("alice", why, "nothing_changes"),
        ("bob", " ", "reason_length"),
    ):
        with pytest.raises(Refused, match=code):
            appoint(username=name, reason=reason)
    appoint(username="bob", reason=why)
    alices.refresh_from_db()
    assert alices.captain == user("bob")
    event = AuditEvent.objects.get(kind="team.captain_replaced")
    assert (event.before, event.actor, event.reason) == ({"captain": "alice"}, user("olivia"), why)
    notices = {row.user.username: row.data for row in Notification.objects.filter(kind="team")}
    assert notices.keys() == {"alice", "bob"}
    assert all((one["news"], one["reason"]) == ("new_captain", why) for one in notices.values())
