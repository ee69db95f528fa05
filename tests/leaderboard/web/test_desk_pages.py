"""The organizer's desk."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from leaderboard.actions.membership import leave
from leaderboard.actions.teams import grant
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.queries import members
from tests.leaderboard import builders
from tests.leaderboard.contest_file.full_contest import merge as merged
from tests.leaderboard.web.pages import browser, hand_in, running

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
    olivia.post(f"/c/talk/desk/golds/{version.id}/make-live")
    version.refresh_from_db()
    assert version.state == ScoringVersion.State.LIVE
    page = olivia.get("/c/talk/desk/golds").text
    assert "사용 중" in page


def test_broken_golds_are_answered_with_lines_and_nothing_is_kept() -> None:
    contest()
    data = "fname,summary1\ntalk_1,좋다\ntalk_1,또\ntalk_2,\n".encode()
    answer = browser("olivia").post("/c/talk/desk/golds", {"files": golds(data), **FIELDS})
    assert answer.status_code == 422
    assert "이 정답은 쓸 수 없습니다" in answer.text
    assert not ScoringVersion.objects.exists()


def test_the_desk_refuses_what_the_form_never_offers() -> None:
    contest()
    answer = browser("olivia").post(
        "/c/talk/desk/golds", {"files": golds(), **FIELDS, "tokenizer": "nonsense"}
    )
    assert answer.status_code == 422
    assert browser("olivia").post("/c/talk/desk/golds", FIELDS).status_code == 422


def test_a_person_is_put_into_a_team() -> None:
    found = running()
    ours = builders.team(found, "alice")
    builders.team(found, "bob")
    answer = browser("olivia").post("/c/talk/desk/teams", {"username": "bob", "team": ours.id})
    assert answer.status_code == 302
    assert [member.username for member in members(ours)] == ["alice", "bob"]


def test_moving_somebody_from_a_grant_says_that_it_stays_behind() -> None:
    found = running()
    ours, bobs = builders.team(found, "alice"), builders.team(found, "bob")
    grant(team=bobs, user=builders.user("olivia"), amount=1, reason="서버 장애", at=timezone.now())
    olivia = browser("olivia")
    answer = olivia.post("/c/talk/desk/teams", {"username": "bob", "team": ours.id}, follow=True)
    assert "사람 없이 남습니다" in answer.text
    assert olivia.get(f"/c/talk/desk/teams/{bobs.pk}").status_code == 200


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
