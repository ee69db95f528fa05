"""The inbox as it is read, on its page and in a mail: what is said, and where it leads."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, Max, Q, QuerySet
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.inbox.models import Notification

Kind = Notification.Kind

WINDOW = 500  # rows that are made into lines at a time, however many a person has

# A day's notices of one of these kinds and of one contest are one line.
GROUPED = frozenset({Kind.SCORED, Kind.FAILED, Kind.REFUNDED, Kind.POSTED})


@dataclass(frozen=True)
class Way:
    """Where a notice leads: a page, found by these of the notice's own facts.

    `names`: keys of its data; `subject` is what it is about. Pages are of its contest, but for
    those that are not `in_contest`.
    """

    label: Promise
    page: str
    names: tuple[str, ...] = ()
    part: str = ""
    in_contest: bool = True


_SUBMISSION = Way(_("See the result"), "submission", ("subject",))

WAYS = {
    Kind.SCORED: _SUBMISSION,
    Kind.FAILED: Way(_("Details"), "submission", ("subject",)),
    Kind.REFUNDED: Way(_("Details"), "submission", ("subject",)),
    Kind.EXCLUDED: Way(_("Details"), "submission", ("submission",)),
    Kind.GRANTED: Way(_("Quota ledger"), "ledger"),
    # Its person may not know of the contest yet.
    Kind.INVITED: Way(_("See the invitation"), "invitation", ("subject",), in_contest=False),
    Kind.ASKED: Way(_("To the competition"), "overview"),
    f"{Kind.ASKED}.asked": Way(_("See and decide"), "desk_people", part="#requests"),
    Kind.MERGED: Way(_("To your team"), "team"),
    Kind.TEAM: Way(_("To your team"), "team"),
    Kind.ANSWERED: Way(_("Read it"), "thread", ("subject",)),
    Kind.POSTED: Way(_("Read it"), "thread", ("subject",)),
    Kind.REPORTED: Way(_("See and decide"), "desk_forum"),
    Kind.ANNOUNCED: Way(_("Read it"), "overview", part="#announcements"),
    f"{Kind.WARNED}.forum": Way(_("Read it"), "thread", ("thread",)),
    Kind.REVEALED: Way(_("See the final ranks and the shake-up"), "shake_up"),
}
"""By kind, or by kind and what it is `about`."""

HEADINGS = {
    Kind.SCORED: _("Scoring is done"),
    Kind.FAILED: _("Scoring failed on our side"),
    Kind.REVEALED: _("The results are out"),
    f"{Kind.ANNOUNCED}.edited": _("Corrected announcement"),
}


def heading(notice: Notification) -> str:
    """What happened, in the language that is being spoken."""
    edited = ".edited" if notice.data.get("edited") else ""
    said = HEADINGS.get(notice.kind + edited) or HEADINGS.get(notice.kind)
    return str(said or notice.get_kind_display())


def way(notice: Notification) -> Way | None:
    return WAYS.get(f"{notice.kind}.{notice.data.get('about', '')}") or WAYS.get(notice.kind)


def address(notice: Notification, *, known: bool) -> str:
    """The page that the notice leads to; empty where there is none.

    `known`: its person may know of its contest.
    """
    leads = way(notice)
    facts = {**notice.data, "subject": notice.subject}
    if leads is None or (leads.in_contest and not known):
        return ""
    if not notice.competition_slug or not facts.keys() >= set(leads.names):
        return ""
    named = [facts[name] for name in leads.names]
    args = [notice.competition_slug, *named] if leads.in_contest else named
    return reverse(leads.page, args=args) + leads.part


class Row(NamedTuple):
    """What of a notification tells which line it belongs to."""

    pk: UUID
    kind: str
    competition: UUID | None
    created_at: datetime
    read_at: datetime | None


@dataclass(frozen=True)
class Line:
    """One line of the inbox: notices of one kind and contest, the newest first."""

    rows: tuple[Row, ...]

    @property
    def newest(self) -> Row:
        return self.rows[0]

    @property
    def oldest(self) -> Row:
        return self.rows[-1]

    @property
    def unread(self) -> int:
        return sum(row.read_at is None for row in self.rows)


def grouped(rows: Iterable[Row], zone: tzinfo) -> list[Line]:
    """These rows as lines: thirteen scores of one day are one. The order is that of the rows."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        key: tuple[object, ...] = (row.pk,)
        if row.kind in GROUPED:
            key = (row.kind, row.competition, _day(row.created_at, zone))
        found.setdefault(key, []).append(row)
    return [Line(tuple(each)) for each in found.values()]


