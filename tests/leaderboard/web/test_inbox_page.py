"""The inbox: thirteen scores are one line, pages, one line read or all."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.competitions.models import Competition
from leaderboard.inbox import lines
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell, unread_count
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.material import NOON
from tests.leaderboard.web.pages import HTMX, browser, hand_in, running

pytestmark = pytest.mark.django_db
Kind = Notification.Kind


def told(contest: Competition, kind: str, number: int = 1, at: datetime = NOON) -> None:
    """Alice's inbox as it is after so many events, one a second."""
    begin = Notification.objects.count()
    for subject in range(begin, begin + number):
        tell(
            users=[builders.user("alice")],
            kind=Kind(kind),
            subject=UUID(int=subject),
            competition=contest.pk,
            competition_slug=contest.slug,
            data={"ko": f"소식 {subject}"} if kind == Kind.ANNOUNCED else {},
            at=at + timedelta(seconds=subject),
        )


def inbox(query: str = "") -> str:
    answer = browser("alice").get(f"/inbox{query}")
    assert answer.status_code == 200
    return answer.text


def lines_of(text: str) -> int:
    return text.partition('<ol class="inbox')[2].count("<li ")


@pytest.fixture
def contest() -> Competition:
    contest = running()
    builders.team(contest, "alice")
    return contest


def test_thirteen_scores_are_one_line(contest: Competition) -> None:
    told(contest, Kind.SCORED, 7)
    told(contest, Kind.ANNOUNCED, 2)  # what an organizer says is never put together
    told(contest, Kind.SCORED, 6)
    told(contest, Kind.SCORED, at=NOON - timedelta(days=1))
    text = inbox()
    assert lines_of(text) == 4
    assert '<b class="num">13</b>' in text
    assert text.count("/c/talk/submissions/") == 14


def test_opening_a_result_reads_its_notice(contest: Competition) -> None:
    files = [hand_in(Team.objects.get()) for _ in range(2)]
    builders.score_all(timezone.now())
    alice, own = builders.user("alice"), browser("alice")
    assert unread_count(alice) == 2
    own.get(f"/c/talk/submissions/{files[0].pk}")
    assert unread_count(alice) == 1
    own.get(f"/c/talk/submissions/{files[1].pk}/progress", headers=HTMX)
    assert unread_count(alice) == 0


def test_pages_hold_every_notice(contest: Competition) -> None:
    told(contest, Kind.ANNOUNCED, 95)
    Notification.objects.update(created_at=NOON)  # all of one instant
    seen = [
        word.partition("<")[0] for n in (1, 2) for word in inbox(f"?page={n}").split("소식 ")[1:]
    ]
    assert len(seen) == len(set(seen)) == 95
    for nonsense in ("?page=-1", "?kind=%01"):
        assert lines_of(inbox(nonsense)) == 50


def test_all_is_marked_in_short_writes(
    contest: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than one write's, some of one instant, one of somebody else."""
    monkeypatch.setattr(lines, "MARKED", 10)
    told(contest, Kind.ANNOUNCED, 25)
    newest = Notification.objects.first()
    assert newest is not None
    Notification.objects.filter(created_at__lt=NOON + timedelta(seconds=5)).update(created_at=NOON)
    Notification.objects.filter(pk=newest.pk).update(user=builders.user("charlie"))
    alice = builders.user("alice")
    with CaptureQueriesContext(connection) as found:
        assert lines.mark_read(user=alice, at=NOON) == 24
    writes = [query["sql"] for query in found if query["sql"].startswith("UPDATE")]
    assert len(writes) == 3
    assert (unread_count(alice), unread_count(builders.user("charlie"))) == (0, 1)


def test_a_kind_that_leads_somewhere_leads_to_a_page() -> None:
    """Of every kind, with the facts that its way asks for."""
    for key, way in lines.WAYS.items():
        kind, _, about = str(key).partition(".")
        data = {name: str(UUID(int=1)) for name in way.names} | {"about": about}
        row = Notification(kind=kind, subject=UUID(int=2), competition_slug="talk", data=data)
        assert lines.address(row, known=True).startswith("/c/talk/" if way.in_contest else "/")
        assert bool(lines.address(row, known=False)) is not way.in_contest
        row.data = {"about": about}
        assert lines.address(row, known=True) == "" or set(way.names) <= {"subject"}
