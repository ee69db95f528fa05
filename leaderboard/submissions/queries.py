"""Uploads and reads of submissions; every look-up by id begins at `for_user`."""

import hashlib
import json
import os
import unicodedata
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.files.storage import FileSystemStorage, storages
from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery

from leaderboard.accounts.models import User
from leaderboard.accounts.sessions import seen_at
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import Anyone
from leaderboard.references.changes import marked_words
from leaderboard.submissions.models import (
    Exclusion,
    FinalChoice,
    QuotaEntry,
    Submission,
    SubmissionText,
)
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.queries import among, participants, teams_of
from scoring.characters import nfc
from scoring.predictions import read_accepted
from scoring.references import natural_key

NAME_LENGTH = 120
_LOOKED_AT = 1_000  # of the end of a file's name, where its folders stand before it


def for_user(user: Anyone) -> QuerySet[Submission]:
    """The submissions of this person's own teams, and nothing else."""
    if not isinstance(user, User):
        return Submission.objects.none()
    return Submission.objects.filter(team__memberships__user=user).select_related(
        "team__competition", "submitted_by"
    )


def of_team(team: Team) -> QuerySet[Submission]:
    """A team's submissions, newest first."""
    return Submission.objects.filter(team=team).select_related("submitted_by")


def store_is_missing() -> bool:
    """Whether the folder of submissions is empty or not mounted, though there are submissions."""
    folder = storages["submissions"]
    if not isinstance(folder, FileSystemStorage):
        return False
    try:
        with os.scandir(folder.location) as found:
            if next(found, None) is not None:
                return False
    except OSError:
        pass
    return Submission.objects.exists()


def kept(teams: Collection[UUID]) -> set[UUID]:
    """Those whose row stays without people: for their files or ledger, or a part that they have."""
    with_parts = Team.objects.filter(absorbed__isnull=False, pk__in=teams).order_by()
    parts = set(with_parts.values_list("pk", flat=True))
    return having(Submission, teams) | having(QuotaEntry, teams) | parts


def having(rows: type[Submission | QuotaEntry], teams: Collection[UUID]) -> set[UUID]:
    """Those of these teams that have such rows."""
    found = rows._default_manager.filter(team__in=teams)
    return set(found.order_by().values_list("team", flat=True).distinct())


def counted(path: str = "") -> dict[str, object]:
    """The filter of what may stand on a board, be a team's best or its final, or draw its history.

    Not what an organizer took off, nor what came after the close: late files are scored for their
    team alone. `path` leads to the submission, as in `evaluation__submission__`.
    """
    return {f"{path}exclusion": None, f"{path}is_late": False}


class FileChanged(Exception):
    """The bytes in the store are not those that were sent, by their hash."""


def texts(submission_id: UUID) -> dict[str, str]:
    """The predictions by id, NFC, as the validator read them. Raises as `texts_of`."""
    ((_, found),) = texts_of(Submission.objects.filter(pk=submission_id))
    return found


def texts_by_submission(submissions: Collection[UUID]) -> dict[UUID, dict[str, str]]:
    """Those of each of these, all in memory at once. Raises as `texts_of`."""
    return dict(texts_of(Submission.objects.filter(pk__in=submissions)))


def texts_of(submissions: QuerySet[Submission]) -> Iterator[tuple[UUID, dict[str, str]]]:
    """The predictions of each, with its key, read from its file as they are asked for.

    The validator accepted these bytes and does not see them again: their hash says that they are
    the same. Raises StoreAway or FileChanged.
    """
    rows = submissions.select_related(None).values_list("pk", "file", "sha256")
    for pk, file, sha256 in list(rows):
        try:
            with storages["submissions"].open(file) as sent:
                data = sent.read()
        except FileNotFoundError:
            # Of a file that was lost, an earlier version of this program kept the text.
            kept = SubmissionText.objects.filter(submission=pk).values_list("blob", flat=True)
            if not (blob := kept.first()):
                raise
            yield pk, json.loads(zlib.decompress(blob))
            continue
        if hashlib.sha256(data).hexdigest() != sha256:
            raise FileChanged(str(pk))
        yield pk, read_accepted(data)


@dataclass(frozen=True)
class Activity:
    """How many files of a team were taken and not cancelled, and when the last one came."""

    entries: int = 0
    last_received_at: datetime | None = None


def found_teams(competition: Competition, query: str = "", only: str = "") -> QuerySet[Team]:
    """Teams whose name, that of a part or a member's holds `query`, by name.

    `only`: `alone`, nobody else in the team, or `silent`, nothing submitted.
    """
    rows = participants(competition).order_by("sort_key", "name")
    if only == "alone":
        rows = rows.alias(crew=Count("memberships")).filter(crew=1)
    elif only == "silent":
        taken = Submission.objects.filter(team=OuterRef("pk"), cancellation=None)
        rows = rows.filter(~Exists(taken.order_by()))
    if wanted := nfc(query).strip():
        named = Team.objects.filter(competition=competition, name__icontains=wanted)
        parts = named.filter(merged_into__isnull=False)
        rows = rows.filter(
            among("pk", named.values_list("pk", flat=True), Q(name__icontains=wanted))
            | among("pk", parts.values_list("merged_into", flat=True))
            | among("pk", teams_of(competition, wanted))
        )
    return rows


