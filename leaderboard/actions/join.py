"""Joining a competition makes a team of one."""

import unicodedata
from datetime import datetime

from django.db import IntegrityError, transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import is_organizer
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.teams.membership import found, free_name
from leaderboard.teams.models import Team
from leaderboard.teams.queries import team_of

NAME_LENGTH = 40


def join(
    *, user: User, competition: Competition, team_name: str | None = None, at: datetime
) -> Team:
    """The person's team of one; joining again answers the team they are in. Raises Refused."""
    if (existing := team_of(user, competition)) is not None:
        return existing
    if phase(competition, at) in (Phase.CLOSED, Phase.REVEALED):
        raise Refused(
            "closed",
            ko="마감된 대회에는 참가할 수 없습니다.",
            en="This competition has closed; nobody can join any more.",
            status=403,
        )
    if is_organizer(user, competition):
        raise Refused(
            "organizer",
            ko="주최자는 참가할 수 없습니다.",
            en="Organizers of a competition cannot take part in it.",
            status=403,
        )
    if team_name is None:
        name = free_name(competition=competition, wanted=clean_team_name(user.username))
    else:
        name = clean_team_name(team_name)
    try:
        with transaction.atomic():
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
