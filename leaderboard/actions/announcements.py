"""What an organizer tells the people of a contest, and corrects."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import Deciding, Preview, deciding, digest_of, refuse_unseen
from leaderboard.actions.refusals import Refused
from leaderboard.community.announcements import announce as write
from leaderboard.community.announcements import correct, may_correct, people_of
from leaderboard.community.models import Announcement
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import is_organizer, role_of
from leaderboard.inbox.tell import told
from leaderboard.teams.models import Team

LENGTH = 2000


def preview_announcement(
    *,
    competition: Competition,
    user: User,
    text: str,
    text_en: str = "",
    audience: str = Announcement.Audience.ALL,
    teams: Sequence[Team] = (),
    pinned: bool = False,
) -> Preview:
    """What `announce` would say to how many. Raises Refused as it would."""
    _refuse_all_but_organizers(competition, user)
    text, text_en = text.strip(), text_en.strip()
    _refuse_text(text, text_en)
    _refuse_audience(competition, audience, teams)
    chosen = sorted(str(team.pk) for team in teams)
    return Preview(
        digest=digest_of(competition.pk, text, text_en, audience, chosen, pinned),
        announced=(text, text_en),
        people=people_of(competition, audience, teams).count(),
    )


def announce(
    *,
    competition: Competition,
    user: User,
    text: str,
    text_en: str = "",
    audience: str = Announcement.Audience.ALL,
    teams: Sequence[Team] = (),
    pinned: bool = False,
    seen: str | None = None,
    at: datetime,
) -> Announcement:
    """Any organizer of the contest may, assistants too. Raises Refused."""
    with deciding(competition, user, at, refuse=_refuse_all_but_organizers) as decision:
        locked = decision.competition
        if teams:  # so that none of them is gone before this is kept
            teams = lock(Team.objects.filter(pk__in=[team.pk for team in teams]))
        found = preview_announcement(
            competition=locked,
            user=user,
            text=text,
            text_en=text_en,
            audience=audience,
            teams=teams,
            pinned=pinned,
        )
        refuse_unseen(found.digest, seen)
        announcement = write(
            competition=locked,
            author=user,
            text=text.strip(),
            text_en=text_en.strip(),
            audience=audience,
            teams=teams,
            pinned=pinned,
            at=at,
        )
        decision.record(
            "announced", announcement.pk, after={"audience": audience, "pinned": pinned}
        )
    return announcement


def _refuse_all_but_organizers(competition: Competition, user: User) -> None:
    if not is_organizer(user, competition):
        raise Refused("not_an_editor")


def _refuse_text(text: str, text_en: str) -> None:
    """Raises Refused for no words and for too many."""
    if not text or max(len(text), len(text_en)) > LENGTH:
        raise Refused("text_length", length=LENGTH)


def _refuse_audience(competition: Competition, audience: str, teams: Sequence[Team]) -> None:
    known = audience in Announcement.Audience.values
    named = bool(teams) and all(team.competition_id == competition.pk for team in teams)
    if not known or (audience == Announcement.Audience.TEAMS and not named):
        raise Refused("unknown_audience")


def preview_correction(
    *, announcement: Announcement, user: User, text: str, text_en: str = ""
) -> Preview:
    """The new words, and how many were told the old ones and would read them anew.

    Raises Refused as `correct_announcement` would, also when nothing changes.
    """
    if not may_correct(announcement, user, role_of(user, announcement.competition)):
        raise Refused("not_an_editor")
    words = text.strip(), text_en.strip()
    _refuse_text(*words)
    if words == (announcement.text, announcement.text_en):
        raise Refused("nothing_changes")
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
        decision = Deciding(locked.competition, user, at)
        decision.record("announcement.corrected", locked.pk, before=before, after=after)
    return locked
