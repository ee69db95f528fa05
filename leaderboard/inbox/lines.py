"""The inbox as it is read, on its page and in a mail: what is said, and where it leads."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, tzinfo
from typing import NamedTuple
from uuid import UUID

from django.db import OperationalError
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.inbox.models import Notification

Kind = Notification.Kind

# A day's notices of one of these kinds and of one contest are one line.
GROUPED = frozenset({Kind.SCORED, Kind.FAILED, Kind.REFUNDED, Kind.POSTED})


class Way(NamedTuple):
    """Where a notice leads: a page, found by these of the notice's own facts.

    `names`: keys of its data; `subject` is what it is about. Pages are of its contest, but for
    those that are not `in_contest`.
    """

    page: str
    names: tuple[str, ...] = ()
    part: str = ""
    in_contest: bool = True


WAYS = {
    Kind.SCORED: Way("submission", ("subject",)),
    Kind.FAILED: Way("submission", ("subject",)),
    Kind.REFUNDED: Way("submission", ("subject",)),
    Kind.EXCLUDED: Way("submission", ("submission",)),
    Kind.GRANTED: Way("ledger"),
    # Its person may not know of the contest yet.
    Kind.INVITED: Way("invitation", ("subject",), in_contest=False),
    Kind.ASKED: Way("overview"),
    f"{Kind.ASKED}.asked": Way("desk_people", part="#requests"),
    Kind.MERGED: Way("team"),
    Kind.TEAM: Way("team"),
    Kind.ANSWERED: Way("thread", ("subject",)),
    Kind.POSTED: Way("thread", ("subject",)),
    Kind.REPORTED: Way("desk_forum"),
    Kind.ANNOUNCED: Way("overview", part="#announcements"),
    f"{Kind.WARNED}.forum": Way("thread", ("thread",)),
    Kind.ACCOUNT: Way("settings", in_contest=False),
    Kind.REVEALED: Way("shake_up"),
}
"""By kind, or by kind and what it is `about`."""

HEADINGS = {
    Kind.SCORED: _("Scoring is done"),
    Kind.FAILED: _("Scoring failed on our side"),
    Kind.REVEALED: _("The results are out"),
    f"{Kind.ANNOUNCED}.edited": _("Corrected announcement"),
    f"{Kind.ANNOUNCED}.changed": _("The competition has changed"),
}


def heading(notice: Notification) -> str:
    """What happened, in the language that is being spoken."""
    about = "edited" if notice.data.get("edited") else notice.data.get("about", "")
    said = HEADINGS.get(f"{notice.kind}.{about}") or HEADINGS.get(notice.kind)
    return str(said or notice.get_kind_display())


def address(notice: Notification, *, known: bool) -> str:
    """The page that the notice leads to; empty where there is none.

    `known`: its person may know of its contest.
    """
    leads = WAYS.get(f"{notice.kind}.{notice.data.get('about', '')}") or WAYS.get(notice.kind)
    facts = {**notice.data, "subject": notice.subject}
    if leads is None or (leads.in_contest and not known):
        return ""
    if (leads.in_contest and not notice.competition_slug) or not facts.keys() >= set(leads.names):
        return ""
    named = [facts[name] for name in leads.names]
    args = [notice.competition_slug, *named] if leads.in_contest else named
    return reverse(leads.page, args=args) + leads.part


def grouped(rows: Iterable[Notification], zone: tzinfo) -> list[list[Notification]]:
    """These notices as lines: thirteen scores of one day are one. The order is that of the rows."""
    found: dict[tuple[object, ...], list[Notification]] = {}
    for row in rows:
        key: tuple[object, ...] = (row.pk,)
        if row.kind in GROUPED or row.data.get("about") == "changed":
            key = (row.kind, row.competition, row.created_at.astimezone(zone).date())
        found.setdefault(key, []).append(row)
    return list(found.values())


def read_about(*, user: User, subject: UUID, at: datetime) -> None:
    """Who opens what it is about, has read the notice: a submission of one's own. While the
    database is busy the notice stays unread, and the page is shown all the same."""
    unread = Notification.objects.filter(user=user, read_at=None)
    of_it = unread.filter(Q(subject=subject) | Q(data__submission=str(subject)))
    if of_it.exists():
        with suppress(OperationalError):
            of_it.update(read_at=at)


MARKED = 2000  # rows of one write; others wait no longer than that takes


def mark_read(*, user: User, at: datetime) -> int:
    """Mark all of this person's as read, in short writes; answers how many rows that changed."""
    unread = Notification.objects.filter(user=user, read_at=None)
    rest, marked = unread, 0
    # Each write begins behind the last: what that one left dead is not walked again.
    times = rest.order_by("-created_at").values_list("created_at", flat=True)
    while ends := list(times[MARKED - 1 : MARKED]):
        marked += rest.filter(created_at__gte=ends[0]).update(read_at=at)
        rest = unread.filter(created_at__lt=ends[0])
        times = rest.order_by("-created_at").values_list("created_at", flat=True)
    return marked + rest.update(read_at=at)
