"""`python -m benchmarks.operations`: pages and periodic work with 100,000 teams, a million files.

On PostgreSQL. Every page that makes sense on these data is asked 20 times after 3 for warming up,
by a visitor, a member on page 73 of the board, the organizer and the administrator; then every step
of the sweeper and of the task behind it, with nothing due. Of whatever is slower than it may be
the slowest statement's plan is printed. `--keep FOLDER`: the data stay there for another time;
`--only PATTERN` asks the pages whose line it finds. A loop of pure arithmetic is timed between the
pages: where it took longer than its best, the machine was not this process's alone.
"""

import argparse
import contextlib
import gc
import math
import os
import re
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import django
import numpy as np

from benchmarks import material
from benchmarks.big_board import DAYS, SEED, loop
from tests.servers import Postgres

# Scores as whole ten-thousandths, so that sums and what is printed agree to the last digit.
DRAW = """
CREATE TEMP TABLE drawn AS
SELECT s.id AS submission, n.evaluation, s.team_id AS team, s.received_at,
    s.submitted_by_id AS person,
    CASE WHEN n.turn %% 2500 = 7 THEN 'cancelled' WHEN n.turn %% 9000 = 8 THEN 'failed'
        ELSE 'done' END AS state,
    n.turn %% 4000 = 9 AS excluded, split.name AS split, split.r1, split.r2, split.rl
FROM submissions_submission s
JOIN (
    SELECT id, gen_random_uuid() AS evaluation, row_number() OVER (ORDER BY received_at) AS turn
    FROM submissions_submission
) n ON n.id = s.id
CROSS JOIN LATERAL (
    SELECT name, own + (random() * 500)::int + s.size %% 300 AS r1,
        own / 2 + (random() * 400)::int + s.size %% 300 AS r2,
        own - 300 + (random() * 500)::int + s.size %% 300 AS rl
    FROM (VALUES ('public'), ('private')) AS both_(name),
        (SELECT 1500 + abs(hashtext(s.team_id::text)) %% 2500 AS own) AS quality
) AS split
"""

# The skeleton of a digit is one letter, whatever stands around it.
PEOPLE = {
    "people": """
INSERT INTO accounts_user (password, is_superuser, first_name, last_name, email, is_staff,
    is_active, date_joined, username, skeleton, language, must_change_password, may_create_contests,
    session_epoch)
SELECT '', false, '', '', '', false, true, %(opened)s, 'operations-' || t,
    %(person_skeleton)s || translate(t, '0123456789', %(digits)s), 'ko', false, false, 0
FROM (SELECT to_char(n, 'FM000000') AS t FROM generate_series(1, %(teams)s) n) numbers
""",
    "teams": """
INSERT INTO teams_team (id, competition_id, name, skeleton, sort_key, captain_id, created_at, kind,
    disqualify_reason)
SELECT gen_random_uuid(), %(contest)s, '팀 ' || n.t, %(team_skeleton)s || translate(n.t,
    '0123456789', %(digits)s), '팀 ' || to_char(length(ltrim(n.t, '0')), 'FM00') || ltrim(n.t, '0'),
    u.id, %(opened)s, 'team', ''
FROM accounts_user u, LATERAL (SELECT substring(u.username FROM 12) AS t) n
WHERE u.username LIKE 'operations-%%'
""",
    "memberships": """
INSERT INTO teams_membership (team_id, competition_id, user_id, joined_at, typed_email, listed_name)
SELECT id, competition_id, captain_id, created_at, '', '' FROM teams_team
""",
}

