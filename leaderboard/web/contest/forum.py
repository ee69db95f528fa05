"""The forum (게시판) of a contest: its threads, and starting one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlencode
from uuid import uuid4

from django import forms
from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.accounts.models import User
from leaderboard.accounts.names import may_be_number
from leaderboard.accounts.sign_in import address_of
from leaderboard.actions import forum as actions
from leaderboard.actions.refusals import Refused, count
from leaderboard.actions.teams import NOT_NAMED
from leaderboard.boards.visibility import Viewer
from leaderboard.community import reading
from leaderboard.community.announcements import announcements
from leaderboard.community.models import Announcement, Thread
from leaderboard.teams.queries import team_names
from leaderboard.web import errors, find, markdown
from leaderboard.web.forms import LinesField
from leaderboard.web.page import ContestPage, page

THREADS_SHOWN = 30
POSTS_SHOWN = 20
ANNOUNCED = 3
MARKDOWN = gettext_lazy(
    "Markdown: **bold**, `code`, lists, tables, and ``` around a block of code. An address is a "
    "link within < and >: <https://…>. Pictures are not shown."
)


# --- Who wrote -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Byline:
    """Who wrote something, as this reader may read it. `team`: where it says more than the name."""

    name: str
    team: str = ""


def bylines(viewer: Viewer, people: Iterable[User]) -> dict[int, Byline]:
    """By key of the account. One query.

    A username that may be a student number is read by editors and its owner alone; for all others
    the team's name stands there, which is on the board as well.
    """
    known = {person.pk: person for person in people}
    teams = team_names(viewer.competition, known)
    return {key: _byline(viewer, person, teams.get(key, "")) for key, person in known.items()}


def _byline(viewer: Viewer, person: User, team: str) -> Byline:
    if person.closed_at is not None:
        return Byline(_("Somebody who left"))
    if may_be_number(person.username) and not viewer.edits and viewer.user.pk != person.pk:
        return Byline(team or NOT_NAMED)
    return Byline(person.username, "" if team == person.username else team)


# --- Forms ---------------------------------------------------------------------------------------


class TextForm(forms.Form):
    text = LinesField(
        label=gettext_lazy("Content"),
        max_length=actions.TEXT_LENGTH,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=MARKDOWN,
    )


class ReplyForm(TextForm):
    """`key` makes a repeated click one post; a form without it is a post each time."""

    key = forms.CharField(
        required=False, max_length=64, widget=forms.HiddenInput, initial=lambda: uuid4().hex
    )


class ThreadForm(ReplyForm):
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"),
        choices=Thread.Kind.choices,
        help_text=gettext_lazy("A private inquiry is read by you and the organizers alone."),
    )
    title = forms.CharField(label=gettext_lazy("Title"), max_length=actions.TITLE_LENGTH)
    field_order = ("kind", "title", "text")


class WhyForm(forms.Form):
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=actions.REPORT_LENGTH)


# --- The forum -----------------------------------------------------------------------------------


class ForumPage(ContestPage):
    """A page of the forum, for those who read it. The others' way: sign in, or join."""

    tab = "forum"

    def way_in(self) -> HttpResponse | None:
        if reading.may_read_forum(
            self.competition, takes_part=self.viewer.team is not None, runs_it=self.runs_it
        ):
            return None
        return self.way_to_write()

    def way_to_write(self) -> HttpResponse | None:
        """Who takes part or runs the contest writes; the others' way to it."""
        if self.may_write:
            return None
        way = find.team_or_way_in(self.request, self.competition)
        assert isinstance(way, HttpResponse)
        return way

    def answer(self) -> HttpResponseBase:
        return self.way_to_write() or super().answer()

    @property
    def runs_it(self) -> bool:
        return self.viewer.role is not None

    @property
    def may_write(self) -> bool:
        return self.runs_it or self.viewer.team is not None

    @property
    def threads(self) -> QuerySet[Thread]:
        return reading.threads_for(self.competition, self.request.user, runs_it=self.runs_it)

    def do_preview(self) -> HttpResponse:
        """What was typed as it would look; nothing is kept."""
        text = actions.clean_text(self.request.POST.get("text", ""))
        count(actions.PREVIEWS, str(self.user.pk), self.at)
        return self.show(preview=markdown.preview_post(text))


