"""An organizer gives a baseline another name."""

from datetime import datetime

from django.db import IntegrityError, transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing, locked_team_for_editing
from leaderboard.actions.naming import clean_team_name, team_name_taken
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.teams.membership import rename
from leaderboard.teams.models import Team


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
