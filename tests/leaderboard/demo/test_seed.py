"""The demo is made by the real actions and scorer, once, and each contest whole or not at all."""

import json
import stat
import statistics
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.core.management import call_command

from leaderboard.accounts.models import User
from leaderboard.audit.models import AuditEvent
from leaderboard.boards import queries as boards
from leaderboard.boards.models import Standing, Switch
from leaderboard.boards.results import best_submission
from leaderboard.boards.shake_up import shake_up
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import phase
from leaderboard.demo import seed as seed_module
from leaderboard.demo.contests import CONTESTS
from leaderboard.demo.seed import accounts_file, organizer, seed, seed_contest
from leaderboard.evaluation.models import Evaluation
from leaderboard.inbox.models import Notification
from leaderboard.references.queries import stored_references
from leaderboard.teams.queries import participants, team_of
from tests.leaderboard.builders import viewer_of
from tests.leaderboard.kept_rows import built_once

pytestmark = [pytest.mark.django_db, pytest.mark.whole]
NOW = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def no_accounts_yet() -> None:
    accounts_file().unlink(missing_ok=True)


@built_once
def seeded() -> None:
    """The demo as it is at NOW, which the first test here makes for the others."""
    seed(at=NOW)


def test_it_makes_a_running_and_a_finished_contest_with_scores() -> None:
    assert seed(at=NOW) == 64
    phases = {row.slug: phase(row, NOW) for row in Competition.objects.all()}
    assert phases == {"daily-dialogue": "open", "short-calls": "revealed"}
    assert set(Evaluation.objects.values_list("state", flat=True)) == {"done"}
    totals = Standing.objects.filter(
        board="public", ranked=True, scoring_version__competition__slug="daily-dialogue"
    ).values_list("printed", flat=True)
    assert len(set(totals)) == len(totals) == 6
    call_command("rebuild_standings", "--check")
    assert seed(at=NOW) == 0


def test_the_finished_contest_shows_a_shake_up() -> None:
    """Two teams tuned to the public rows and fall; Alice's final beats her best public file.

    Both boards agree as those of real contests do: a reader who sees a demo in which the public
    board says nothing would learn that public boards say nothing.
    """
    seeded()
    contest = Competition.objects.get(slug="short-calls")
    seen = viewer_of(contest, User.objects.get(username="alice"), NOW)
    found = shake_up(seen)
    moves = {move.team_name: (move.public_rank, move.rank) for move in found.rows}
    assert moves["세 문장 클럽"] == (1, 2)
    assert moves["끊기 전에 한 줄"] == (2, 4)
    placed = [pair for pair in moves.values() if None not in pair]
    assert 0.6 <= statistics.correlation(*zip(*placed, strict=True)) <= 0.95
    assert (found.own.public_rank, found.own.rank) == (3, 1)
    assert found.own.submission_id != best_submission(seen)
    seed(at=NOW)
    assert shake_up(seen).own == found.own


def test_the_demo_has_an_announcement_baselines_and_a_reveal_notice_of_its_day() -> None:
    seeded()
    seed(at=NOW)  # the second time nothing is said again
    running, finished = (
        Competition.objects.get(slug=slug) for slug in ("daily-dialogue", "short-calls")
    )
    said = Announcement.objects.get(competition=running)
    assert said.text_en
    assert running.opens_at < said.at < NOW
    for contest in (running, finished):
        seen = viewer_of(contest, User.objects.get(username="alice"), NOW)
        page = boards.page(seen, "public")
        assert [row.team_name for row in page.rows if row.rank is None] == [
            "앞 발화 잇기",
            "한 문장 되풀이",
        ]
    told = Notification.objects.filter(kind=Notification.Kind.REVEALED)
    assert {row.competition for row in told} == {finished.pk}
    assert {row.created_at for row in told} == {finished.reveals_at}
    assert told.filter(user__username="alice").count() == 1


def test_accounts_are_private_and_let_people_in() -> None:
    seed(at=NOW)
    assert stat.S_IMODE(accounts_file().stat().st_mode) == 0o600
    written = json.loads(accounts_file().read_text())
    by_name = {row["username"]: row for row in written["accounts"]}
    assert [row["role"] for row in by_name.values()] == ["organizer", *["participant"] * 3]
    for name, row in by_name.items():
        assert User.objects.get(username=name).check_password(row["password"])
    contest = Competition.objects.get(slug="daily-dialogue")
    assert team_of(User.objects.get(username="bob"), contest) == team_of(
        User.objects.get(username="alice"), contest
    )
    assert team_of(User.objects.get(username="charlie"), contest) is None
    sizes = [team.memberships.count() for team in participants(contest)]
    assert sorted(sizes)[-3:] == [1, 2, 3]
    assert not User.objects.get(username="dabin").has_usable_password()


# Two teams of the finished contest, whose references were corrected after three of seven files.
FEW = ("수화기 너머", "통화 중 대기")
SMALL = replace(
    CONTESTS[1],
    uploads=[one for one in CONTESTS[1].uploads if one.team in FEW],
    captains=("alice", "jiho"),
)


def corrected_once() -> None:
    contest = Competition.objects.get(slug="short-calls")
    first, second = contest.scoring_versions.order_by("number")
    assert [(one.number, one.state) for one in (first, second)] == [(1, "retired"), (2, "live")]
    was, now = (stored_references(one.reference_set_id).examples for one in (first, second))
    changed = [pair for pair in zip(was, now, strict=True) if pair[0] != pair[1]]
    [(wrong, right)] = changed
    assert wrong.references[0].replace("19일", "9일") == right.references[0]
    assert "19일" not in right.references[0]
    assert wrong.references[1:] == right.references[1:]
    said = Announcement.objects.get(competition=contest)
    assert contest.opens_at < said.at == second.made_live_at < contest.closes_at
    assert "v1 → v2" in said.text
    for switch in Switch.objects.filter(scoring_version=second):
        # Both teams and both baselines.
        assert len(switch.moves) == 4
    decided = AuditEvent.objects.filter(
        competition=contest.pk, actor__username="olivia", at__gt=contest.opens_at
    )
    kinds = list(decided.order_by("at").values_list("kind", flat=True))
    assert [kind for kind in kinds if kind.startswith(("golds", "version"))] == [
        "golds.uploaded",
        "version.rehearsing",
        "version.made_live",
    ]


def test_a_contest_is_whole_or_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(**fields: object) -> None:
        raise KeyboardInterrupt

    olivia = organizer("olivia")
    with monkeypatch.context() as patched:
        patched.setattr(seed_module, "rehearse", killed)
        with pytest.raises(KeyboardInterrupt):
            seed_contest(SMALL, olivia, NOW)
    assert not Competition.objects.exists()
    assert seed_contest(SMALL, olivia, NOW) == 7
    corrected_once()
    assert seed_contest(SMALL, olivia, NOW) == 0
    corrected_once()
