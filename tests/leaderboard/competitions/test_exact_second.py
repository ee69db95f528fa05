"""Each date to the microsecond: the page, the action and the words of a refusal say the same.

One contest lives in Seoul, two in zones whose clocks change on a day that matters: its dates stand
at an hour that exists twice (Berlin in autumn) or follow one that does not exist (New York in
spring).
"""

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import uuid4

import pytest
from django.test import Client

from leaderboard.actions.submissions import choose_finals
from leaderboard.boards.visibility import state
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day, refusal
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, csv_file
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db
TICK = timedelta(microseconds=1)
WEEK = timedelta(days=7)


class Case(NamedTuple):
    """A zone, its contest's dates, and how the contest prints them (computed by hand)."""

    zone: str
    opens: datetime
    closes: datetime
    reveals: datetime
    printed: tuple[str, str]


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


CASES = [
    Case(
        "Asia/Seoul",
        utc(2026, 11, 16, 1),
        utc(2026, 12, 10, 10),
        utc(2026, 12, 11, 1),
        ("2026-11-16 10:00 KST", "2026-12-10 19:00 KST"),
    ),
    # 02:30 comes twice on 2026-10-25: at 00:30 UTC (CEST, +2) and at 01:30 UTC (CET, +1).
    Case(
        "Europe/Berlin",
        utc(2026, 10, 25, 0, 30),
        utc(2026, 10, 25, 1, 30),
        utc(2026, 10, 25, 23),
        ("2026-10-25 02:30 CEST", "2026-10-25 02:30 CET"),
    ),
    # 2026-03-14 02:00 EST is 03:00 EDT: the hour between does not exist.
    Case(
        "America/New_York",
        utc(2027, 3, 14, 6, 59, 59),
        utc(2027, 3, 14, 7),
        utc(2027, 3, 14, 8),
        ("2027-03-14 01:59 EST", "2027-03-14 03:00 EDT"),
    ),
]
FAIR = {name: f"{golds[0]} 그리고 눈이 온다." for name, golds in builders.GOLDS.items()}
NAMED = dict(zip(("seoul", "berlin", "spring"), CASES, strict=True))


def of(*first: str) -> pytest.MarkDecorator:
    """Every zone; those that are not named here again."""
    again = {name: () if name in first else pytest.mark.again for name in NAMED}
    cases = [pytest.param(case, id=name, marks=again[name]) for name, case in NAMED.items()]
    return pytest.mark.parametrize("case", cases)


zones, zone = of("seoul", "berlin"), of("seoul")
offsets = pytest.mark.parametrize("offset", [-TICK, timedelta()], ids=["before", "at"])


def contest(case: Case, **fields: object) -> tuple[Competition, Team]:
    """The contest with live golds; Alice's team joined when it opened."""
    made = builders.open_competition(
        zone=case.zone,
        opens_at=case.opens,
        closes_at=case.closes,
        reveals_at=case.reveals,
        **{"daily_limit": 50, **fields},
    )
    return made, builders.join(user=builders.user("alice"), competition=made, at=case.opens)