def team_activities(teams: Iterable[Team]) -> list[dict[str, Any]]:
    """These teams, those of one page, with their people and counts: two questions for them all."""
    shown = list(teams)
    names: dict[UUID, list[str]] = defaultdict(list)
    people = Membership.objects.filter(team__in=shown)
    for pk, username, name in people.values_list("team", "user__username", "listed_name"):
        names[pk].append(f"{username} ({name})" if name else username)
    found = activity(team.pk for team in shown)
    none = Activity()
    return [
        {"team": one, "members": names.get(one.pk, ()), "activity": found.get(one.pk, none)}
        for one in shown
    ]


def activity(teams: Iterable[UUID]) -> dict[UUID, Activity]:
    """By team, in one query; a team that handed in nothing is not in it."""
    rows = (
        Submission.objects.filter(team__in=list(teams), cancellation=None)
        .order_by()
        .values_list("team")
        .annotate(entries=Count("pk"), last=Max("received_at"))
    )
    return {team_id: Activity(entries, last) for team_id, entries, last in rows}


def differing_ids(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The ids whose texts are not the same, `talk_9` before `talk_10`."""
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return sorted(changed, key=natural_key)


def differing_row(
    example_id: str, before: Mapping[str, str], after: Mapping[str, str]
) -> dict[str, Any]:
    """Both texts of a row, with the words that only one has; None where a file has no such row.

    `only_spaces`: the words are the same. Only texts go in: nothing here tells of a score.
    """
    old, new = before.get(example_id), after.get(example_id)
    gone, come = marked_words(old or "", new or "")
    return {
        "example_id": example_id,
        "before": None if old is None else gone,
        "after": None if new is None else come,
        "only_spaces": old is not None and new is not None and old.split() == new.split(),
    }


def locked_team_of(submission_id: UUID) -> Team:
    """The team that has this submission, with its contest, its row locked: inside a transaction.

    A merge may have given it to another team while one waited for the lock. Then that lock is let
    go, which only a savepoint can do, since two teams are locked in one order.
    """
    owner = Submission.objects.filter(pk=submission_id).values_list("team", flat=True)
    while True:
        before = transaction.savepoint()
        found = lock(Team.objects.select_related("competition").filter(pk=owner.get()))
        if found and owner.get() == found[0].pk:
            transaction.savepoint_commit(before)
            return found[0]
        transaction.savepoint_rollback(before)


@dataclass(frozen=True)
class Upload:
    """A file as it came: the sender's name for it and its bytes."""

    name: str
    data: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def clean_name(name: str) -> str:
    """The sender's file name made fit to be shown: no path, no control or direction marks.

    >>> clean_name("../../x\\r\\n.csv")
    'x.csv'
    """
    last = nfc(name[-_LOOKED_AT:]).replace("\\", "/").rsplit("/", 1)[-1]
    # Categories C*: control, format (bidirectional overrides), surrogates, unassigned.
    shown = "".join(char for char in last if not unicodedata.category(char).startswith("C"))
    return shown.strip()[:NAME_LENGTH] or "predictions.csv"


def chosen(team_id: UUID) -> frozenset[UUID]:
    """The ids of the team's final submissions; empty means: the best public one counts."""
    rows = FinalChoice.objects.filter(submission__team=team_id)
    return frozenset(rows.values_list("submission", flat=True))


def exclusions(submissions: Iterable[UUID]) -> dict[UUID, Exclusion]:
    """The exclusions among these submissions, in one query."""
    rows = Exclusion.objects.filter(submission__in=list(submissions)).select_related("excluded_by")
    return {row.submission_id: row for row in rows}


_TAKEN = Submission.objects.filter(team=OuterRef("team"), cancellation=None).order_by()


# How many people the team has. With each row: a question of its own costs every page more.
_CREW = Subquery(
    Membership.objects.filter(team=OuterRef("team"))
    .order_by()
    .values("team")
    .annotate(found=Count("pk"))
    .values("found")
)


BY_TEAM = ("team__sort_key", "team__name", "joined_at", "pk")


def found_people(
    competition: Competition, *, query: str = "", only: str = ""
) -> QuerySet[Membership]:
    """By team, those whose username, listed name or team holds `query`; `only`: `alone` or
    `silent`."""
    rows = Membership.objects.filter(competition=competition)
    if wanted := nfc(query).strip():
        rows = rows.filter(
            Q(user__username__icontains=wanted)
            | Q(listed_name__icontains=wanted)
            | Q(team__name__icontains=wanted)
        )
    if only == "alone":
        others = Membership.objects.filter(team=OuterRef("team")).exclude(pk=OuterRef("pk"))
        rows = rows.filter(~Exists(others))
    elif only == "silent":
        rows = rows.filter(~Exists(_TAKEN))
    rows = rows.annotate(crew=_CREW)
    return rows.select_related("user", "team").order_by(*BY_TEAM)


def with_activity(memberships: Iterable[Membership]) -> list[Any]:
    """These people, those of one page, with all that is shown: two questions for them all.

    Each row of `found_people` also gets its team's `activity` and when the person was last seen.
    """
    shown: list[Any] = list(memberships)
    done = activity({row.team_id for row in shown})
    seen = seen_at(row.user_id for row in shown)
    for row in shown:
        row.activity = done.get(row.team_id, Activity())
        row.last_seen_at = seen.get(row.user_id)
        row.is_captain = row.team.captain_id == row.user_id
    return shown