@dataclass(frozen=True)
class ThreadLine:
    thread: Thread
    by: Byline
    unread: bool
    last_page: int


def thread_lines(page: ForumPage, threads: Iterable[Thread]) -> list[ThreadLine]:
    """These threads as lists show them. Two queries."""
    threads = list(threads)
    by = bylines(page.viewer, [thread.author for thread in threads])
    unread = reading.unread(threads, page.competition, page.request.user)
    return [
        ThreadLine(thread, by[thread.author_id], thread.pk in unread, last_page(thread))
        for thread in threads
    ]


def last_page(thread: Thread) -> int:
    return max(1, -(-thread.posts // POSTS_SHOWN))


@page("forum", "forum")
class Forum(ForumPage):
    """`/c/<slug>/forum`: announcements, pinned threads, all others by their last post.

    `?q=` looks for words, `?kind=` leaves out all but one kind.
    """

    template = "forum.html"

    def respond(self) -> HttpResponseBase:
        """Whatever shows the page searches."""
        searches = reading.to_search(self.request.GET.get("q", ""))
        if searches and not self.request.user.is_authenticated:
            try:
                count(actions.SEARCHES, f"address {address_of(self.request)}", self.at)
            except Refused as refusal:
                return errors.refused(self.request, refusal)
        return super().respond()

    def do_read_all(self) -> str:
        actions.mark_all_read(**self.who)
        return _("Everything is marked as read.")

    def address(self) -> str:
        return reverse("forum", args=[self.competition.slug])

    def context(self) -> dict[str, Any]:
        wanted = reading.to_search(self.request.GET.get("q", ""))
        kind = self.request.GET.get("kind", "")
        rows = self.threads.filter(kind=kind) if kind in Thread.Kind.values else self.threads
        pinned: list[Thread] = []
        listed: QuerySet[Thread] | list[Thread] = rows
        whole = not wanted and kind not in Thread.Kind.values
        first = whole and find.page_number(self.request) == 1
        if wanted:
            listed = reading.searched(self.competition, rows, wanted, runs_it=self.runs_it)
        elif whole:
            listed = rows.filter(pinned_at=None)
        if first:
            pinned = list(rows.exclude(pinned_at=None).order_by("-pinned_at"))
        found: Page[Any] = find.page_of(self.request, listed, THREADS_SHOWN)
        return {
            "announcements": self._announced() if first else [],
            "pages": found,
            "lines": thread_lines(self, [*pinned, *found]),
            "q": wanted,
            "view": urlencode({"q": wanted, "kind": kind}),
            "kind": kind,
            "kinds": Thread.Kind.choices,
            "may_write": self.may_write,
        }

    def _announced(self) -> list[Announcement]:
        return announcements(self.competition, self.request.user, runs_it=self.runs_it)[:ANNOUNCED]


@page("forum/new", "new_thread")
class NewThread(ForumPage):
    """`/c/<slug>/forum/new`: what is asked, told or shared; looked at before it is sent."""

    template = "new_thread.html"
    default = "start"
    forms: ClassVar = {"start": ThreadForm, "preview": ThreadForm}
    beside: ClassVar = {"start": None}

    def way_in(self) -> HttpResponse | None:
        return self.way_to_write()

    def do_start(self) -> HttpResponse:
        thread = actions.start_thread(**self.who, **self.typed())
        return redirect("thread", slug=self.competition.slug, thread_id=thread.pk)

    def context(self) -> dict[str, Any]:
        kind = self.request.GET.get("kind", Thread.Kind.QUESTION)
        return {"form": self.bound or ThreadForm(initial={"kind": kind})}