def header(client: Client) -> str:
    """The header of the overview as words."""
    page = client.get("/c/talk/").text
    found = re.search(r'<dl class="contest-header".*?</dl>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split())


def badge(client: Client, path: str) -> str:
    """The phase beside the title, on the list of contests or on a page of the contest."""
    found = re.search(
        r'<h[12]><a [^>]*>[^<]*</a>\s*<span class="badge[^>]*>([^<]+)<', client.get(path).text
    )
    return found[1]


def hand_in(client: Client) -> tuple[int, str]:
    """What the page answers to a good file: status, and the answer's text."""
    answer = client.post("/c/talk/submit", {"file": csv_file(), "key": uuid4().hex})
    return answer.status_code, answer.text


def answers_agree(
    monkeypatch: pytest.MonkeyPatch, made: Competition, team: Team, at: datetime, code: str | None
) -> None:
    """Ask the schedule, the action and the pages in both languages about `at`; None is "taken"."""
    stop_clock(monkeypatch, at)
    said = refusal(made, at)
    assert (said.code if said else None) == code
    before = Submission.objects.count(), QuotaEntry.objects.count()
    pages = {language: browser("alice", language) for language in ("ko", "en")}
    if said is None:
        assert builders.hand_in(team, at=at).received_at == at
        for language, client in pages.items():
            assert 'class="banner' not in client.get("/c/talk/submit").text
            assert hand_in(client)[0] == 302, language
        newest = Submission.objects.order_by("-received_at").first()
        assert newest.received_at == at, "kept to the microsecond"
        return
    with pytest.raises(Refused, match=said.code) as caught:
        builders.hand_in(team, at=at)
    for language, client in pages.items():
        words = {"ko": said.message("ko"), "en": said.message("en")}[language]
        assert caught.value.message(language) == words
        shown = client.get("/c/talk/submit").text
        assert words in shown, "the submit page says why before anybody tries"
        status, text = hand_in(client)
        assert status == caught.value.status == 403
        assert words in text
        assert caught.value.next_step(language) in text
    assert before == (Submission.objects.count(), QuotaEntry.objects.count()), "nothing was spent"


class Edge(NamedTuple):
    """A date from which files are taken, or not: what is said before it, and from it on."""

    codes: tuple[str | None, str | None]
    headers: tuple[str, str]
    badges: tuple[str, str]


EDGES = {
    "opens": Edge(("not_open", None), ("시작까지 0초", "마감까지"), ("시작 전", "진행 중")),
    "closes": Edge((None, "closed"), ("마감까지 0초", "결과 공개까지"), ("진행 중", "마감")),
    "pauses": Edge((None, "paused"), ("마감까지", "일시 중지"), ("진행 중", "일시 중지")),
}


@zones
@offsets
@pytest.mark.parametrize("name", EDGES)
def test_files_are_taken_from_or_until_a_date(
    case: Case, offset: timedelta, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    middle = case.opens + (case.closes - case.opens) / 2
    paused = {"paused_at": middle, "pause_reason": "서버를 옮깁니다"} if name == "pauses" else {}
    made, team = contest(case, **paused)
    dates = {"opens": case.opens, "closes": case.closes, "pauses": middle}
    at, side = dates[name] + offset, int(offset >= timedelta())
    edge = EDGES[name]
    answers_agree(monkeypatch, made, team, at, edge.codes[side])
    assert edge.headers[side] in header(browser("alice"))
    for path in ("/", "/c/talk/"):
        assert badge(browser("alice"), path) == edge.badges[side]
    if (code := edge.codes[side]) in ("not_open", "closed"):
        said = refusal(made, at)
        assert case.printed[code == "closed"] in said.message("ko")
        assert case.printed[code == "closed"] in said.message("en")


@zones
@offsets
def test_finals_are_chosen_until_the_close(case: Case, offset: timedelta) -> None:
    _, team = contest(case)
    taken, at = builders.hand_in(team, at=case.opens), case.closes + offset
    builders.score_all(at=case.opens)
    finals = {"team": team, "user": builders.user("alice"), "submission_ids": [taken.pk]}
    if offset < timedelta():
        choose_finals(**finals, at=at)
        return
    with pytest.raises(Refused, match="closed") as caught:
        choose_finals(**finals, at=at)
    assert case.printed[1] in caught.value.message("ko")


@zone
@offsets
def test_revealing(case: Case, offset: timedelta, monkeypatch: pytest.MonkeyPatch) -> None:
    made, team = contest(case)
    submission = builders.hand_in(team, at=case.opens)
    builders.score_all(at=case.opens)
    at = case.reveals + offset
    stop_clock(monkeypatch, at)
    shown = offset >= timedelta()
    for name in ("alice", "charlie", None):
        client = browser(name)
        for path in ("/c/talk/leaderboard", "/c/talk/leaderboard.json", "/c/talk/leaderboard.csv"):
            answer = client.get(f"{path}?board=private")
            assert answer.status_code == (200 if shown else 404), (name, path)
    assert browser("olivia").get("/c/talk/leaderboard.json?board=private").status_code == 200
    own = browser("alice").get(f"/c/talk/submissions/{submission.pk}").text
    assert ("Private" in own or "private" in own) or not shown
    assert header(browser("alice")).startswith(
        "결과 공개 종료되었습니다" if shown else "결과 공개까지 0초"
    )
    answers_agree(monkeypatch, made, team, at, "closed")
    Competition.objects.filter(pk=made.pk).update(reveal_held=True)
    assert browser("alice").get("/c/talk/leaderboard?board=private").status_code == 404
    assert header(browser("alice")).startswith("결과 공개 확인 중")


@zone
@offsets
def test_freezing(case: Case, offset: timedelta, monkeypatch: pytest.MonkeyPatch) -> None:
    freeze = case.opens + (case.closes - case.opens) / 2
    made, team = contest(case, freezes_at=freeze)
    rivals = builders.join(user=builders.user("charlie"), competition=made, at=case.opens)
    at = freeze + offset
    frozen = offset >= timedelta()
    builders.hand_in(rivals, dict.fromkeys(builders.GOLDS, "눈이 온다."), at=case.opens)
    in_time = builders.hand_in(rivals, FAIR, at=freeze - TICK)
    if frozen:
        builders.hand_in(rivals, at=at)  # the golds themselves, but received too late for others
    builders.score_all(at=at)
    stop_clock(monkeypatch, at)
    standing = in_time.evaluations.get().scores.get(split="public").printed / 10_000
    for name in ("alice", "dana", None):
        told = browser(name).get("/c/talk/leaderboard.json").json()
        assert told["state"] == state(made, at) == ("frozen" if frozen else "live")
        assert [row["total"] for row in told["rows"]] == [standing], "received before the freeze"
        page = browser(name).get("/c/talk/leaderboard").text
        assert f"{standing:.4f}" in page
        assert ("에 고정되었습니다" in page) == frozen
    best = 3.0 if frozen else standing  # three metrics of 1: the golds were handed in
    for name in ("charlie", "olivia"):
        (row,) = browser(name).get("/c/talk/leaderboard.json").json()["rows"]
        assert row["total"] == best, f"{name} sees today's"
    answers_agree(monkeypatch, made, team, at, None)


@pytest.mark.parametrize(
    ("zone", "begins", "ends", "hours", "next_slot"),
    [
        ("Asia/Seoul", utc(2026, 11, 19, 15), utc(2026, 11, 20, 15), 24, "2026-11-21 00:00 KST"),
        (
            "Europe/Berlin",
            utc(2026, 10, 24, 22),
            utc(2026, 10, 25, 23),
            25,
            "2026-10-26 00:00 CET",
        ),
        (
            "America/New_York",
            utc(2027, 3, 14, 5),
            utc(2027, 3, 15, 4),
            23,
            "2027-03-15 00:00 EDT",
        ),
    ],
    ids=["seoul", "berlin", "spring"],
)
def test_a_slot_lasts_the_whole_day_of_23_24_or_25_hours(
    zone: str,
    begins: datetime,
    ends: datetime,
    hours: int,
    next_slot: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = Case(zone, begins - WEEK, begins + WEEK, begins + 2 * WEEK, ("", ""))
    made, team = contest(case, daily_limit=1)
    today = day(made, begins)
    assert (today.starts_at, today.ends_at) == (begins, ends)
    assert today.ends_at - today.starts_at == timedelta(hours=hours)
    builders.hand_in(team, at=begins - TICK)  # the last moment of the day before
    builders.hand_in(team, at=begins)
    for at in (begins + TICK, begins + (ends - begins) / 2, ends - TICK):
        stop_clock(monkeypatch, at)
        with pytest.raises(Refused, match="daily_limit") as caught:
            builders.hand_in(team, at=at)
        assert next_slot in caught.value.next_step("ko")
        assert caught.value.retry_after == max(1, round((ends - at).total_seconds()))
        answer = browser("alice", "en").post(
            "/c/talk/submit", {"file": csv_file(), "key": uuid4().hex}
        )
        assert answer.status_code == 429
        assert int(answer.headers["Retry-After"]) == caught.value.retry_after
        assert next_slot in answer.text
        assert "0 / 1" in header(browser("alice"))
        assert allowance(team, made, at).resets_at == ends
    stop_clock(monkeypatch, ends)
    assert "1 / 1" in header(browser("alice"))
    assert hand_in(browser("alice"))[0] == 302
    days = [str(entry.day) for entry in QuotaEntry.objects.order_by("at")]
    local = begins.astimezone(made.zoneinfo).date()
    assert days == [str(local + timedelta(days=n)) for n in (-1, 0, 1)]
