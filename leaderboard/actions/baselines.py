"""An organizer's own files on the board, for comparison and without a rank."""

from datetime import datetime
from uuid import uuid4

from django.db import IntegrityError, transaction

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import locked_for_editing, locked_team_for_editing
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.actions.submissions import Reading, read_upload, store
from leaderboard.actions.teams import clean_team_name, team_name_taken
from leaderboard.audit.log import record
from leaderboard.boards.standings import place_everywhere
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.competitions.storage import rows_for_stored_bytes
from leaderboard.evaluation.queue import ask
from leaderboard.references.queries import scored_versions
from leaderboard.submissions.intake import (
    StoredFile,
    Upload,
    create,
    discard_file,
    mark_excluded,
    mark_restored,
)
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import of_team
from leaderboard.teams.membership import found_baseline, rename
from leaderboard.teams.models import Team


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
        notices=[notice.kept() for notice in reading.predictions.notices],
        key=uuid4().hex,
        note="",
        method_name="",
        is_late=False,
        at=at,
    )
    ask(submissions=[submission], versions=versions, rows=len(reading.predictions.texts))
    record(
        kind="baseline.added",
        actor=user,
        at=at,
        competition=locked.pk,
        subject=team.pk,
        after={"name": name, "file": submission.file_name},
    )
    return submission


def rename_baseline(*, team: Team, user: User, name: str, at: datetime) -> Team:
    """By the rules of a team's name; the same name again changes nothing. Raises Refused."""
    name = clean_team_name(name, by_organizer=True)
    try:
        with transaction.atomic():
            locked = locked_baseline(team, user)
            if locked.name == name:
                return locked
            before = locked.name
            rename(team=locked, name=name)
            record(
                kind="baseline.renamed",
                actor=user,
                at=at,
                competition=locked.competition_id,
                subject=locked.pk,
                before={"name": before},
                after={"name": name},
            )
            return locked
    except IntegrityError:
        raise team_name_taken() from None


def locked_baseline(team: Team, user: User) -> Team:
    """The baseline's row, locked in this transaction. Raises Refused for all but its editors."""
    locked_for_editing(team.competition, user)  # which whoever names a team holds
    locked = locked_team_for_editing(team.pk, user)
    if locked.kind != Team.Kind.BASELINE:
        raise Refused(
            "not_a_baseline",
            ko="기준선이 아니라 참가 팀입니다.",
            en="This is a team that takes part, not a baseline.",
        )
    return locked


REASON = "기준선을 뺌"


def remove_baseline(*, team: Team, user: User, at: datetime) -> None:
    """Exclude everything it has; its name and its scores stay. Raises Refused."""
    with transaction.atomic():
        locked = locked_baseline(team, user)
        marked = [
            mark_excluded(submission=one, user=user, reason=REASON, reason_shown=True, at=at)
            for one in of_team(locked)
        ]
        if not any(marked):
            raise Refused(
                "already_excluded",
                ko="이미 순위표에서 뺀 기준선입니다.",
                en="This baseline is off the boards already.",
            )
        _decided(locked, user, "baseline.removed", at)


def restore_baseline(*, team: Team, user: User, at: datetime) -> None:
    """Put everything it has back on the boards. Raises Refused."""
    with transaction.atomic():
        locked = locked_baseline(team, user)
        restored = [mark_restored(submission=one) for one in of_team(locked)]
        if not any(restored):
            raise Refused(
                "not_excluded",
                ko="순위표에서 뺀 기준선이 아닙니다.",
                en="This baseline is not off the boards.",
            )
        _decided(locked, user, "baseline.restored", at)


def _decided(team: Team, user: User, kind: str, at: datetime) -> None:
    place_everywhere(team=team)
    record(
        kind=kind,
        actor=user,
        at=at,
        competition=team.competition_id,
        subject=team.pk,
        after={"name": team.name},
    )
