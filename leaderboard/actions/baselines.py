"""An organizer's own files on the board, for comparison and without a rank."""

from datetime import datetime
from uuid import uuid4

from django.db import IntegrityError

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import deciding, locked_team_for_editing, refuse_all_but_editors
from leaderboard.actions.refusals import Refused
from leaderboard.actions.submissions import incoming
from leaderboard.actions.teams import clean_team_name, team_name_taken
from leaderboard.boards.standings import place_everywhere
from leaderboard.competitions.models import Competition
from leaderboard.submissions.intake import (
    Upload,
    mark_excluded,
    mark_restored,
)
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import of_team
from leaderboard.teams.membership import found_baseline, rename
from leaderboard.teams.models import Team

REASON = "기준선을 뺌"


def add_baseline(
    *, competition: Competition, user: User, name: str, upload: Upload, at: datetime
) -> Submission:
    """A team without people, and its one file: read, queued and scored like any other.

    Dates, limits and the ledger are for teams. Raises InvalidSubmission or Refused.
    """
    refuse_all_but_editors(competition, user)
    name = clean_team_name(name, by_organizer=True)
    try:
        with incoming(competition, upload) as file, deciding(competition, user, at) as decision:
            team = found_baseline(
                competition=decision.competition, organizer=user, name=name, at=at
            )
            submission = file.keep(team=team, user=user, key=uuid4().hex, at=at)
            after = {"name": name, "file": submission.file_name}
            decision.record("baseline.added", team.pk, after=after)
            return submission
    except IntegrityError:
        raise team_name_taken() from None


def rename_baseline(*, team: Team, user: User, name: str, at: datetime) -> Team:
    """By the rules of a team's name; the same name again changes nothing. Raises Refused."""
    name = clean_team_name(name, by_organizer=True)
    try:
        # Whoever names a team holds its contest.
        with deciding(team.competition, user, at) as decision:
            locked = _locked(team, user)
            if locked.name != name:
                before = {"name": locked.name}
                rename(team=locked, name=name)
                decision.record("baseline.renamed", locked.pk, before=before, after={"name": name})
            return locked
    except IntegrityError:
        raise team_name_taken() from None


def remove_baseline(*, team: Team, user: User, at: datetime) -> None:
    """Exclude everything it has; its name and its scores stay. Raises Refused."""
    with deciding(team.competition, user, at) as decision:
        locked = _locked(team, user)
        marked = [
            mark_excluded(submission=one, user=user, reason=REASON, reason_shown=True, at=at)
            for one in of_team(locked)
        ]
        if not any(marked):
            raise Refused("already_excluded.baseline")
        place_everywhere(team=locked)
        decision.record("baseline.removed", locked.pk, after={"name": locked.name})


def restore_baseline(*, team: Team, user: User, at: datetime) -> None:
    """Put everything it has back on the boards. Raises Refused."""
    with deciding(team.competition, user, at) as decision:
        locked = _locked(team, user)
        restored = [mark_restored(submission=one) for one in of_team(locked)]
        if not any(restored):
            raise Refused("not_excluded.baseline")
        place_everywhere(team=locked)
        decision.record("baseline.restored", locked.pk, after={"name": locked.name})


def _locked(team: Team, user: User) -> Team:
    """The baseline's row, locked in this transaction. Raises Refused for a team with people."""
    locked = locked_team_for_editing(team.pk, user)
    if locked.kind != Team.Kind.BASELINE:
        raise Refused("not_a_baseline")
    return locked
