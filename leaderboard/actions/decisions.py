"""What decisions share: who may decide, under which lock, what was looked at first, who is told.

What cannot be taken back, or reaches every inbox, is looked at before it is done, all of it in one
way: the verb takes as `seen` the digest of what was shown, and under its lock refuses to do
anything else by `LookFirst`, which says what would be done. Pages always say what was seen, at
first nothing; a program that shows nothing to anybody leaves `seen` out.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.audit.log import record
from leaderboard.audit.models import AuditEvent
from leaderboard.community.announcements import announce, people_of
from leaderboard.community.models import Announcement
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import may_edit, role_of
from leaderboard.competitions.schedule import refuse_ended
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.refusals import Forbidden, Invalid, Refused, Unknown
from leaderboard.submissions.queries import locked_team_of
from leaderboard.teams.membership import people
from leaderboard.teams.models import Team
from leaderboard.texts import say

not_an_editor = partial(
    Forbidden, "not_an_editor", _("Only owners and editors of this competition can do this.")
)


# --- Looked at first -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Preview:
    """What a decision would do.

    `announced` in Korean and English, empty where nobody is told; `people` would find it in their
    inbox: the `audience` in words, and the names of `to_teams` where some were chosen. `happens`:
    the effect in words, where no announcement says it. The digest is another one as soon as
    anything would be decided differently.
    """

    digest: str
    announced: tuple[str, str] | None = None
    people: int = 0
    audience: str | Promise = field(default="", kw_only=True)
    to_teams: tuple[str, ...] = field(default=(), kw_only=True)
    happens: str | Promise = field(default="", kw_only=True)


def digest_of(*facts: object) -> str:
    """Of what is to be decided, and from which state on. Facts are plain values."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def in_both(text: Promise, **values: object) -> tuple[str, str]:
    """A text of the catalogue with its values, in Korean and English."""
    return say(text, "ko", **values), say(text, "en", **values)


def listed(form: str, values: Iterable[Iterable[object]]) -> Promise:
    """Values in this form each, with commas, in the language in which they are said."""
    rows = [format_lazy(form, *each) for each in values]
    said: Promise = format_lazy(", ".join(["{}"] * len(rows)), *rows)
    return said


def still_ahead(competition: Competition, at: datetime) -> bool:
    """Whether the contest has yet to open."""
    return at < competition.opens_at


def announcing(
    competition: Competition, kind: str, said: tuple[str, str], *facts: object, at: datetime
) -> Preview:
    """Of a decision whose announcement to all says what it is; `facts` are what it leaves out.
    Before the opening nobody is told.
    """
    is_silent = still_ahead(competition, at)
    digest = digest_of(kind, competition.pk, *said, *facts, is_silent)
    if is_silent:
        return Preview(digest)
    audience, people = Announcement.Audience.ALL.label, people_of(competition).count()
    return Preview(digest, announced=said, audience=audience, people=people)


class Change(NamedTuple):
    """One value of a contest before and after."""

    name: str
    before: Any
    after: Any


def changes(
    competition: Competition, wanted: Mapping[str, Any], names: Iterable[str]
) -> tuple[Change, ...]:
    """Which of these values the contest would not have as they are wanted."""
    both = (
        Change(name, getattr(competition, name), wanted[name]) for name in names if name in wanted
    )
    return tuple(change for change in both if change.before != change.after)


def before_and_after(found: Iterable[Change]) -> dict[str, Any]:
    """The changes as the log keeps them."""
    return {
        "before": {one.name: _plain(one.before) for one in found},
        "after": {one.name: _plain(one.after) for one in found},
    }


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


class LookFirst(Refused):
    """Somebody has yet to see what would be done."""

    def __init__(self, preview: Preview) -> None:
        super().__init__("look_first", _("The changes differ from what you saw. Check them again."))
        self.preview = preview


def refuse_unseen(found: Preview, seen: str | None) -> None:
    """Raises LookFirst unless this is what was seen, or nobody was to look."""
    if seen is not None and seen != found.digest:
        raise LookFirst(found)


def refuse_unasked(
    seen: str | None, happens: Promise, told: Sequence[User], *facts: object
) -> None:
    """`refuse_unseen` for a decision about these facts that nobody announces."""
    found = Preview(digest_of(str(happens), *facts), people=len(told), happens=happens)
    refuse_unseen(found, seen)


