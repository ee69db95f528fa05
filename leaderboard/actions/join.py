"""Joining a competition makes a team of one."""

from datetime import datetime

from django.db import IntegrityError, transaction

from leaderboard.accounts.models import User
from leaderboard.actions.joining import (
    accept_terms_due,
    check_registration,
    refuse_latecomers_and_organizers,
)
from leaderboard.actions.naming import clean_team_name, name_for_all, team_name_taken
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition
from leaderboard.teams.membership import found, free_name
from leaderboard.teams.models import Team
from leaderboard.teams.queries import team_of


def join(
    *,
    user: User,
    competition: Competition,
    team_name: str | None = None,
    code: str = "",
    email: str = "",
    terms: int | None = None,
    at: datetime,
) -> Team:
    """The person's team of one; joining again answers the team they are in. Raises Refused.

    `code` and `email` are for contests that ask for them, `terms` is the number of the wording
    that the person agreed to.
    """
    if (existing := team_of(user, competition)) is not None:
        return existing
    name = None if team_name is None else clean_team_name(team_name)
    try:
        with transaction.atomic():
            # Locked, so that nobody becomes organizer and participant at the same instant.
            locked = lock_one(Competition.objects.filter(pk=competition.pk))
            refuse_latecomers_and_organizers(locked, user, at)
            typed = check_registration(locked, user, code=code, email=email)
            accept_terms_due(locked, user, number=terms, at=at)
            return found_team(user, locked, name, at, typed_email=typed)
    except IntegrityError:
        # Two clicks at once: the other one won. Otherwise the name is taken.
        if (existing := team_of(user, competition)) is not None:
            return existing
        raise team_name_taken() from None


def found_team(
    user: User, competition: Competition, name: str | None, at: datetime, *, typed_email: str = ""
) -> Team:
    """Make the team of one and log it; without a name it gets the first free one."""
    if name is None:
        name = free_name(competition=competition, wanted=name_for_all(user.username))
    team = found(competition=competition, captain=user, name=name, at=at, typed_email=typed_email)
    record(
        kind="team.joined",
        actor=user,
        at=at,
        competition=competition.pk,
        subject=team.pk,
        after={"name": name},
    )
    return team
