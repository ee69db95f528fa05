"""Asking to join a competition whose organizers approve everybody."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.joining import (
    accept_terms_due,
    refuse_latecomers_and_organizers,
)
from leaderboard.actions.naming import clean_team_name, name_for_all
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import owners
from leaderboard.inbox.models import Notification
from leaderboard.inbox.queries import without_unread
from leaderboard.inbox.tell import tell
from leaderboard.teams.models import JoinRequest
from leaderboard.teams.queries import team_of
from leaderboard.teams.requests import ask, request_of


def request_to_join(
    *,
    user: User,
    competition: Competition,
    team_name: str | None = None,
    terms: int | None = None,
    at: datetime,
) -> JoinRequest:
    """The person's question to the organizers; asking again answers the first one.

    The terms are accepted with it. Who was declined cannot ask again, but an organizer may still
    approve. Raises Refused.
    """
    if (asked := request_of(user, competition)) is not None:
        return asked
    name = name_for_all(user.username) if team_name is None else clean_team_name(team_name)
    with transaction.atomic():
        locked = lock_one(Competition.objects.filter(pk=competition.pk))
        refuse_latecomers_and_organizers(locked, user, at)
        if team_of(user, locked) is not None:
            raise Refused(
                "member", ko="이미 참가했습니다.", en="You take part in this competition already."
            )
        if locked.registration != Competition.Registration.APPROVAL:
            raise Refused(
                "no_approval_needed",
                ko="이 대회는 승인을 기다리지 않고 참가합니다.",
                en="This competition is joined without waiting for approval.",
                next_ko="참가 화면을 새로 열어 주세요.",
                next_en="Open the join page again.",
            )
        accept_terms_due(locked, user, number=terms, at=at)
        asked = ask(user=user, competition=locked, team_name=name, at=at)
        asking = record(
            kind="join.requested",
            actor=user,
            at=at,
            competition=locked.pk,
            after={"username": user.username, "name": name},
        )
        _tell_owners(locked, asking, user)
    return asked


def _tell_owners(competition: Competition, asking: AuditEvent, user: User) -> None:
    """One notice however many ask, until it is read: a whole class may ask within a minute."""
    kind, about = Notification.Kind.ANNOUNCED, "asked"
    tell(
        users=without_unread(owners(competition.pk), competition.pk, about=about),
        kind=kind,
        subject=asking.pk,
        competition=competition.pk,
        competition_slug=competition.slug,
        data={
            "about": about,
            "ko": f"참가를 신청한 사람이 있습니다: {user.username}",
            "en": f"Somebody asked to join: {user.username}",
        },
        at=asking.at,
    )
