"""The instants of which boards are kept: each midnight of the contest's zone, and the freeze."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from django.db import transaction

from leaderboard.boards import changes
from leaderboard.boards.models import BoardInstant, StandingDay
from leaderboard.boards.standings import place_all
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import scored_versions
from leaderboard.teams.models import Team

CHUNK = 100  # teams locked at a time; a scoring that wants one of them waits no longer than that


def midnights(competition: Competition, until: datetime) -> Iterator[datetime]:
    """The midnights after the opening and up to `until`, the first one after the close included.

    Nothing received later counts, so the boards of later midnights would only repeat that one.
    """
    midnight = day(competition, competition.opens_at).ends_at
    last = min(until, day(competition, competition.closes_at).ends_at)
    while midnight <= last:
        yield midnight.astimezone(UTC)  # within one zone, Python subtracts wall clocks
        midnight = day(competition, midnight).ends_at


def before(competition: Competition, instant: datetime) -> datetime:
    """The last midnight earlier than `instant`: what "since yesterday" compares with."""
    return day(competition, instant - timedelta(microseconds=1)).starts_at


def wanted(competition: Competition, until: datetime) -> set[datetime]:
    """Every instant that a version of this contest keeps at `until`.

    The freeze is kept before it comes, so that the frozen board is there at its very instant.
    """
    frozen = {competition.freezes_at} if competition.freezes_at else set()
    return set(midnights(competition, until)) | frozen


def begin(*, version: ScoringVersion, at: datetime) -> None:
    """Give a version that goes rehearsing or live its boards of now and of every kept instant.

    Inside the transaction that changes its state; the competition is locked.
    """
    competition = version.competition
    BoardInstant.objects.bulk_create(
        [
            BoardInstant(scoring_version=version, instant=instant)
            for instant in sorted(wanted(competition, at))
        ],
        ignore_conflicts=True,
        batch_size=500,
    )
    scored = Team.objects.filter(submissions__evaluations__scoring_version=version)
    place_all(teams=lock(Team.objects.filter(pk__in=scored.values("pk"))), version=version)
    instants = BoardInstant.objects.filter(scoring_version=version)
    lock(instants)
    instants.update(filled=True)
    changes.note(version.pk, since=changes.EVERY_INSTANT)


def keep_newest(*, version: ScoringVersion, at: datetime) -> int:
    """Add the instants that have come since the last time; answers how many. Safe to run twice.

    The row of the instant is committed first: from then on every `place` keeps it, so that going
    through the teams, a few at a time, can miss nothing.
    """
    known = BoardInstant.objects.filter(scoring_version=version)
    missing = wanted(version.competition, at) - set(known.values_list("instant", flat=True))
    BoardInstant.objects.bulk_create(
        [BoardInstant(scoring_version=version, instant=instant) for instant in sorted(missing)],
        ignore_conflicts=True,
        batch_size=500,
    )
    unfilled = list(known.filter(filled=False).values_list("instant", flat=True))
    if unfilled:
        _fill(version, since=min(unfilled) - timedelta(microseconds=1))
        with transaction.atomic():
            lock(known.filter(instant__in=unfilled))
            known.filter(instant__in=unfilled).update(filled=True)
            changes.note(version.pk, since=min(unfilled))
    return len(unfilled)


def _fill(version: ScoringVersion, since: datetime) -> None:
    ids = list(Team.objects.filter(competition=version.competition_id).values_list("pk", flat=True))
    for start in range(0, len(ids), CHUNK):
        with transaction.atomic():
            chunk = lock(Team.objects.filter(pk__in=ids[start : start + CHUNK]))
            place_all(teams=chunk, version=version, since=since)


def move_freeze(*, competition: Competition, previous: datetime | None, at: datetime) -> None:
    """Keep the board of the new freeze instead of the previous one's, under every scored version.

    Inside the transaction that moves the date; the competition is locked.
    """
    teams = lock(Team.objects.filter(competition=competition))
    for version in scored_versions(competition):
        changes.note(version.pk, since=changes.EVERY_INSTANT)
        if previous is not None and previous not in wanted(competition, at):
            keys = {"scoring_version": version, "instant": previous}
            BoardInstant.objects.filter(**keys).delete()
            StandingDay.objects.filter(**keys).delete()
        if competition.freezes_at is not None:
            BoardInstant.objects.get_or_create(
                scoring_version=version,
                instant=competition.freezes_at,
                defaults={"filled": True},
            )
            since = competition.freezes_at - timedelta(microseconds=1)
            place_all(teams=teams, version=version, since=since)
