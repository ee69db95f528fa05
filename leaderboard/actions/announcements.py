"""What an organizer tells the people of a contest, and corrects."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import (
    Preview,
    deciding,
    digest_of,
    not_an_editor,
    refuse_unseen,
)
from leaderboard.audit.log import KINDS
from leaderboard.community.announcements import announce as write
from leaderboard.community.announcements import may_correct, people_of, summary
from leaderboard.community.models import Announcement
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import is_organizer, role_of
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import told
from leaderboard.refusals import Invalid
from leaderboard.teams.models import Team
from leaderboard.teams.queries import whole

KINDS |= {
    "announced": _("Announced"),
    "announcement.corrected": _("Corrected an announcement"),
}

LENGTH = 2000
AT_ONCE = timedelta(minutes=1)  # the same again within it is a button that was pressed twice


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
    """Any organizer may, assistants too; the same again at once is the same one. Raises Refused."""
    with deciding(competition, user, at, refuse=refuse_all_but_organizers) as decision:
        locked = decision.competition
        if teams:  # so that none of them is gone before this is kept
            known = Team.objects.filter(pk__in=[team.pk for team in teams])
            # Some may have become parts of others meanwhile; nothing merges now.
            wholes = {whole(pk).pk for pk in known.values_list("pk", flat=True)}
            teams = lock(Team.objects.filter(pk__in=wholes))
        text, text_en = text.strip(), text_en.strip()
        _refuse_text(text, text_en)
        _refuse_audience(locked, audience, teams)
        chosen = sorted(str(team.pk) for team in teams)
        said: dict[str, Any] = {
            "text": text, "text_en": text_en, "audience": audience, "pinned": pinned
        }  # fmt: skip
        reached = people_of(locked, audience, teams).count()
        if not reached and audience != Announcement.Audience.ALL:
            raise Invalid(
                "unknown_audience",
                _("Nobody would get this announcement."),
                _("Choose another recipient, or teams that have members."),
            )
        found = Preview(
            digest=digest_of(locked.pk, text, text_en, audience, chosen, pinned),
            announced=(text, text_en),
            audience=Announcement.Audience(audience).label,
            to_teams=tuple(sorted(team.name for team in teams)),
            people=reached,
        )
        refuse_unseen(found, seen)
        if (earlier := _just_said(locked, user, said, chosen, at)) is not None:
            return earlier
        announcement = write(competition=locked, author=user, teams=teams, at=at, **said)
        decision.record(
            "announced", announcement.pk, after={"audience": audience, "pinned": pinned}
        )
    return announcement


def _just_said(
    competition: Competition, user: User, said: dict[str, Any], teams: list[str], at: datetime
) -> Announcement | None:
    """The same of the same person, to the same teams. The contest's row is locked."""
    rows = Announcement.objects.filter(
        competition=competition, author=user, at__gt=at - AT_ONCE, **said
    )
    for row in rows.prefetch_related("teams"):
        if sorted(str(team.pk) for team in row.teams.all()) == teams:
            return row
    return None


def refuse_all_but_organizers(competition: Competition, user: User) -> None:
    """Raises Refused for a person who does not help to run the contest."""
    if not is_organizer(user, competition):
        raise not_an_editor()


def _refuse_text(text: str, text_en: str) -> None:
    """Raises Refused for no words and for too many."""
    if not text or max(len(text), len(text_en)) > LENGTH:
        raise Invalid(
            "text_length", _("An announcement has 1 to {length} characters."), length=LENGTH
        )


def _refuse_audience(competition: Competition, audience: str, teams: Sequence[Team]) -> None:
    """Raises Refused for no teams where some were to be chosen, and the other way round."""
    known = audience in Announcement.Audience.values
    to_teams = audience == Announcement.Audience.TEAMS
    ours = all(team.competition_id == competition.pk for team in teams)
    if not known or not ours or to_teams != bool(teams):
        raise Invalid(
            "unknown_audience",
            _("Teams and the recipient “{chosen}” are chosen together."),
            chosen=Announcement.Audience.TEAMS.label,
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
    """Its author may, and owners and editors. Who was told reads it as new; the log keeps the words
    of before. Raises Refused."""
    with deciding(announcement.competition, user, at, refuse=None) as decision:
        locked = Announcement.objects.get(pk=announcement.pk)
        if not may_correct(locked, user, role_of(user, decision.competition)):
            raise not_an_editor()
        before = {"text": locked.text, "text_en": locked.text_en}
        after = {"text": text.strip(), "text_en": text_en.strip()}
        _refuse_text(**after)
        if after == before:
            raise Invalid("nothing_changes", _("Nothing was changed."))
        words = after["text"], after["text_en"]
        digest = digest_of(locked.pk, locked.edited_at, *words)
        refuse_unseen(Preview(digest, words, people=told(locked.pk)), seen)
        locked.text, locked.text_en, locked.edited_at = *words, at
        locked.save(update_fields=["text", "text_en", "edited_at"])
        anew = {**summary(*words), "edited": True}
        readers = User.objects.filter(notifications__subject=locked.pk)
        decision.tell(readers, Notification.Kind.ANNOUNCED, locked.pk, anew, again=True)
        decision.record("announcement.corrected", locked.pk, before=before, after=after)
    return locked
