"""The inbox as it is read, on its page and in a mail: what is said, and where it leads."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.inbox.models import Notification

Kind = Notification.Kind

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
    Kind.ACCOUNT: InboxLink(_("Your account"), "settings", in_contest=False),
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


def grouped(rows: Iterable[Notification], zone: tzinfo) -> list[list[Notification]]:
    """These notices as lines: thirteen scores of one day are one. The order is that of the rows."""
    found: dict[tuple[object, ...], list[Notification]] = {}
    for row in rows:
        key: tuple[object, ...] = (row.pk,)
        if row.kind in GROUPED:
            key = (row.kind, row.competition, row.created_at.astimezone(zone).date())
        found.setdefault(key, []).append(row)
    return list(found.values())


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
