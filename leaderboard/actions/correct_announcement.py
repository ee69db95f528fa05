"""Putting right what was announced: the words change, and everybody sees that they did."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.announce import refuse_text
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.actions.second_step import Preview, digest_of, refuse_unseen
from leaderboard.audit.log import record
from leaderboard.community.announcements import correct
from leaderboard.community.models import Announcement
from leaderboard.community.queries import may_correct
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import role_of
from leaderboard.inbox.queries import told


def preview_correction(
    *, announcement: Announcement, user: User, text: str, text_en: str = ""
) -> Preview:
    """The new words, and how many were told the old ones and would read them anew.

    Raises Refused as `correct_announcement` would, also when nothing changes.
    """
    if not may_correct(announcement, user, role_of(user, announcement.competition)):
        raise not_an_editor()
    words = text.strip(), text_en.strip()
    refuse_text(*words)
    if words == (announcement.text, announcement.text_en):
        raise Refused(
            "nothing_changes",
            ko="고친 곳이 없습니다.",
            en="Nothing was changed.",
            status=422,
        )
    return Preview(
        digest=digest_of(announcement.pk, announcement.edited_at, *words),
        announced=words,
        people=told(announcement.pk),
    )


def correct_announcement(
    *,
    announcement: Announcement,
    user: User,
    text: str,
    text_en: str = "",
    seen: str | None = None,
    at: datetime,
) -> Announcement:
    """Its author may, and owners and editors. The log keeps the words of before. Raises Refused."""
    with transaction.atomic():
        lock_one(Competition.objects.filter(pk=announcement.competition_id))
        locked = Announcement.objects.select_related("competition").get(pk=announcement.pk)
        found = preview_correction(announcement=locked, user=user, text=text, text_en=text_en)
        refuse_unseen(found.digest, seen)
        before = {"text": locked.text, "text_en": locked.text_en}
        after = {"text": text.strip(), "text_en": text_en.strip()}
        correct(locked, **after, at=at)
        record(
            kind="announcement.corrected",
            actor=user,
            at=at,
            competition=locked.competition_id,
            subject=locked.pk,
            before=before,
            after=after,
        )
    return locked
