"""Announcements: writing and correcting one, telling its audience, and who reads what."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.text import Truncator

from leaderboard.accounts.models import User
from leaderboard.community.models import Announcement, Webhook, plain
from leaderboard.community.webhooks import queue
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import EDITING, Anyone
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.teams.models import Team

Audience = Announcement.Audience
SUMMARY_LENGTH = 120
CHANGED = "changed"  # what a notice is about that says how the contest has changed


def announce(
    *,
    competition: Competition,
    author: User,
    text: str,
    text_en: str = "",
    audience: str = Audience.ALL,
    teams: Sequence[Team] = (),
    pinned: bool = False,
    is_change: bool = False,
    at: datetime,
) -> Announcement:
    """One row, and one inbox row for each person of the audience.

    `is_change`: of the contest. Who has not read of the last one reads this one in its place.
    """
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
    people = people_of(competition, audience, teams).only("pk").order_by("pk")
    about = {"about": CHANGED} if is_change else {}
    _tell(announcement, people.iterator(chunk_size=500), at, **about)
    queue(
        Webhook.Event.ANNOUNCED,
        competition=competition.pk,
        subject=announcement.pk,
        title=plain(text),
        title_en=plain(text_en),
        at=at,
    )
    return announcement


def _tell(announcement: Announcement, users: Iterable[User], at: datetime, **about: str) -> None:
    """Whoever has it already keeps it as it is."""
    edited = {"edited": True} if announcement.edited_at else {}
    tell(
        users=users,
        kind=Notification.Kind.ANNOUNCED,
        subject=announcement.pk,
        competition=announcement.competition_id,
        competition_slug=announcement.competition.slug,
        data={**summary(announcement.text, announcement.text_en), **edited, **about},
        at=at,
    )


def share(*, teams: Collection[UUID], people: Sequence[User], at: datetime) -> None:
    """What was said to one of these teams, which are one now, reaches all of its people."""
    said = Announcement.objects.filter(audience=Audience.TEAMS, teams__in=teams).distinct()
    for one in said.select_related("competition"):
        _tell(one, people, at)


def people_of(
    competition: Competition, audience: str = Audience.ALL, teams: Sequence[Team] = ()
) -> QuerySet[User]:
    """Whom an announcement to this audience reaches, each once."""
    members = User.objects.filter(memberships__competition=competition)
    if audience == Audience.NO_SUBMISSION:
        members = members.exclude(
            memberships__team__in=Team.objects.filter(
                competition=competition, submissions__isnull=False
            )
        )
    elif audience == Audience.TEAMS:
        members = members.filter(memberships__team__in=[team.pk for team in teams])
    return members.distinct()


def summary(text: str, text_en: str) -> dict[str, str]:
    """As the inbox shows it, by language."""
    said = {"ko": text, "en": text_en or text}
    return {
        language: Truncator(plain(words)).chars(SUMMARY_LENGTH) for language, words in said.items()
    }


LATEST = 20


def announcements(competition: Competition, viewer: Anyone, *, runs_it: bool) -> list[Announcement]:
    """What this person may read, pinned first, newest first.

    Everybody reads what was said to all. What was said to some teams is read by their people and
    the organizers; an announcement to teams without a submission is read by those who got it.
    """
    rows = Announcement.objects.filter(competition=competition).select_related("author")
    if runs_it:
        return list(rows[:LATEST])
    allowed = Q(audience=Audience.ALL)
    if isinstance(viewer, User):
        told = viewer.notifications.filter(kind=Notification.Kind.ANNOUNCED)
        allowed |= Q(Exists(told.filter(subject=OuterRef("pk"))))
    return list(rows.filter(allowed)[:LATEST])


def may_correct(announcement: Announcement, user: User, role: str | None) -> bool:
    """Whether who has this role in the contest may change its words: editors, and its author."""
    return role in EDITING or (role is not None and announcement.author_id == user.pk)
