"""Lights as editors read them: which file, why, in how many rows; nothing moves by them."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.actions.references import upload_dialogues
from leaderboard.boards.lift import make_next_lifts
from leaderboard.boards.lights import lights_report, make_next_lights, without_lights
from leaderboard.boards.lines import make_next_lines
from leaderboard.boards.models import FileLights
from leaderboard.references.queries import live_version
from leaderboard.submissions.intake import Upload
from tests.leaderboard.boards.alike import CONSTANT, GOLD, contest_of_three
from tests.leaderboard.builders import hand_in, score_all, user
from tests.leaderboard.material import NOON, texts_csv
from tests.leaderboard.web.pages import browser

pytestmark = pytest.mark.django_db
SOON = NOON + timedelta(hours=1)


def looked_at() -> None:
    make_next_lines()
    for make_next in (make_next_lifts, make_next_lights):
        while make_next(SOON):
            pass


def test_the_constant_is_named_with_reasons_and_counts() -> None:
    contest, _ = contest_of_three()
    page = browser("olivia").get(f"/c/{contest.slug}/desk/lights").text
    assert "불이 켜진 파일이 없습니다" in page
    looked_at()
    version = live_version(contest)
    assert version is not None
    report = lights_report(version)
    # Bob says the same in two rows each; Alice's are references.
    assert [one.team for one in report.files] == ["charlie", "bob"]
    assert [one.name for one in report.files[0].lights.lit] == ["lift", "constant", "length"]
    assert (report.of, report.unlooked) == (3, 0)
    page = browser("olivia").get(f"/c/{contest.slug}/desk/lights").text
    assert f"{len(GOLD)}행 가운데 {len(CONSTANT) - 1}행" in page
    assert page.count("▲") >= 2
    assert "charlie" in page
    lit = report.files[0]
    one = browser("olivia").get(f"/c/{contest.slug}/desk/submissions/{lit.submission}").text
    assert f"{len(GOLD)}행 가운데 {len(CONSTANT) - 1}행" in one


def test_only_who_runs_the_contest_reads_them() -> None:
    contest, _ = contest_of_three()
    for name in ("alice", "charlie", "nobody"):
        assert browser(name).get(f"/c/{contest.slug}/desk/lights").status_code == 404


def test_they_are_made_once_and_again_with_the_dialogues() -> None:
    contest, [alices, *_] = contest_of_three()
    assert without_lights(SOON) is None, "without lines nothing says what is usual"
    looked_at()
    assert without_lights(SOON) is None
    before = FileLights.objects.get(evaluation__submission__team=alices)
    assert "copying" not in before.found
    talks = {name: f"가: {golds[0]}\n나: 네." for name, golds in GOLD.items()}
    upload = Upload("talks.csv", texts_csv(talks, column="dialogue"))
    upload_dialogues(competition=contest, user=user("olivia"), upload=upload, at=NOON)
    looked_at()
    after = FileLights.objects.get(pk=before.pk)
    assert "copying" in after.found
    assert after.signature != before.signature


def test_more_files_cost_no_more_queries() -> None:
    contest, [_, bobs, _] = contest_of_three()
    looked_at()
    reader = browser("olivia")
    with CaptureQueriesContext(connection) as few:
        reader.get(f"/c/{contest.slug}/desk/lights")
    hand_in(bobs, data=texts_csv(CONSTANT), at=NOON + timedelta(minutes=9))
    score_all()
    looked_at()
    with CaptureQueriesContext(connection) as more:
        reader.get(f"/c/{contest.slug}/desk/lights")
    assert len(more) <= len(few)
