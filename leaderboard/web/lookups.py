"""The request, and what is looked up for who asks: what they may not know of is a 404."""

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import date, datetime, time
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import cached_property
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from leaderboard.accounts.models import User
from leaderboard.boards.visibility import Viewer, may_read, viewer_of_address
from leaderboard.competitions.models import Competition, Terms
from leaderboard.competitions.registration import may_read_unjoined, terms_due
from leaderboard.competitions.schedule import Clock, Phase, day, phase
from leaderboard.teams.models import Membership, Team


class WebRequest(HttpRequest):
    """An `HttpRequest` after our middleware: entry time, htmx details and the signed-in user.

    `received_at`: when its body was complete. `now`: the clock, for actions that wait. `sent`: the
    bytes of its body, None where only its end would tell (chunked). `opened`: what is closed when
    it is answered.
    """

    received_at: datetime
    now: Clock
    sent: int | None
    opened: ExitStack
    htmx: HtmxDetails
    user: User | AnonymousUser
    viewer: Viewer | None


def viewer(request: WebRequest, slug: str) -> Viewer:
    """This request's look at the contest of this address; a 404 if they may not know of it."""
    known: Viewer | None = getattr(request, "viewer", None)
    if known is None or known.competition.slug != slug:
        known = viewer_of_address(slug, request.user, request.received_at)
        if known is None:
            raise Http404
        request.viewer = known
    return known


def person(request: HttpRequest) -> User:
    """The signed-in person. Only for views behind `login_required`."""
    assert isinstance(request.user, User)
    return request.user


def own_team(request: WebRequest, slug: str) -> Team | None:
    """The person's team in the contest, in one query: what hands something in shows no contest."""
    if not isinstance(request.user, User):
        return None
    rows = Membership.objects.filter(user=request.user, competition__slug=slug)
    rows = rows.exclude(competition__state=Competition.State.DELETED)
    member = rows.select_related("team", "competition").first()
    if member is None:
        return None
    member.team.competition = member.competition
    return member.team


def way_in(request: WebRequest, found: Competition) -> HttpResponse | None:
    """None for who has a team in the contest; the others' way to one: sign in, then join."""
    if not isinstance(request.user, User):
        if not request.htmx:
            return redirect_to_login(request.get_full_path())
        # Of a part of a page the whole page leaves: its person was signed out elsewhere.
        page = request.htmx.current_url_abs_path or "/"
        return HttpResponseClientRedirect(redirect_to_login(page).url)
    if viewer(request, found.slug).team is not None:
        return None
    return redirect_to_login(request.get_full_path(), reverse("join", args=[found.slug]))


class WayToFiles(NamedTuple):
    """What stands between somebody and a contest's files; `terms` are a wording to accept first."""

    must_join: bool
    terms: Terms | None
    is_early: bool


def way_to_files(seen: Viewer, *, unjoined: bool = True) -> WayToFiles:
    """For participants from the start on, for organizers always.

    `unjoined`: also for who may read a finished contest's files without taking part.
    """
    user, competition = seen.user, seen.competition
    reads = seen.team is not None or seen.role is not None or (unjoined and _reads_unjoined(seen))
    return WayToFiles(
        must_join=not reads,
        terms=terms_due(user, competition)
        if isinstance(user, User) and takes_terms(seen)
        else None,
        is_early=seen.role is None and phase(competition, seen.at) is Phase.UPCOMING,
    )


def takes_terms(seen: Viewer) -> bool:
    """Whether the contest's terms are this person's to accept. Organizers accept nothing."""
    return seen.team is not None or (seen.role is None and _reads_unjoined(seen))


def _reads_unjoined(seen: Viewer) -> bool:
    return isinstance(seen.user, User) and may_read_unjoined(seen.competition, seen.at)


def editors(request: WebRequest, /, slug: str, **_: object) -> HttpResponse | None:
    """A `Sender`: owners and editors. A visitor is led to sign in, for others it is a 404."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path())
    if not viewer(request, slug).edits:
        raise Http404
    return None


def way_to_boards(request: WebRequest, found: Viewer) -> HttpResponse | None:
    """None for who may read boards of the contest, else the way there: sign in, or join."""
    return None if may_read(found) else way_in(request, found.competition)


def key(text: str) -> UUID:
    """A key as it was sent; a 404 for anything else."""
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None


def number(text: str, *, digits: int = 18) -> int:
    """A whole number as it was sent; 0 for anything else."""
    return int(text) if text.isdecimal() and len(text) <= digits else 0


def page_number(request: WebRequest) -> int:
    """The page that the address asks for; 1 for anything that is no sensible number."""
    return max(number(request.GET.get("page", ""), digits=6), 1)


class Pages(Paginator[Any]):
    """Reads a page behind the middle from the end, so that the last costs what the first does.

    most: so many rows are paged through, and of more nobody counts them: one searches.
    """

    def __init__(self, rows: Sequence[Any] | QuerySet[Any], size: int, most: int | None) -> None:
        super().__init__(rows, size)
        self.most = most

    @cached_property
    def _counted(self) -> int:
        rows = self.object_list
        if self.most is None or not isinstance(rows, QuerySet):
            return int(super().count)
        return int(rows.order_by()[: self.most + 1].count())

    @cached_property
    def count(self) -> int:
        return self._counted if self.most is None else min(self._counted, self.most)

    @property
    def is_cut(self) -> bool:
        """Whether there are more rows than these."""
        return self._counted > self.count

    def page(self, number: int | str) -> Page[Any]:
        number = self.validate_number(number)
        first = (number - 1) * self.per_page
        rows = self.object_list
        if not isinstance(rows, QuerySet) or first <= self.count // 2:
            return super().page(number)
        if self.is_cut:
            # By their keys: else all that is read beside a row is read of the skipped ones, too.
            keys = rows.values_list("pk", flat=True)[first : first + self.per_page]
            return Page(list(rows.filter(pk__in=list(keys))), number, self)
        last = min(first + self.per_page, self.count)
        found = list(rows.reverse()[self.count - last : self.count - first])
        return Page(found[::-1], number, self)


def page_of(
    request: WebRequest,
    rows: Sequence[Any] | QuerySet[Any],
    size: int,
    most: int | None = None,
) -> Page[Any]:
    """The page of these rows that the address asks for; the last one for any beyond it.

    most: as of `Pages`, for lists that may have a million rows.
    """
    return Pages(rows, size, most).get_page(page_number(request))


def midnight_of(text: str, found: Competition) -> datetime | None:
    """The midnight with which a date begins in the contest's zone; None without one.

    Also for a later one than any board has: nothing changes after that of the close.
    """
    try:
        asked = date.fromisoformat(text)
    except ValueError:
        return None
    if not 1970 < asked.year < 9000:  # no contest has these years, and clocks cannot count there
        return None
    instant = datetime.combine(asked, time.min, tzinfo=found.zoneinfo)
    return instant if instant <= day(found, found.closes_at).ends_at else None
