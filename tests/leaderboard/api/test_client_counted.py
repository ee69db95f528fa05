"""What the client says of a submission that is late, final or off the boards."""

import json
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.actions.discipline import exclude
from leaderboard.api.client import leaderboard_client as client
from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.api.through import Through, run
from tests.leaderboard.web.pages import hand_in

pytestmark = pytest.mark.django_db


def test_a_late_file_is_told_to_be_late_before_and_after_it_is_handed_in(
    contest: Competition, alice: Through, good: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("validate", good) == 0
    assert "late" not in capsys.readouterr().out
    now = timezone.now()
    closed = {"closes_at": now - timedelta(hours=2), "reveals_at": now - timedelta(hours=1)}
    Competition.objects.filter(pk=contest.pk).update(late_entries=True, **closed)
    for language, what, left in (
        ("en", "late: neither ranked nor counted among finals", "2 of 2 left today of late files"),
        ("ko", "마감 뒤: 순위와 최종 제출에는 세지 않습니다", "오늘 2회 중 2회 남음(마감 뒤 제출)"),
    ):
        assert run("validate", good, "--lang", language) == 0
        shown = capsys.readouterr().out
        assert f"\n{what}\n" in shown
        assert left in shown
    assert run("submit", good, "--lang", "en") == 0
    assert "late: neither ranked nor counted among finals\n" in capsys.readouterr().err
    assert client.submit(good, again=True, wait=False).is_late
    assert run("submissions") == 0
    assert len(re.findall("waiting, late$", capsys.readouterr().out, re.M)) == 2


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
