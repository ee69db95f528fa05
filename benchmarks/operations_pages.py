"""Which pages are asked of the contest of `operations_data`, by whom, and how long each may be."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from benchmarks.operations_data import SLUG, asked_place

BAR, POLLED = 100.0, 20.0  # ms
FILE = float("inf")  # a download of 100,000 lines is not a page; its time is printed
KINDS = ("waiting", "running", "done", "failed", "cancelled", "excluded", "late", "baseline")


def pages(now: Any) -> Iterator[tuple[str, str, float]]:
    """Who asks for which address, and the bar in ms."""
    from leaderboard.boards.listing import standings_of
    from leaderboard.community.models import Thread
    from leaderboard.competitions.models import Competition
    from leaderboard.references.queries import live_version
    from leaderboard.submissions.models import Submission

    contest = Competition.objects.get(slug=SLUG)
    version = live_version(contest)
    assert version is not None
    rows = standings_of(version, "public", None)
    number = rows.count()
    own = rows[asked_place(number)]
    file = Submission.objects.filter(team=own.team_id).first()
    assert file is not None
    here, last = f"/c/{SLUG}", -(-number // 100)
    past = (now - timedelta(days=7)).astimezone(contest.zoneinfo).date()
    boards = [
        *(f"{here}/leaderboard{ask}" for ask in ("", "?page=73", f"?page={last}", "?q=0123")),
        *(f"{here}/leaderboard{ask}" for ask in ("?sort=rougeL", "?sort=team&page=500")),
        *(f"{here}/leaderboard?at={past}{ask}" for ask in ("", f"&page={last}")),
        f"{here}/distribution",
    ]
    for who in ("visitor", "member"):
        for one in ("/", f"{here}/", *boards, f"{here}/forum"):
            yield who, one, BAR
        yield who, f"{here}/status", BAR
        yield who, f"{here}/status", POLLED
    for one in ("leaderboard.csv", "leaderboard.json"):
        yield "member", f"{here}/{one}", FILE
    for one in ("submissions", "ledger", "team", "submit", "data", "submissions.csv", "lab"):
        yield "member", f"{here}/{one}", BAR
    yield "member", f"{here}/submissions/{file.pk}", BAR
    yield "member", f"{here}/submissions/{file.pk}/progress", POLLED
    for one in ("/inbox", "/settings", "/settings/notices"):
        yield "member", one, BAR
    desk = f"{here}/desk"
    for one in ("", "submissions", "submissions?page=2000", "submissions?page=10000"):
        yield "organizer", f"{desk}/{one}", BAR
    for kind in KINDS:
        yield "organizer", f"{desk}/submissions?kind={kind}", BAR
    for query in ("01234", f"{str(file.pk)[:8]}", "operations-77", f"{file.sha256[:12]}"):
        yield "organizer", f"{desk}/submissions?q={query}", BAR
    yield "organizer", f"{desk}/submissions/{file.pk}", BAR
    for one in ("teams", "teams?page=1000", "teams?q=0123", f"teams/{own.team_id}", "silent"):
        yield "organizer", f"{desk}/{one}", BAR
    # Not the copies: their texts are not made, and they have a benchmark of their own.
    for one in ("lights", "audit", "audit?page=300", "participants", "people"):
        yield "organizer", f"{desk}/{one}", BAR
    for one in ("golds", "schedule", "settings", "compare", "announcements", "forum", "closing"):
        yield "organizer", f"{desk}/{one}", BAR
    for one in ("baselines", "data", "file", "regroup", "webhook", "enrol"):
        yield "organizer", f"{desk}/{one}", BAR
    yield "organizer", f"{desk}/participants.csv", FILE
    for one in ("leaderboard?board=private", "distribution?board=private", "shake-up"):
        yield "organizer", f"{here}/{one}", BAR
    for one in ("/status", "/readyz?verbose", "/livez", "/admin/submissions/submission/"):
        yield "superuser", one, BAR
    for one in ("evaluation/evaluation", "submissions/quotaentry", "inbox/notification"):
        yield "superuser", f"/admin/{one}/", BAR
    assert Thread.objects.count() < 1000  # a large one has its own benchmark
    for one in ("leaderboard", "leaderboard?page=73", "shake-up", "shake-up?page=73"):
        yield "member, revealed", f"{here}/{one}", BAR
    yield "member, revealed", f"{here}/distribution?board=private", BAR
    yield "member, revealed", f"{here}/shake-up.csv", FILE