STEPS = PEOPLE | {
    "baselines": """
UPDATE teams_team SET kind = 'baseline'
WHERE id IN (SELECT id FROM teams_team ORDER BY name DESC LIMIT 3)
""",
    "submissions": """
INSERT INTO submissions_submission (id, team_id, origin_id, submitted_by_id, received_at, key, file,
    file_name, size, sha256, notices, note, method_name, is_late)
SELECT gen_random_uuid(), t.id, t.id, t.captain_id, %(opened)s + random() * %(span)s, n::text,
    'submissions/' || t.id || '-' || n, 'predictions-' || n || '.csv',
    90000 + (random() * 20000)::int, md5(random()::text) || md5(random()::text), '[]',
    CASE WHEN n %% 3 = 0 THEN '다시 학습한 모형, 검증 자료에서 나음' ELSE '' END,
    CASE WHEN n %% 2 = 0 THEN 'KoBART, beam 5' ELSE '' END, false
FROM teams_team t, generate_series(1, %(files)s) n
""",
    "drawn": DRAW,
    "evaluations": """
INSERT INTO evaluation_evaluation (id, submission_id, scoring_version_id, state, received_at,
    attempt, stage, rows_done, rows_total, last_sign_at, started_at, finished_at, failure)
SELECT evaluation, submission, %(version)s, state, received_at,
    CASE WHEN state = 'cancelled' THEN 0 ELSE 1 END, '', %(rows)s, %(rows)s,
    received_at + interval '6 seconds', received_at + interval '3 seconds',
    received_at + interval '7 seconds', CASE WHEN state = 'failed' THEN 'crashed' ELSE '' END
FROM drawn WHERE split = 'public'
""",
    "scores": """
INSERT INTO evaluation_splitscore (evaluation_id, split, rows, metrics, total, printed, signature)
SELECT evaluation, split, %(rows)s / 2, jsonb_build_object('rouge1', r1 / 10000.0,
    'rouge2', r2 / 10000.0, 'rougeL', rl / 10000.0), (r1 + r2 + rl) / 10000.0, r1 + r2 + rl,
    %(signature)s
FROM drawn WHERE state = 'done'
""",
    "cancellations": """
INSERT INTO submissions_cancellation (submission_id, cancelled_by_id, at)
SELECT submission, person, received_at FROM drawn WHERE state = 'cancelled' AND split = 'public'
""",
    "exclusions": """
INSERT INTO submissions_exclusion (submission_id, excluded_by_id, at, reason, reason_shown)
SELECT submission, %(olivia)s, received_at, '두 번 냄', true
FROM drawn WHERE excluded AND split = 'public'
""",
    # Of each step of a team the file that stands, then who takes over when.
    "days": """
INSERT INTO boards_standingday (scoring_version_id, team_id, board, printed, metrics, submission_id,
    received_at, entries, last_submission_at, ranked, until, stands_until)
WITH wide AS (
    SELECT p.team, p.submission, p.received_at, p.r1 + p.r2 + p.rl AS total, p.r1, p.r2, p.rl,
        q.r1 AS q1, q.r2 AS q2, q.rl AS ql
    FROM drawn p JOIN drawn q USING (submission)
    WHERE p.split = 'public' AND q.split = 'private' AND p.state = 'done' AND NOT p.excluded
), steps AS (
    SELECT *, row_number() OVER w AS entries, lead(received_at) OVER w AS next_at,
        total > coalesce(max(total) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), -1)
            AS takes_over
    FROM wide WINDOW w AS (PARTITION BY team ORDER BY received_at)
), spans AS (
    SELECT *, count(*) FILTER (WHERE takes_over) OVER (PARTITION BY team ORDER BY received_at)
        AS reign FROM steps
), reigns AS (
    SELECT team AS t, reign AS r, lead(received_at) OVER (PARTITION BY team ORDER BY reign) AS ends
    FROM spans WHERE takes_over
)
SELECT %(version)s, s.team, both_.board,
    CASE both_.board WHEN 'public' THEN b.total ELSE b.q1 + b.q2 + b.ql END,
    CASE both_.board WHEN 'public'
        THEN jsonb_build_object('rouge1', b.r1, 'rouge2', b.r2, 'rougeL', b.rl)
        ELSE jsonb_build_object('rouge1', b.q1, 'rouge2', b.q2, 'rougeL', b.ql) END,
    b.submission, b.received_at, s.entries, s.received_at,
    s.team NOT IN (SELECT id FROM teams_team WHERE kind = 'baseline'),
    coalesce(s.next_at, %(forever)s),
    CASE WHEN s.takes_over THEN coalesce(reigns.ends, %(forever)s) END
FROM spans s JOIN spans b ON b.team = s.team AND b.reign = s.reign AND b.takes_over
JOIN reigns ON reigns.t = s.team AND reigns.r = s.reign
CROSS JOIN (VALUES ('public'), ('private')) AS both_(board)
""",
    "standings": """
INSERT INTO boards_standing (scoring_version_id, team_id, board, printed, metrics, submission_id,
    received_at, entries, last_submission_at, ranked, files, sort_key)
SELECT scoring_version_id, d.team_id, board, printed, metrics, submission_id, received_at, entries,
    last_submission_at, ranked, files.number, t.sort_key
FROM boards_standingday d JOIN teams_team t ON t.id = d.team_id JOIN (
    SELECT team, (('x' || encode(substring(sha256(string_agg(uuid_send(submission), ''
        ORDER BY submission)) FOR 8), 'hex'))::bit(64)::bigint >> 1) & 9223372036854775807 AS number
    FROM drawn WHERE split = 'public' AND state = 'done' AND NOT excluded GROUP BY team
) files ON files.team = d.team_id
WHERE until = %(forever)s
""",
    "lifts": """
INSERT INTO boards_filelift (evaluation_id, board, ratio, length, signature)
SELECT drawn.evaluation, 'public', 0.2 + random() * 0.5, 30 + random() * 30, %(signature)s
FROM boards_standing s JOIN drawn ON drawn.submission = s.submission_id
WHERE s.board = 'public' AND drawn.split = 'public'
""",
    "lights": """
INSERT INTO boards_filelights (evaluation_id, signature, found)
SELECT drawn.evaluation, %(lights)s, CASE WHEN random() < 0.03
    THEN '{"copying": ["amber", 60, 499], "length": ["red", 300, 499]}'::jsonb
    ELSE '{"copying": ["green", 0, 499], "length": ["green", 4, 499]}'::jsonb END
FROM boards_standing s JOIN drawn ON drawn.submission = s.submission_id
WHERE s.board = 'public' AND drawn.split = 'public'
""",
    "spreads": """
INSERT INTO boards_teamspread (scoring_version_id, team_id, files, deviation, gap)
SELECT scoring_version_id, team_id, files, 0.1 + random() * 0.1,
    s.printed - (drawn.r1 + drawn.r2 + drawn.rl)
FROM boards_standing s JOIN drawn ON drawn.submission = s.submission_id
WHERE s.board = 'public' AND drawn.split = 'private'
""",
    "ledger": """
INSERT INTO submissions_quotaentry (team_id, submission_id, kind, amount, day, at, reason, words)
SELECT team, submission, kind, 1, (received_at AT TIME ZONE 'Asia/Seoul')::date, received_at,
    CASE kind WHEN 'charge' THEN 'submitted' ELSE state END, ''
FROM drawn, (VALUES ('charge'), ('refund')) AS kinds(kind)
WHERE split = 'public' AND (kind = 'charge' OR state <> 'done')
""",
    "notices": """
INSERT INTO inbox_notification (id, user_id, kind, subject, competition, competition_slug, data,
    created_at, read_at, to_mail)
SELECT gen_random_uuid(), person, 'scored', submission, %(contest)s, 'operations',
    jsonb_build_object('public', '1.2345'), received_at,
    CASE WHEN random() < 0.6 THEN received_at + interval '1 hour' END, false
FROM drawn WHERE split = 'public' AND state = 'done'
""",
    "audit": """
INSERT INTO audit_auditevent (id, at, actor_id, kind, competition, subject, after, reason)
SELECT gen_random_uuid(), %(opened)s + random() * %(span)s, %(olivia)s, 'submission.excluded',
    %(contest)s, s.id, '{}', '두 번 냄'
FROM (SELECT id FROM submissions_submission LIMIT 20000) s
""",
}


