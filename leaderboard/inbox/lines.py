"""The inbox as it is read, on its page and in a mail: what is said, and where it leads."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import DateTimeField, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.inbox.models import Notification

Kind = Notification.Kind

WINDOW = 500  # rows that are made into lines at a time, however many a person has
EVER = datetime(1, 1, 1, tzinfo=UTC)  # before any notice

# A day's notices of one of these kinds and of one contest are one line.
GROUPED = frozenset({Kind.SCORED, Kind.FAILED, Kind.REFUNDED, Kind.POSTED})


@dataclass(frozen=True)
class InboxLink:
    """Where a notice leads: a page, found by these of the notice's own facts.

    `names`: keys of its data; `subject` is what it is about. Pages are of its contest, but for
    those that are not `in_contest`.
    """

    label: Promise
    page: str
    names: tuple[str, ...] = ()
    part: str = ""
    in_contest: bool = True


_SUBMISSION = InboxLink(_("See the result"), "submission", ("subject",))

WAYS = {
    Kind.SCORED: _SUBMISSION,
    Kind.FAILED: InboxLink(_("Details"), "submission", ("subject",)),
    Kind.REFUNDED: InboxLink(_("Details"), "submission", ("subject",)),
    Kind.EXCLUDED: InboxLink(_("Details"), "submission", ("submission",)),
    Kind.GRANTED: InboxLink(_("Quota ledger"), "ledger"),
    # Its person may not know of the contest yet.
    Kind.INVITED: InboxLink(_("See the invitation"), "invitation", ("subject",), in_contest=False),
    Kind.ASKED: InboxLink(_("To the competition"), "overview"),
    f"{Kind.ASKED}.asked": InboxLink(_("See and decide"), "desk_people", part="#requests"),
    Kind.MERGED: InboxLink(_("To your team"), "team"),
    Kind.TEAM: InboxLink(_("To your team"), "team"),
    Kind.ANSWERED: InboxLink(_("Read it"), "thread", ("subject",)),
    Kind.POSTED: InboxLink(_("Read it"), "thread", ("subject",)),
    Kind.REPORTED: InboxLink(_("See and decide"), "desk_forum"),
    Kind.ANNOUNCED: InboxLink(_("Read it"), "overview", part="#announcements"),
    f"{Kind.WARNED}.forum": InboxLink(_("Read it"), "thread", ("thread",)),
    Kind.ACCOUNT: InboxLink(_("Your tokens"), "tokens", in_contest=False),
    Kind.REVEALED: InboxLink(_("See the final ranks and the shake-up"), "shake_up"),
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


def way(notice: Notification) -> InboxLink | None:
    return WAYS.get(f"{notice.kind}.{notice.data.get('about', '')}") or WAYS.get(notice.kind)


def address(notice: Notification, *, known: bool) -> str:
    """The page that the notice leads to; empty where there is none.

    `known`: its person may know of its contest.
    """
    leads = way(notice)
    facts = {**notice.data, "subject": notice.subject}
    if leads is None or (leads.in_contest and not known):
        return ""
    if (leads.in_contest and not notice.competition_slug) or not facts.keys() >= set(leads.names):
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
class InboxLine:
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


def grouped(rows: Iterable[Row], zone: tzinfo) -> list[InboxLine]:
    """These rows as lines: thirteen scores of one day are one. The order is that of the rows."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        key: tuple[object, ...] = (row.pk,)
        if row.kind in GROUPED:
            key = (row.kind, row.competition, _day(row.created_at, zone))
        found.setdefault(key, []).append(row)
    return [InboxLine(tuple(each)) for each in found.values()]


def _day(at: datetime, zone: tzinfo) -> date:
    return at.astimezone(zone).date()


@dataclass(frozen=True)
class InboxFilter:
    """What of the inbox somebody wants to see; nothing said is all of it. `after`: an older part,
    which begins behind this notification."""

    competition: UUID | None = None
    kind: str = ""
    unread: bool = False
    after: UUID | None = None


def window(user: User, wanted: InboxFilter) -> list[Row]:
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


def shown(lines: Iterable[InboxLine], opened: UUID | None) -> dict[UUID, Notification]:
    """The newest notice of each of these lines, by key, and all of the one that is `opened`."""
    rows = (line.rows if line.newest.pk == opened else line.rows[:1] for line in lines)
    return Notification.objects.in_bulk([row.pk for line in rows for row in line])


def told_window(
    rows: QuerySet[Notification], after: UUID | None
) -> tuple[list[tuple[str, UUID]], UUID | None]:
    """What these notices say, the newest first: the kinds and subjects of their newest WINDOW, and
    the one `after` which there is more.

    Notices of one instant are never parted.
    """
    if after is not None and (last := rows.filter(pk=after).first()) is not None:
        rows = rows.filter(created_at__lt=last.created_at)
    # The times alone stand in the index, however many there are.
    times = rows.order_by("-created_at").values("created_at")
    end = Coalesce(Subquery(times[WINDOW - 1 : WINDOW]), Value(EVER), output_field=DateTimeField())
    keys = list(rows.filter(created_at__gte=end).values_list("kind", "subject", "pk"))
    more = keys[-1][2] if len(keys) >= WINDOW else None
    return list(dict.fromkeys((kind, subject) for kind, subject, _ in keys)), more


def told(found: Iterable[tuple[str, UUID]], rows: QuerySet[Notification]) -> list[dict[str, Any]]:
    """All of these notices of each of these kinds and subjects: one of them, the last, how many
    people they are for, and how many have not read theirs. One query.

    A decision that says something else to some of them is one for each thing said.
    """
    wanted = {key: defaultdict[str, list[Notification]](list) for key in found}
    # With the kinds the key of a person's notices finds them, however many the person has.
    kinds, subjects = ({key[place] for key in wanted} for place in (0, 1))
    for row in rows.filter(kind__in=kinds, subject__in=subjects):
        if (key := (row.kind, row.subject)) in wanted:
            wanted[key][json.dumps(row.data, sort_keys=True)].append(row)
    return [
        {
            "notice": own[0],
            "people": len(own),
            "unread": sum(row.read_at is None for row in own),
        }
        for said in wanted.values()
        for own in said.values()
    ]


MARKED = 2000  # rows of one write; others wait no longer than that takes


def mark_read(*, user: User, at: datetime) -> int:
    """Mark everything of this person as read, in short writes; answers how many rows that changed.

    Call it outside of a transaction.
    """
    unread = Notification.objects.filter(user=user, read_at=None)
    rest, marked = unread, 0
    # Each write begins behind the last: what that one left dead is not walked again.
    times = rest.order_by("-created_at").values_list("created_at", flat=True)
    while ends := list(times[MARKED - 1 : MARKED]):
        marked += rest.filter(created_at__gte=ends[0]).update(read_at=at)
        rest = unread.filter(created_at__lt=ends[0])
        times = rest.order_by("-created_at").values_list("created_at", flat=True)
    return marked + rest.update(read_at=at)


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
