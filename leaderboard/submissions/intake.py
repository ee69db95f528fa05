"""Keeping what a team sent, bytes first, then rows; and what is decided about it afterwards."""

import hashlib
import json
import unicodedata
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.competitions.locking import lock
from leaderboard.submissions.models import (
    Exclusion,
    FinalChoice,
    Submission,
)
from leaderboard.teams.models import Team
from scoring.characters import nfc
from scoring.findings import InvalidSubmission, Limits
from scoring.predictions import Predictions, read

NAME_LENGTH = 120
_LOOKED_AT = 1_000  # of the end of a file's name, where its folders stand before it
NO_LIMITS = Limits.unlimited(taken=True)


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


def describe(*, submission: Submission, note: str, method_name: str) -> None:
    """Change the two fields of a submission that are not part of the file."""
    submission.note = note[:500]
    submission.method_name = method_name[:80]
    submission.save(update_fields=["note", "method_name"])


def chosen(team_id: UUID) -> frozenset[UUID]:
    """The ids of the team's final submissions; empty means: the best public one counts."""
    rows = FinalChoice.objects.filter(submission__team=team_id)
    return frozenset(rows.values_list("submission", flat=True))


def choose(*, team: Team, submissions: Collection[Submission], user: User, at: datetime) -> None:
    """Make exactly these the team's finals. The caller has locked the team and checked them."""
    FinalChoice.objects.filter(submission__team=team).exclude(submission__in=submissions).delete()
    FinalChoice.objects.bulk_create(
        [FinalChoice(submission=one, chosen_by=user, at=at) for one in submissions],
        ignore_conflicts=True,
        batch_size=500,
    )


def exclusions(submissions: Iterable[UUID]) -> dict[UUID, Exclusion]:
    """The exclusions among these submissions, in one query."""
    rows = Exclusion.objects.filter(submission__in=list(submissions)).select_related("excluded_by")
    return {row.submission_id: row for row in rows}


def mark_excluded(
    *, submission: Submission, user: User, reason: str, reason_shown: bool, at: datetime
) -> bool:
    """Take it off the boards; False if it was off already, and then nothing changes."""
    _, made = Exclusion.objects.get_or_create(
        submission=submission,
        defaults={
            "excluded_by": user,
            "at": at,
            "reason": reason,
            "reason_shown": reason_shown,
        },
    )
    return made


def mark_restored(*, submission: Submission) -> bool:
    """Put it back; False if it was not off."""
    return Exclusion.objects.filter(submission=submission).delete()[0] > 0


def reread(
    data: bytes, id_lists: Sequence[Sequence[str]], limits: Limits = NO_LIMITS
) -> Predictions:
    """A file that was taken before, under those of the ids that it has.

    What was taken here has no limits: the contest's may have become less since. It is read as it
    was then, whatever a new file is refused for. Raises InvalidSubmission.
    """
    problems = []
    for ids in id_lists or [()]:
        try:
            return read(data, ids, limits)
        except InvalidSubmission as error:
            problems.append(error)
    raise problems[0]


def unpack(blob: bytes) -> dict[str, str]:
    """A text that an earlier version of this program kept; see SubmissionText."""
    texts: dict[str, str] = json.loads(zlib.decompress(blob))
    return texts