ROWS = 499
WITH_FILE = 1200  # of the newest submissions; the duplicates report reads a thousand
SLUG = "operations"


def make(teams: int, files: int, now: datetime) -> None:
    """The contest, its golds, lines and bands, in an empty database. Minutes."""
    from django.db import connection

    from benchmarks.filled import golds
    from leaderboard.accounts.skeletons import skeleton
    from leaderboard.boards.models import FOREVER
    from leaderboard.insight.flags import signature
    from leaderboard.insight.trivial_baselines import make_next_lines
    from leaderboard.references.models import ScoringVersion
    from tests.leaderboard import builders

    opened = now - timedelta(days=DAYS)
    contest = builders.competition(
        SLUG,
        opens_at=opened,
        closes_at=now + timedelta(days=30),
        reveals_at=now + timedelta(days=31),
    )
    version = builders.live(contest, golds(ROWS))
    make_next_lines()
    version = ScoringVersion.objects.get(pk=version.pk)
    given = {
        "opened": opened,
        "span": now - opened,
        "files": files,
        "rows": ROWS,
        "version": version.pk,
        "signature": version.signature,
        "lights": signature(version),
        "forever": FOREVER,
        "contest": contest.pk,
        "olivia": builders.user("olivia").pk,
        "teams": teams,
        "digits": "".join(map(skeleton, "0123456789")),
        "team_skeleton": skeleton("팀"),
        "person_skeleton": skeleton("operations-"),
    }
    _fill(given)
    _files(version)
    _bands(version, now)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("CHECKPOINT")
        cursor.execute("RESET statement_timeout")


