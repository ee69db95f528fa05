"""A contest that is over: where it opens, what stays readable, and what each closed door says."""

from datetime import timedelta

import pytest

from leaderboard.actions.competition import change_terms
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.teams.queries import team_of
from tests.leaderboard import builders
from tests.leaderboard.boards.test_shake_up import shaken
from tests.leaderboard.builders import CLOSES, NOON, REVEALS, user
from tests.leaderboard.web.pages import HTMX, browser, csv_file
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db
BOARD, DATA = "/c/talk/leaderboard", "/c/talk/data"
TICK = timedelta(microseconds=1)


def over(monkeypatch: pytest.MonkeyPatch, **fields: object) -> Competition:
    """The contest of the shake-up, an hour after its results were opened."""
    contest = shaken()
    Competition.objects.filter(pk=contest.pk).update(**fields)
    stop_clock(monkeypatch, REVEALS + timedelta(hours=1))
    contest.refresh_from_db()
    return contest


def test_the_board_opens_on_the_final_ranks_and_one_from_before_is_loaded_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    over(monkeypatch)
    public = f"{BOARD}?board=public"
    for name in (None, "alice"):
        page = browser(name).get(BOARD).text
        assert 'aria-label="비공개(Private) 리더보드"' in page
        assert f'href="{public}"' in page
        other = browser(name).get(public).text
        assert 'aria-label="공개(Public) 리더보드"' in other
        for shown in (page, other):  # the final ranks do not change
            assert "hx-get" not in shown
            assert "refresh=off" not in shown
    stop_clock(monkeypatch, REVEALS - TICK)
    assert f'hx-get="{public}"' in browser().get(BOARD).text, "the board that it shows"
    assert "HX-Refresh" not in browser().get(public, headers=HTMX).headers
    stop_clock(monkeypatch, REVEALS)
    after = browser().get(public, headers=HTMX)
    assert after.headers["HX-Refresh"] == "true"
    assert 'aria-label="공개(Public) 리더보드"' in after.text


def test_the_data_of_a_finished_contest_are_read_without_joining(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    over(monkeypatch)
    zoe = browser("zoe")
    page = zoe.get(DATA)
    assert page.status_code == 200
    assert '/c/talk/submit">' not in page.text[page.text.index("<main") :], "nobody can hand in"
    assert zoe.get("/c/talk/data/sample_submission.csv").status_code == 200
    assert not Team.objects.filter(memberships__user=user("zoe")).exists()
    # The lab counts runs by team, so it stays with the teams.
    assert zoe.get("/c/talk/lab").headers["Location"].startswith("/c/talk/join")
    assert browser().get(DATA).headers["Location"].startswith("/accounts/login/")
    stop_clock(monkeypatch, REVEALS - TICK)
    assert zoe.get(DATA).headers["Location"].startswith("/c/talk/join")


@pytest.mark.parametrize(
    "fields",
    [{"registration": "code", "registration_code": "NLP-2026"}, {"registration": "approval"}],
)
def test_whom_a_code_or_an_organizer_kept_out_gets_no_data_afterwards(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, str]
) -> None:
    over(monkeypatch, **fields)
    zoe = browser("zoe")
    for where in (DATA, "/c/talk/data/sample_submission.csv"):
        assert zoe.get(where).headers["Location"].startswith("/c/talk/join")
    assert 'name="team_name"' not in zoe.get("/c/talk/join").text
    assert browser("alice").get(DATA).status_code == 200


def test_who_reads_the_data_afterwards_accepts_the_terms_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contest = shaken()
    change_terms(competition=contest, user=user("olivia"), text="연구에만 씁니다.", at=NOON)
    stop_clock(monkeypatch, REVEALS)
    zoe = browser("zoe")
    sample = "/c/talk/data/sample_submission.csv"
    assert zoe.get(sample).headers["Location"].startswith("/c/talk/terms")
    assert 'name="accepted"' in zoe.get("/c/talk/terms").text
    agreed = {"terms": "1", "accepted": "on", "next": DATA}
    assert zoe.post("/c/talk/terms", agreed).headers["Location"] == DATA
    assert zoe.get(sample).status_code == 200


def test_a_contest_that_takes_late_files_lets_people_join_and_hand_in_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contest = over(monkeypatch, late_entries=True)
    zoe = browser("zoe")
    assert 'href="/c/talk/join"' in zoe.get("/c/talk/").text
    form = zoe.get("/c/talk/join").text
    assert 'class="banner' in form
    assert 'name="team_name"' in form
    before = browser().get(BOARD).text
    assert zoe.post("/c/talk/join", {"team_name": "늦은 팀"}).headers["Location"] == DATA
    assert team_of(user("zoe"), contest) is not None
    assert zoe.post("/c/talk/submit", {"file": csv_file(), "key": "k"}).status_code == 302
    builders.score_all(REVEALS + timedelta(hours=1))
    late = Submission.objects.get(team__name="늦은 팀")
    card = zoe.get(f"/c/talk/submissions/{late.pk}").text
    for shown in ("마감 뒤", "순위에 들지 않습니다", "공개(Public) 총점", "비공개(Private) 총점"):
        assert shown in card
    assert "늦은 팀" not in browser().get(BOARD).text
    assert before.count("<tr") == browser().get(BOARD).text.count("<tr")


def test_nobody_but_its_team_opens_a_late_file_and_its_private_score_waits_for_the_reveal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contest = over(monkeypatch, late_entries=True)
    alices = Team.objects.get(competition=contest, name="alice")
    late = builders.hand_in(alices, at=CLOSES)
    builders.score_all(CLOSES)
    page = f"/c/talk/submissions/{late.pk}"
    stop_clock(monkeypatch, REVEALS - TICK)
    assert "비공개(Private) 총점" not in browser("alice").get(page).text
    stop_clock(monkeypatch, REVEALS)
    assert "비공개(Private) 총점" in browser("alice").get(page).text
    for name in ("bob", "zoe"):
        assert browser(name).get(page).status_code == 404