# --- About a contest -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Deciding:
    """A person's decision about a contest, in its transaction. The contest's row is locked."""

    competition: Competition
    user: User
    at: datetime

    def record(self, kind: str, subject: UUID | None = None, **facts: Any) -> AuditEvent:
        """Add the decision to the log: what was before and after, and the reason."""
        facts |= {"competition": self.competition.pk, "subject": subject}
        return record(kind=kind, actor=self.user, at=self.at, **facts)

    def tell(
        self,
        users: Iterable[User],
        kind: Notification.Kind,
        subject: UUID,
        data: Mapping[str, Any],
        *,
        again: bool = False,
    ) -> None:
        """Leave a notice of this contest in these people's inboxes."""
        tell(
            users=users,
            kind=kind,
            subject=subject,
            competition=self.competition.pk,
            competition_slug=self.competition.slug,
            data=data,
            at=self.at,
            again=again,
        )

    def announce(self, announced: tuple[str, str]) -> None:
        """Tell everybody in the contest, in Korean and English, once it has opened."""
        if still_ahead(self.competition, self.at):
            return
        announce(
            competition=self.competition,
            author=self.user,
            text=announced[0],
            text_en=announced[1],
            is_change=True,
            at=self.at,
        )

    def save(self, **values: Any) -> None:
        """Give the contest these values."""
        for name, value in values.items():
            setattr(self.competition, name, value)
        self.competition.save(update_fields=list(values))


def refuse_all_but_editors(competition: Competition, user: User) -> None:
    """Raises Refused for a person who may not change the contest."""
    if not may_edit(user, competition):
        raise not_an_editor()


def refuse_all_but_owners(competition: Competition, user: User) -> None:
    """Raises Refused for a person who is no owner of the contest."""
    if role_of(user, competition) != Organizer.Role.OWNER:
        raise Forbidden("not_an_owner", _("Only owners of this competition can do this."))


@contextmanager
def deciding(
    competition: Competition,
    user: User,
    at: datetime,
    *,
    refuse: Callable[[Competition, User], None] | None = refuse_all_but_editors,
    ended: bool = False,
) -> Iterator[Deciding]:
    """A transaction in which the contest's row is locked and this person may decide about it.

    The role is read under the lock: of two owners who dismiss each other only one succeeds.
    `refuse` is None for what people decide about themselves. `ended`: about an archived contest,
    too. Raises Refused.
    """
    with transaction.atomic():
        locked = lock_one(Competition.objects.filter(pk=competition.pk))
        if refuse is not None:
            refuse(locked, user)
        if not ended:
            refuse_ended(locked)
        yield Deciding(locked, user, at)


# --- About a team --------------------------------------------------------------------------------


@dataclass(frozen=True)
class DecidingOnTeam(Deciding):
    """An editor's decision about one team, in its transaction. The team's row is locked."""

    team: Team

    def rule(
        self,
        kind: str,
        notice: Notification.Kind,
        *,
        news: dict[str, object],
        submission: UUID | None = None,
        after: Mapping[str, Any] | None = None,
        reason: str = "",
        **facts: Any,
    ) -> None:
        """Log the decision and tell each member; a second decision is told a second time."""
        facts |= {"after": {"team": str(self.team.pk), **(after or {})}, "reason": reason}
        event = self.record(kind, submission or self.team.pk, **facts)
        beside = {"submission": str(submission)} if submission else {"reason": reason}
        self.tell(people(self.team), notice, event.pk, {**news, **beside})


@contextmanager
def deciding_on_team(team_id: UUID, user: User, at: datetime) -> Iterator[DecidingOnTeam]:
    """A transaction in which the team's row is locked and this person may decide about it.

    A baseline is the organizer's own and no participant, and a team that became a part of another
    one is none any more: nothing is granted or said to them. Raises Refused.
    """
    with transaction.atomic():
        found = lock(Team.objects.select_related("competition").filter(pk=team_id))
        if not found:  # an empty team is deleted
            raise Unknown("unknown_team", _("There is no such team."))
        team = found[0]
        refuse_all_but_editors(team.competition, user)
        refuse_ended(team.competition)
        if team.kind == Team.Kind.BASELINE:
            raise Refused("baseline", _("A baseline is not a participating team."))
        refuse_part(team)
        yield DecidingOnTeam(team.competition, user, at, team)


def refuse_part(team: Team) -> None:
    """Raises Refused for a team that became a part of another one."""
    if team.merged_into is not None:
        raise Refused(
            "merged_team",
            _("This team is now part of {into}."),
            _("Make the decision for that team."),
            into=team.merged_into.name,
        )


@contextmanager
def deciding_on_file(submission_id: UUID, user: User, at: datetime) -> Iterator[DecidingOnTeam]:
    """`deciding_on_team` for the team, or the baseline, that has this submission now."""
    with transaction.atomic():
        team = locked_team_of(submission_id)
        refuse_all_but_editors(team.competition, user)
        refuse_ended(team.competition)
        yield DecidingOnTeam(team.competition, user, at, team)


def reason_within(reason: str, length: int) -> str:
    """The reason as it is kept. Raises Refused for none, and for one that is too long."""
    reason = reason.strip()
    if not reason or len(reason) > length:
        raise Invalid(
            "reason_length", _("Give a reason of 1 to {length} characters."), length=length
        )
    return reason