def _fill(given: dict[str, Any]) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        # Nobody needs what a crash would lose, and each foreign key is right by the way it is made.
        cursor.execute("SET statement_timeout = 0; SET synchronous_commit = off;")
        cursor.execute("SET session_replication_role = replica; SET work_mem = '256MB';")
        again = _without_indexes(cursor)
        for name, step in STEPS.items():
            cursor.execute(step, given)
            print(f"  {name}: {cursor.rowcount:,}", flush=True)
            if name == "drawn":
                cursor.execute("CREATE INDEX ON drawn (submission); ANALYZE drawn;")
        for index in again:
            cursor.execute(index)
        print("  indexes", flush=True)
        cursor.execute("RESET ALL")


def _without_indexes(cursor: Any) -> list[str]:
    """Drop what only makes reading fast; the statements that make it again."""
    cursor.execute(
        "SELECT pg_get_indexdef(indexrelid), indexrelid::regclass::text FROM pg_index "
        "JOIN pg_stat_user_tables ON relid = indrelid WHERE NOT indisunique"
    )
    found = cursor.fetchall()
    for _, name in found:
        cursor.execute(f"DROP INDEX {name}")
    return [definition for definition, _ in found]


def _files(version: Any) -> None:
    """Files, and row values, of the newest submissions and of those of the first on the board."""
    from django.core.files.base import ContentFile

    from leaderboard.boards.listing import standings_of
    from leaderboard.evaluation.models import Evaluation, ExampleScores
    from leaderboard.submissions.models import Submission, submission_storage
    from tests.leaderboard import builders

    chance = np.random.default_rng(SEED)
    names = list(material.make(ROWS).predictions)
    words = material.words()
    texts = [" ".join(words[start : start + 19]) for start in range(0, len(words) - 19, 7)]
    rows = standings_of(version, "public", None)
    wanted = list(Submission.objects.values_list("pk", "file")[:WITH_FILE])
    teams = [*rows.values_list("team", flat=True)[:20], rows[asked_place(rows.count())].team_id]
    wanted += Submission.objects.filter(team__in=teams).values_list("pk", "file")
    for place, (pk, file) in enumerate(wanted):
        mine = dict(zip(names, texts[place * 5 % (len(texts) - ROWS) :], strict=False))
        data = builders.texts_csv(mine)
        submission_storage().save(file, ContentFile(data))
        Submission.objects.filter(pk=pk).update(sha256=sha256(data).hexdigest())
    keep_tokens_of(version, rows[asked_place(rows.count())].team_id)
    done = Evaluation.objects.filter(
        submission__in=[pk for pk, _ in wanted], state=Evaluation.State.DONE
    )
    counts = chance.integers(0, 30, (len(done), ROWS, 3)) / chance.integers(30, 60, (ROWS, 3))
    ExampleScores.objects.bulk_create(
        ExampleScores(evaluation=one, blob=_blob(values))
        for one, values in zip(done, counts, strict=True)
    )


def keep_tokens_of(version: Any, team: Any) -> None:
    """As scoring keeps them: of the files whose pages are asked."""
    from leaderboard.evaluation.run import keep_tokens, prepared_references
    from leaderboard.submissions.models import Submission
    from leaderboard.submissions.queries import texts

    cut = prepared_references(version.reference_set_id, version.profile()).tokenizer
    for submission in Submission.objects.filter(team=team).values_list("pk", flat=True):
        given = texts(submission)
        keep_tokens(submission, cut, given, {text: cut(text) for text in given.values()})


