"""Writing an announcement and telling its audience."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from leaderboard.accounts.models import User
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.teams.models import Team

Audience = Announcement.Audience
SUMMARY_LENGTH = 120


def announce(
    *,
    competition: Competition,
    author: User,
    text: str,
    text_en: str = "",
    audience: str = Audience.ALL,
    teams: Sequence[Team] = (),
    pinned: bool = False,
    at: datetime,
) -> Announcement:
    """One row, and one inbox row for each person of the audience."""
    announcement = Announcement.objects.create(
        competition=competition,
        author=author,
        at=at,
        text=text,
        text_en=text_en,
        audience=audience,
        pinned=pinned,
    )
    if audience == Audience.TEAMS:
        announcement.teams.set(teams)
    tell(
        users=_people(announcement),
        kind=Notification.Kind.ANNOUNCED,
        subject=announcement.pk,
        competition=competition.pk,
        competition_slug=competition.slug,
        data={"ko": text[:SUMMARY_LENGTH], "en": (text_en or text)[:SUMMARY_LENGTH]},
        at=at,
    )
    return announcement


def _people(announcement: Announcement) -> Iterator[User]:
    members = User.objects.filter(memberships__competition=announcement.competition)
    if announcement.audience == Audience.NO_SUBMISSION:
        members = members.exclude(
            memberships__team__in=Team.objects.filter(
                competition=announcement.competition, submissions__isnull=False
            )
        )
    elif announcement.audience == Audience.TEAMS:
        members = members.filter(memberships__team__in=announcement.teams.all())
    return members.distinct().only("pk").order_by("pk").iterator(chunk_size=500)
