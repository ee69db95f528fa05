"""What the client says of a submission that is late, final or off the boards."""

import json
import re

import pytest
from django.utils import timezone

from leaderboard.actions.discipline import exclude
from leaderboard.api.client import leaderboard_client as client
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.api.through import Through, run
from tests.leaderboard.web.pages import hand_in

pytestmark = pytest.mark.django_db


def test_a_submission_is_told_to_be_final_or_off_the_boards(
    alice: Through, capsys: pytest.CaptureFixture[str]
) -> None:
    team, told = Team.objects.get(captain__username="alice"), {"at": timezone.now()}
    one, other = hand_in(team), hand_in(team, {"talk_1": "민수"})
    remote = client.connect()
    body = json.dumps({"submissions": [str(one.pk)]}).encode()
    builders.score_all(at=timezone.now())
    remote.ask(
        *("PUT", remote.of_contest("/finals")),
        body=body,
        headers={"Content-Type": "application/json"},
    )
    exclude(
        submission=other, user=builders.user("olivia"), reason="copied", reason_shown=True, **told
    )
    for language, final, off in (
        ("en", "done, ★ final ", "done, off the boards: copied "),
        ("ko", "완료, ★ 최종 ", "완료, 순위표에서 뺌: copied "),
    ):
        assert run("submissions", "--lang", language) == 0
        shown = capsys.readouterr().out
        assert re.search(rf"^{one.pk} .*{final}", shown, re.M)
        assert re.search(rf"^{other.pk} .*{off}", shown, re.M)
    assert run("submissions", "--csv") == 0
    assert "★" not in capsys.readouterr().out
