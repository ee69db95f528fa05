"""A contest of 100,000 teams and a million files, written by the database itself.

Row values and files are made for a few thousand evaluations only; `check` compares some of what is
derived with what the product's own code makes of the scores.
"""

from datetime import datetime, timedelta
from typing import Any

import numpy as np

from benchmarks import material
from benchmarks.big_board_data import DAYS, SEED
from benchmarks.operations_rows import STEPS

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
    for place, (_, file) in enumerate(wanted):
        mine = dict(zip(names, texts[place * 5 % (len(texts) - ROWS) :], strict=False))
        submission_storage().save(file, ContentFile(builders.texts_csv(mine)))
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
