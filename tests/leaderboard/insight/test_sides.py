"""Precision and recall: for who runs the contest at once, for all from the reveal on."""

from datetime import datetime, timedelta

import pytest

from leaderboard.evaluation.run import prepared_references
from leaderboard.insight.slices import sides_of
from leaderboard.references.queries import live_version
from scoring.insight.precision_recall import sides_by_split, sides_profile
from scoring.pipeline import score
from tests.leaderboard.builders import user, viewer_of
from tests.leaderboard.insight.alike import ANSWERS, contest_of_three
from tests.leaderboard.material import NOON, REVEALS
from tests.leaderboard.web.pages import browser

pytestmark = pytest.mark.django_db
SOON = NOON + timedelta(hours=1)


def test_editors_see_them_at_once_and_teams_from_the_reveal_on() -> None:
    contest, [_, bobs, _] = contest_of_three()
    file = bobs.submissions.get()

    def boards(by: str, at: datetime) -> list[str]:
        return list(sides_of(file, viewer_of(contest, user(by), at)))

    assert boards("bob", SOON) == []
    assert boards("bob", REVEALS - timedelta(seconds=1)) == []
    assert boards("bob", REVEALS) == ["public", "private"]
    assert boards("olivia", SOON) == ["public", "private"]
    version = live_version(contest)
    asked = sides_profile(version.profile())
    prepared = prepared_references(version.reference_set_id, asked)
    right = sides_by_split(version.profile(), score(ANSWERS, prepared).splits)
    found = sides_of(file, viewer_of(contest, user("olivia"), SOON))
    assert found == {board: right[board] for board in ("public", "private")}
    [first, *_] = right["private"]
    page = browser("olivia").get(f"/c/{contest.slug}/desk/submissions/{file.pk}").text
    assert "정밀도와 재현율" in page
    assert f"{first.recall:.4f}" in page
