"""What runs a contest, by program."""

import pytest
from django.utils import timezone

from leaderboard.actions.versions import rehearse
from tests.leaderboard import builders
from tests.leaderboard.api.calling import contest_url, json_of, program
from tests.leaderboard.material import GOLDS, gold_csv
from tests.leaderboard.web.pages import hand_in, running

pytestmark = pytest.mark.django_db
OTHER = "민수와 지우는 모레 서점에서 만난다."


def test_a_rehearsal_tells_totals_as_numbers() -> None:
    contest = running()
    hand_in(builders.team(contest, "alice"))
    builders.score_all(at=timezone.now())
    version = builders.uploaded(contest, gold_csv({**GOLDS, "talk_1": (OTHER, OTHER)}))
    rehearse(version=version, user=builders.user("olivia"), at=timezone.now())
    builders.score_all(at=timezone.now())
    olivia = program("olivia", "organize")
    [move] = json_of(olivia.get(contest_url(f"/versions/{version.pk}/rehearsal")))["moves"]
    assert move["team"] == "alice"
    assert move["total_before"] > move["total_after"] > 0
