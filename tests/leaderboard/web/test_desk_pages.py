"""The organizer's desk."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from leaderboard.actions.membership import leave
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from tests.leaderboard import builders
from tests.leaderboard.contest_file.full_contest import merge as merged
from tests.leaderboard.web.pages import browser, confirmed, hand_in, running

pytestmark = pytest.mark.django_db

FIELDS = {"preset": "max-sum", "tokenizer": "mecab-ko"}


def contest() -> Competition:
    now = timezone.now()
    return builders.competition(
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=1),
        reveals_at=now + timedelta(days=2),
    )


def golds(data: bytes | None = None) -> SimpleUploadedFile:
    return SimpleUploadedFile("golds.csv", builders.gold_csv() if data is None else data)


def test_from_upload_over_draft_to_live() -> None:
    contest()
    olivia = browser("olivia")
    assert "아직 정답이 없습니다" in olivia.get("/c/talk/desk/golds").text
    answer = olivia.post("/c/talk/desk/golds", {"files": golds(), **FIELDS})
    assert answer.status_code == 302
    version = ScoringVersion.objects.get()
    assert version.state == ScoringVersion.State.DRAFT
    page = olivia.get("/c/talk/desk/golds").text
    assert "4행 (public 2, private 2)" in page
    assert "v1 적용" in page
    confirmed(olivia, f"/c/talk/desk/golds/{version.id}/make-live", {})
    version.refresh_from_db()
    assert version.state == ScoringVersion.State.LIVE
    page = olivia.get("/c/talk/desk/golds").text
    assert "사용 중" in page


def test_that_a_team_stays_without_people_is_said_where_it_does() -> None:
    found = running()
    ours, others = builders.team(found, "alice"), builders.team(found, "bob", "carol")
    whole, part = builders.team(found, "dana"), builders.team(found, "erin")
    at = timezone.now()
    hand_in(others)
    leave(team=others, user=builders.user("carol"), at=at)
    merged(whole, part, at=at)
    olivia, said = browser("olivia"), {}
    for name in ("carol", "erin", "dana"):
        sent = {"username": name, "team": ours.id}
        said[name] = olivia.post("/c/talk/desk/teams", sent, follow=True).text
    staying = [name for name, page in said.items() if "사람 없이 남습니다" in page]
    assert staying == ["carol", "dana"]