def _day(at: datetime, zone: tzinfo) -> date:
    return at.astimezone(zone).date()


@dataclass(frozen=True)
class Wanted:
    """What of the inbox somebody wants to see; nothing said is all of it. `after`: an older part,
    which begins behind this notification."""

    competition: UUID | None = None
    kind: str = ""
    unread: bool = False
    after: UUID | None = None


def window(user: User, wanted: Wanted) -> list[Row]:
    """The newest WINDOW rows of what is wanted; what more there is lies `after` the last."""
    rows = Notification.objects.filter(user=user)
    if wanted.competition is not None:
        rows = rows.filter(competition=wanted.competition)
    if wanted.kind:
        rows = rows.filter(kind=wanted.kind)
    if wanted.unread:
        rows = rows.filter(read_at=None)
    if (last := _own(user, wanted.after)) is not None:
        # The first bound is what the index finds; the second tells apart those of one instant.
        rows = rows.filter(created_at__lte=last.created_at)
        rows = rows.exclude(created_at=last.created_at, pk__lte=last.pk)
    return [Row(*row) for row in rows.values_list(*Row._fields)[:WINDOW]]


def _own(user: User, pk: UUID | None) -> Notification | None:
    return Notification.objects.filter(user=user, pk=pk).first() if pk else None


def shown(lines: Iterable[Line], opened: UUID | None) -> dict[UUID, Notification]:
    """The newest notice of each of these lines, by key, and all of the one that is `opened`."""
    rows = (line.rows if line.newest.pk == opened else line.rows[:1] for line in lines)
    return Notification.objects.in_bulk([row.pk for line in rows for row in line])


class Told(NamedTuple):
    """Something that was told to people at once: what, when last, to how many, and who read it."""

    kind: str
    subject: UUID
    at: datetime
    people: int
    unread: int


def told_to(people: QuerySet[User], competition: UUID) -> QuerySet[Notification, Any]:
    """All that these people were told in a contest, the newest first, as rows of Told."""
    rows = Notification.objects.filter(user__in=people, competition=competition)
    counted = (
        rows.order_by()
        .values("kind", "subject")
        .annotate(
            at=Max("created_at"), people=Count("pk"), unread=Count("pk", filter=Q(read_at=None))
        )
    )
    return counted.order_by("-at", "kind", "subject").values_list(*Told._fields, named=True)


def notices(found: Iterable[Told], people: QuerySet[User]) -> dict[tuple[str, UUID], Notification]:
    """One of the notices of each of these, by what it is; one query."""
    subjects = [one.subject for one in found]
    rows = Notification.objects.filter(user__in=people, subject__in=subjects)
    return {(row.kind, row.subject): row for row in rows}


def mark_read(*, user: User, at: datetime) -> int:
    """Mark everything of this person as read; answers how many rows that changed."""
    return Notification.objects.filter(user=user, read_at=None).update(read_at=at)


def mark_line_read(*, user: User, newest: UUID, oldest: UUID, at: datetime) -> int:
    """Mark the line from one notification to the other; answers how many rows that changed."""
    first, last = _own(user, newest), _own(user, oldest)
    if first is None or last is None:
        return 0
    line = _same(first).filter(created_at__range=(last.created_at, first.created_at))
    rows = line if first.kind in GROUPED else line.filter(pk=first.pk)
    return rows.filter(read_at=None).update(read_at=at)


def _same(notice: Notification) -> QuerySet[Notification]:
    return Notification.objects.filter(
        user=notice.user_id, kind=notice.kind, competition=notice.competition
    )
