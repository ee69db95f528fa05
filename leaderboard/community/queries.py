"""Reads of announcements, each for one viewer."""

from django.db.models import Q

from leaderboard.accounts.models import User
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import EDITING, Viewer, is_organizer

Audience = Announcement.Audience
LATEST = 20


def announcements(competition: Competition, viewer: Viewer) -> list[Announcement]:
    """What this person may read, pinned first, newest first.

    Everybody reads what was said to all. What was said to some teams is read by their people and
    the organizers; an announcement to teams without a submission is read by those who got it.
    """
    rows = Announcement.objects.filter(competition=competition).select_related("author")
    if is_organizer(viewer, competition):
        return list(rows[:LATEST])
    allowed = Q(audience=Audience.ALL)
    if isinstance(viewer, User):
        told = viewer.notifications.filter(competition=competition.pk).values("subject")
        allowed |= Q(pk__in=told)
    return list(rows.filter(allowed)[:LATEST])


def last_announcement(competition: Competition) -> Announcement | None:
    """What was said last, to whomever; for the organizers."""
    rows = Announcement.objects.filter(competition=competition).select_related("author")
    return rows.order_by("-at", "pk").first()


def may_correct(announcement: Announcement, user: User, role: str | None) -> bool:
    """Whether who has this role in the contest may change its words: editors, and its author."""
    return role in EDITING or (role is not None and announcement.author_id == user.pk)
