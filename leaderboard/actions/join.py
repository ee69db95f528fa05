"""Joining a competition makes a team of one."""

import unicodedata
from datetime import datetime

from django.db import IntegrityError, transaction

from leaderboard.accounts.models import User
from leaderboard.actions.joining import (
    accept_terms_due,
    check_registration,
    refuse_latecomers_and_organizers,
)
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.teams.membership import found, free_name
from leaderboard.teams.models import Team
from leaderboard.teams.queries import team_of

NAME_LENGTH = 40


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
            locked = Competition.objects.select_for_update().get(pk=competition.pk)
            refuse_latecomers_and_organizers(locked, user, at)
            check_registration(locked, user, code=code, email=email)
            accept_terms_due(locked, user, number=terms, at=at)
            return found_team(user, locked, name, at)
    except IntegrityError:
        # Two clicks at once: the other one won. Otherwise the name is taken.
        if (existing := team_of(user, competition)) is not None:
            return existing
        raise Refused(
            "name_taken",
            ko="같은 이름의 팀이 이미 있습니다.",
            en="Another team already has this name.",
            next_ko="다른 이름을 적어 주세요.",
            next_en="Choose another name.",
        ) from None


def found_team(user: User, competition: Competition, name: str | None, at: datetime) -> Team:
    """Make the team of one and log it; without a name it gets the first free one."""
    if name is None:
        name = free_name(competition=competition, wanted=clean_team_name(user.username))
    team = found(competition=competition, captain=user, name=name, at=at)
    record(
        kind="team.joined",
        actor=user,
        at=at,
        competition=competition.pk,
        subject=team.pk,
        after={"name": name},
    )
    return team


def clean_team_name(name: str) -> str:
    """NFC, without control or direction marks, 1 to 40 characters. Raises Refused."""
    composed = unicodedata.normalize("NFC", name)
    shown = "".join(c for c in composed if not unicodedata.category(c).startswith("C"))
    clean = " ".join(shown.split())[:NAME_LENGTH].strip()
    if not clean:
        raise Refused(
            "name_empty",
            ko="팀 이름이 비어 있습니다.",
            en="The team name is empty.",
            next_ko="한 글자 이상 적어 주세요.",
            next_en="Write at least one character.",
        )
    return clean
