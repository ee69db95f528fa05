"""The desk's baselines page."""

import pytest
from django.utils import timezone

from leaderboard.submissions.models import Exclusion
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, csv_file, running

pytestmark = pytest.mark.django_db
PAGE = "/c/talk/desk/baselines"


def form(**fields: object) -> dict[str, object]:
    return {"verb": "add", "name": "KoBART", "file": csv_file(name="kobart.csv"), **fields}


def test_a_baseline_is_added_scored_renamed_removed_and_restored() -> None:
    running()
    olivia = browser("olivia")
    assert "아직 베이스라인이 없습니다" in olivia.get(PAGE).text
    assert olivia.post(PAGE, form()).status_code == 302
    builders.score_all(timezone.now())
    page = olivia.get(PAGE).text
    assert "kobart.csv" in page
    assert page.count("3.0000") == 2  # its answers are the first golds, on both boards
    base = Team.objects.get(kind="baseline")
    olivia.post(PAGE, {"verb": "rename", "baseline": base.pk, "name": "<i>큰</i>"})
    page = olivia.get(PAGE).text
    assert "&lt;i&gt;큰&lt;/i&gt;" in page
    assert "<i>큰</i>" not in page
    olivia.post(PAGE, {"verb": "remove", "baseline": base.pk})
    assert Exclusion.objects.filter(submission__team=base).exists()
    assert 'value="restore"' in olivia.get(PAGE).text
    olivia.post(PAGE, {"verb": "restore", "baseline": base.pk})
    assert not Exclusion.objects.exists()
    assert "베이스라인을 추가함" in olivia.get("/c/talk/desk/audit").text


def test_a_baseline_is_no_team_on_the_other_pages() -> None:
    running()
    olivia = browser("olivia")
    olivia.post(PAGE, form())
    for page in ("teams", "announcements"):
        assert "KoBART" not in olivia.get(f"/c/talk/desk/{page}").text
    assert "0팀" in browser().get("/").text
    base = Team.objects.get(kind="baseline")
    assert olivia.get(f"/c/talk/desk/teams/{base.pk}").status_code == 404
    found = olivia.get("/c/talk/desk/submissions", {"kind": "baseline"}).text
    assert "KoBART" in found
