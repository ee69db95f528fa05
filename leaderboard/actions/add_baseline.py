"""An organizer puts a file of their own on the board, for comparison and without a rank."""

from datetime import datetime
from uuid import uuid4

from django.db import IntegrityError

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.naming import clean_team_name, team_name_taken
from leaderboard.actions.refusals import not_an_editor
from leaderboard.actions.submit import Reading, kept_notice, read_upload, store
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.competitions.storage import rows_for_stored_bytes
from leaderboard.evaluation.intake import ask
from leaderboard.references.queries import scored_versions
from leaderboard.submissions.intake import StoredFile, Upload, create, discard_file
from leaderboard.submissions.models import Submission
from leaderboard.teams.membership import found_baseline


def add_baseline(
    *, competition: Competition, user: User, name: str, upload: Upload, at: datetime
) -> Submission:
    """A team without people, and its one file: read, queued and scored like any other.

    Dates, limits and the ledger are for teams. Raises InvalidSubmission or Refused.
    """
    if not may_edit(user, competition):
        raise not_an_editor()
    name = clean_team_name(name, by_organizer=True)
    reading = read_upload(competition, upload)
    stored = store(upload)
    try:
        with rows_for_stored_bytes(lambda: discard_file(stored)):
            return _add(competition, user, name, upload, stored, reading, at)
    except IntegrityError:
        raise team_name_taken() from None


def _add(
    competition: Competition,
    user: User,
    name: str,
    upload: Upload,
    stored: StoredFile,
    reading: Reading,
    at: datetime,
) -> Submission:
    """Inside the transaction; the contest's lock keeps its versions as they are meanwhile."""
    locked = locked_for_editing(competition, user)
    versions = scored_versions(locked)
    if reading.version.pk not in {version.pk for version in versions if version.is_live}:
        reading = read_upload(locked, upload)
    team = found_baseline(competition=locked, organizer=user, name=name, at=at)
    submission = create(
        team=team,
        user=user,
        upload=upload,
        stored=stored,
        texts=reading.predictions.texts,
        notices=[kept_notice(notice) for notice in reading.predictions.notices],
        key=uuid4().hex,
        note="",
        method_name="",
        is_late=False,
        at=at,
    )
    ask(submission=submission, versions=versions, rows=len(reading.predictions.texts))
    record(
        kind="baseline.added",
        actor=user,
        at=at,
        competition=locked.pk,
        subject=team.pk,
        after={"name": name, "file": submission.file_name},
    )
    return submission