def _blob(values: Any) -> bytes:
    from scoring.pipeline import Report

    return Report("", ROWS, {}, values, (), ()).example_blob()


def asked_place(teams: int) -> int:
    """Where the one who asks stands: in the middle of page 73."""
    return min(7250, teams // 2)


def _bands(version: Any, now: datetime) -> None:
    """As `make_bands` keeps them; computing them needs the row values of every team's file."""
    from leaderboard.insight.models import BoardBands
    from leaderboard.insight.rank_range import due

    found = due(now)
    assert found is not None
    totals = np.sort(np.array([total for _, total in found.stands], dtype="<i8"))
    BoardBands.objects.create(
        scoring_version=version,
        board="public",
        stamp=found.stamp,
        made_at=now,
        look_after=now + timedelta(days=30),
        rows=ROWS // 2,
        threshold=120,
        signature=version.signature,
        totals=totals.tobytes(),
    )


def check(version: Any, teams: int = 300) -> int:
    """Compare the standings of some teams with what the product makes of their scores."""
    from leaderboard.boards.standings import places, stored
    from leaderboard.teams.models import Team

    some = list(Team.objects.filter(competition=version.competition).order_by("pk")[:teams])
    assert places(teams=some, version=version) == stored(teams=some, version=version)
    return len(some)


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
    for one in ("teams", "teams?page=1000", "teams?q=0123", f"teams/{own.team_id}"):
        yield "organizer", f"{desk}/{one}", BAR
    # Not the copies: their texts are not made, and they have a benchmark of their own.
    for one in ("lights", "audit", "audit?page=300", "participants", "people"):
        yield "organizer", f"{desk}/{one}", BAR
    for one in ("golds", "schedule", "settings", "compare", "announcements", "forum", "closing"):
        yield "organizer", f"{desk}/{one}", BAR
    for one in ("baselines", "data", "file", "webhook", "enrol"):
        yield "organizer", f"{desk}/{one}", BAR
    yield "organizer", f"{desk}/participants.csv", FILE
    for one in ("leaderboard?board=private", "shake-up"):
        yield "organizer", f"{here}/{one}", BAR
    for one in ("/status", "/readyz?verbose", "/livez", "/admin/submissions/submission/"):
        yield "superuser", one, BAR
    for one in ("evaluation/evaluation", "submissions/quotaentry", "inbox/notification"):
        yield "superuser", f"/admin/{one}/", BAR
    assert Thread.objects.count() < 1000  # a large one has its own benchmark
    for one in ("leaderboard", "leaderboard?page=73", "shake-up", "shake-up?page=73"):
        yield "member, revealed", f"{here}/{one}", BAR
    yield "member, revealed", f"{here}/shake-up.csv", FILE


TEAMS, FILES = 100_000, 10
TIMES, WARM_UP = 20, 3
ENOUGH = 8.0  # seconds for one page, which is then asked at least FEWEST times
FEWEST = 5
SWEEP = 200.0  # ms
PLAN_LINES = 14


class Statements:
    """Counts the statements of one look, and remembers the slowest."""

    def __init__(self) -> None:
        self.number = 0
        self.slowest: tuple[float, str, Any] = (0.0, "", None)

    def __call__(self, run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        began = time.perf_counter()
        try:
            return run(sql, params, many, context)
        finally:
            self.number += 1
            self.slowest = max(
                self.slowest, (time.perf_counter() - began, sql, params), key=lambda one: one[0]
            )


class Table:
    """Asks, prints a line for each thing asked, and keeps the plans of what was slow."""

    def __init__(self, only: str) -> None:
        self.only = only
        self.plans: list[str] = []
        self.loops: list[float] = []
        self.missed: list[str] = []
        print("| who | asked | statements | best ms | median ms | p95 ms | bar |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")

    def line(self, who: str, name: str, ask: Callable[[], object], bar: float = BAR) -> None:
        """Ask many times; `bar` in ms is what p95 may be."""
        from django.db import connection

        if not re.search(self.only, f"{who} {name}"):
            return
        took: list[float] = []
        looked = Statements()
        began = time.perf_counter()
        for number in range(WARM_UP + TIMES):
            looked = Statements()
            started = time.perf_counter()
            with connection.execute_wrapper(looked):
                ask()
            if number >= WARM_UP:
                took.append((time.perf_counter() - started) * 1000)
            if len(took) >= FEWEST and time.perf_counter() - began > ENOUGH:
                break
        self.loops.append(loop() * 1000)
        p95 = sorted(took)[math.ceil(0.95 * len(took)) - 1]
        missed = " **above**" if p95 > bar else ""
        print(
            f"| {who} | {name} | {looked.number} | {min(took):.1f} | {statistics.median(took):.1f} "
            f"| {p95:.1f}{missed} | {bar:.0f} |",
            flush=True,
        )
        if missed:
            self.missed.append(name)
            self.plans.append(f"{who}, {name}\n{plan(looked)}")

    def close(self) -> None:
        """Print the moods of the machine, the size of the database and the plans."""
        from django.db import connection

        if not self.loops:
            raise SystemExit(f"No line holds {self.only}.")
        best, median = min(self.loops), statistics.median(self.loops)
        print(f"(the loop: best {best:.1f} ms, median {median:.1f}, most {max(self.loops):.1f})\n")
        for name, megabytes in _sizes(connection):
            print(f"{name:34} {megabytes:>7,} MB")
        for found in self.plans:
            print(f"\n{found}")


def plan(looked: Statements) -> str:
    """The plan of the slowest statement, shortened."""
    from django.db import connection

    seconds, sql, params = looked.slowest
    if not sql.startswith(("SELECT", "\n        WITH")):
        return f"  {seconds * 1000:.0f} ms: {sql[:200]}"
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) {sql}", params)
        lines = [line.rstrip() for (line,) in cursor.fetchall()]
    kept = [line for line in lines if not re.search(r"^\s*(Planning:|I/O|Output)", line)]
    said = [f"  {line[:150]}" for line in kept[:PLAN_LINES]]
    said += [f"  {kept[-1]}"] if len(kept) > PLAN_LINES else []
    return "\n".join([f"  {seconds * 1000:.0f} ms: {_short(sql)}", *said])


def _short(sql: str) -> str:
    """Of the columns nothing."""
    plain = re.sub(r"\s+", " ", sql).replace('"', "").strip()
    return re.sub(r"^SELECT .*? FROM ", "SELECT … FROM ", plain)[:400]


def _sizes(connection: Any) -> list[tuple[str, int]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        whole = cursor.fetchone()[0]
        cursor.execute(
            "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' "
            "ORDER BY 2 DESC LIMIT 10"
        )
        rows = [("the database", whole), *cursor.fetchall()]
        cursor.execute("SELECT count(*), avg(octet_length(blob)) FROM evaluation_examplescores")
        number, octets = cursor.fetchone()
    rows.append((f"row values of a million ({number:,} made)", int(octets * 1_000_000)))
    return [(name, size // 2**20) for name, size in rows]


def measure(table: Table) -> None:
    """Everything, in this process."""
    from django.core.management import call_command
    from django.test import Client
    from django.utils import timezone

    from leaderboard.accounts.models import User
    from leaderboard.boards.figures import make_next_figures
    from leaderboard.boards.listing import standings_of
    from leaderboard.competitions.models import Competition
    from leaderboard.references.queries import live_version
    from tests.leaderboard import builders

    call_command("migrate", verbosity=0)
    make_next_figures(timezone.now())  # as a worker does every few minutes
    gc.collect()
    gc.freeze()  # as gunicorn.conf.py does
    now = timezone.now()
    contest = Competition.objects.get(slug=SLUG)
    version = live_version(contest)
    assert version is not None
    print(f"\n(standings of {check(version)} teams are those that the product makes)", flush=True)
    rows = standings_of(version, "public", None)
    people = {
        "member": rows[asked_place(rows.count())].team.captain,
        "organizer": builders.user("olivia"),
        "superuser": User.objects.get_or_create(
            username="root", defaults={"is_superuser": True, "is_staff": True}
        )[0],
    }
    clients = {"visitor": Client(headers={"host": "localhost"})}
    for name, user in people.items():
        clients[name] = Client(headers={"host": "localhost"})
        clients[name].force_login(user)
    revealed = False
    for who, address, bar in pages(now):
        if "revealed" in who and not revealed:
            periodic(table)  # before the private board asks for bands of its own
            times = {"closes_at": now - timedelta(hours=2), "reveals_at": now - timedelta(hours=1)}
            before = {name: getattr(contest, name) for name in times}
            Competition.objects.update(**times)
            revealed = True
        client = clients[who.partition(",")[0]]
        name = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "…", address)
        try:
            # As an open page asks for what it keeps asking.
            headers = {"HX-Request": "true"} if bar == POLLED else {}
            name += ", polled" if headers else ""
            with _under_way(address):
                table.line(who, name, lambda c=client, a=address, h=headers: _get(c, a, h), bar)
        except Exception as error:
            print(f"| {who} | {name} | {type(error).__name__}: {str(error)[:150]} |", flush=True)
    Competition.objects.update(**before)


@contextlib.contextmanager
def _under_way(address: str) -> Iterator[None]:
    """The file whose progress is asked is being scored meanwhile: of an ended one no page asks."""
    from leaderboard.evaluation.models import Evaluation

    asked = re.search("submissions/([0-9a-f-]{36})/progress", address)
    rows = Evaluation.objects.filter(submission=asked[1] if asked else None)
    rows.update(state=Evaluation.State.RUNNING)
    yield
    rows.update(state=Evaluation.State.DONE)


def _get(client: Any, address: str, headers: dict[str, str]) -> None:
    answer = client.get(address, headers=headers)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    assert answer.status_code == 200, f"{answer.status_code} {content[:80]!r}"


def periodic(table: Table) -> None:
    """The sweeper's steps and the task's, when nothing is due."""
    from django.utils import timezone

    from leaderboard.boards.figures import DERIVED, make_next_figures
    from leaderboard.evaluation.queries import waits_since
    from leaderboard.worker import sweep

    make_next_figures(timezone.now())  # so that nothing is due
    steps = [(name, step) for name, step in sweep.steps_of_a_loop() if name != "outbox"]
    for name, step in steps:
        table.line("sweeper", name, lambda one=step: one(timezone.now()), SWEEP)
    table.line(
        "sweeper", "all of a round", lambda: sweep.sweep(timezone.now(), tuple(steps)), SWEEP
    )
    table.line("sweeper, at its start", "derived", lambda: sweep.wake_for_derived(timezone.now()))
    for name, step in sweep.STEPS:
        if name == "missing":
            table.line("sweeper, at its start", name, lambda one=step: one(timezone.now()))
    for derived in DERIVED:
        make_next = derived.make
        table.line("task", make_next.__name__, lambda one=make_next: one(timezone.now()))
    table.line("worker", "waits_since", lambda: waits_since(timezone.now()))


@contextlib.contextmanager
def _server(keep: Path | None) -> Iterator[Postgres]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(Postgres(keep)) as server:
        yield server


def main() -> int:
    """Make what is not there yet, then measure; 0 if every bar is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="folder of data that stay")
    parser.add_argument("--teams", type=int, default=TEAMS)
    parser.add_argument("--files", type=int, default=FILES, help="of each team")
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    with _server(asked.keep) as server:
        fresh = not asked.keep or not (asked.keep / "files").exists()
        if fresh:
            server.new_database(SLUG)
        os.environ["TEST_DATABASE_URL"] = f"postgres://app@127.0.0.1:{server.port}/{SLUG}"
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
        os.environ["LOG_LEVEL"] = "ERROR"
        django.setup()
        from django.conf import settings
        from django.core.management import call_command
        from django.utils import timezone

        if fresh:
            began = time.perf_counter()
            call_command("migrate", verbosity=0)
            make(asked.teams, asked.files, timezone.now())
            print(f"made in {time.perf_counter() - began:.0f} s")
            if asked.keep:
                shutil.copytree(settings.DATA_DIR, asked.keep / "files")
        else:
            shutil.copytree(asked.keep / "files", settings.DATA_DIR, dirs_exist_ok=True)
        table = Table(asked.only)
        measure(table)
        table.close()
        return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
