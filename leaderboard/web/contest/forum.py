"""The forum (게시판) of a contest: its threads, one thread, one post, and the organizers' page."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, ClassVar, NamedTuple
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.core.paginator import Page
from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.accounts.models import User
from leaderboard.accounts.names import may_be_number
from leaderboard.accounts.rate_limits import count
from leaderboard.accounts.sign_in import address_of
from leaderboard.actions import forum as actions
from leaderboard.actions.teams import NOT_NAMED
from leaderboard.boards.visibility import Viewer
from leaderboard.community import forum as reading
from leaderboard.community.announcements import announcements
from leaderboard.community.models import Post, Thread
from leaderboard.refusals import Refused
from leaderboard.teams.models import Membership
from leaderboard.web import errors, lookups, markdown
from leaderboard.web.forms import LinesField, reason_form
from leaderboard.web.page import ContestPage, DeskPage, page
from leaderboard.web.page_chrome import CONTEST, EVERY_ROLE, Entry

THREADS_SHOWN = 30
POSTS_SHOWN = 20
ANNOUNCED = 3
MARKDOWN = gettext_lazy(
    "Markdown: **bold**, `code`, lists, tables, and ``` around a block of code. Write a link as "
    "<https://…>. Images are not shown."
)


# --- Who wrote -----------------------------------------------------------------------------------


class Byline(NamedTuple):
    """Who wrote something, as this reader may read it. `team`: where it says more than the name."""

    name: str
    team: str = ""


def bylines(viewer: Viewer, people: Iterable[User]) -> dict[int, Byline]:
    """By key of the account. One query.

    A username that may be a student number is read by editors and its owner alone; for all others
    the team's name stands there, which is on the board as well.
    """
    known = {person.pk: person for person in people}
    rows = Membership.objects.filter(competition=viewer.competition, user__in=list(known))
    teams = dict(rows.values_list("user", "team__name"))
    return {key: _byline(viewer, person, teams.get(key, "")) for key, person in known.items()}


def _byline(viewer: Viewer, person: User, team: str) -> Byline:
    if person.closed_at is not None:
        return Byline(_("Closed account"))
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
        help_text=gettext_lazy("Only you and the organizers can read a private inquiry."),
    )
    title = forms.CharField(label=gettext_lazy("Title"), max_length=actions.TITLE_LENGTH)
    field_order = ("kind", "title", "text")


Why = reason_form(actions.REASON_LENGTH)


# --- The forum -----------------------------------------------------------------------------------


class ForumPage(ContestPage):
    """A page of the forum, for those who read it, or who write there. The others' way: sign in,
    or join."""

    tab = "forum"
    is_read: ClassVar[bool] = True

    def way_in(self) -> HttpResponse | None:
        if self.is_read and reading.may_read_forum(
            self.competition, takes_part=self.viewer.team is not None, runs_it=self.runs_it
        ):
            return None
        return self.way_to_write()

    def way_to_write(self) -> HttpResponse | None:
        """Who takes part or runs the contest writes; the others' way to it."""
        return None if self.may_write else lookups.way_in(self.request, self.competition)

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


def thread_lines(threads: Iterable[Thread], by: Mapping[int, Byline]) -> list[dict[str, Any]]:
    """These threads as lists show them."""
    return [
        {
            "thread": thread,
            "by": by[thread.author_id],
            "last_page": max(1, -(-thread.posts // POSTS_SHOWN)),
        }
        for thread in threads
    ]


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

    def context(self) -> dict[str, Any]:
        wanted = reading.to_search(self.request.GET.get("q", ""))
        kind = self.request.GET.get("kind", "")
        rows = self.threads.filter(kind=kind) if kind in Thread.Kind.values else self.threads
        pinned: list[Thread] = []
        listed: QuerySet[Thread] | list[Thread] = rows
        whole = not wanted and kind not in Thread.Kind.values
        first = whole and lookups.page_number(self.request) == 1
        if wanted:
            listed = reading.searched(self.competition, rows, wanted, runs_it=self.runs_it)
        elif whole:
            listed = rows.filter(pinned_at=None)
        if first:
            pinned = list(rows.exclude(pinned_at=None).order_by("-pinned_at"))
        found: Page[Any] = lookups.page_of(self.request, listed, THREADS_SHOWN)
        shown = [*pinned, *found]
        by = bylines(self.viewer, [thread.author for thread in shown])
        return {
            "announcements": announcements(
                self.competition, self.request.user, runs_it=self.runs_it
            )[: ANNOUNCED if first else 0],
            "pages": found,
            "lines": thread_lines(shown, by),
            "q": wanted,
            "kind": kind,
            "kinds": Thread.Kind.choices,
            "may_write": self.may_write,
        }


class WritingPage(ForumPage):
    """A page with a box for a text, which is looked at before it is sent."""

    def do_preview(self) -> HttpResponse:
        """What was typed as it would look; nothing is kept."""
        text = actions.clean_text(self.request.POST.get("text", ""))
        count(actions.PREVIEWS, self.user.pk, self.at)
        return self.show(preview=markdown.preview_post(text))

    def form(self, verb: str, **options: Any) -> forms.Form:
        """What is previewed stays in its form."""
        if self.bound is not None and self.verb == "preview" and self.beside.get(verb, "") is None:
            return self.bound
        return super().form(verb, **options)


@page("forum/new", "new_thread")
class NewThread(WritingPage):
    """`/c/<slug>/forum/new`: what is asked, told or shared; looked at before it is sent."""

    template = "new_thread.html"
    is_read = False
    default = "start"
    forms: ClassVar = {"start": ThreadForm, "preview": ThreadForm}
    beside: ClassVar = {"start": None}

    def do_start(self) -> HttpResponse:
        thread = actions.start_thread(**self.who, **self.typed())
        return redirect("thread", slug=self.competition.slug, thread_id=thread.pk)

    def context(self) -> dict[str, Any]:
        kind = self.request.GET.get("kind", Thread.Kind.QUESTION)
        return {"form": self.form("start", initial={"kind": kind})}


@page("forum/<uuid:thread_id>", "thread")
class ThreadPage(WritingPage):
    """`/c/<slug>/forum/<id>`: its posts in pages, the answer below the question, and what can be
    done about the thread."""

    template = "thread.html"
    default = "reply"
    forms: ClassVar = {"reply": ReplyForm, "preview": ReplyForm, "hide": Why}
    beside: ClassVar = {"reply": None, "hide": "reason"}
    verbs: ClassVar = {
        "follow": (
            partial(actions.follow, follows=True),
            gettext_lazy("You get a notice about each new post in this thread."),
        ),
        "unfollow": (
            partial(actions.follow, follows=False),
            gettext_lazy("You no longer get notices about new posts in this thread."),
        ),
        "unanswer": (
            actions.unmark_answer,
            gettext_lazy("The answer is no longer marked."),
        ),
        "hide": (
            actions.hide_thread,
            gettext_lazy("The thread is hidden, and its author was notified of the reason."),
        ),
        "unhide": (actions.show_thread, gettext_lazy("The thread is shown again.")),
    }
    ids = "{verb}_%s"
    about = "thread"
    thread: Any  # a Thread, with what `reading.with_following` adds

    def open(self, **address: UUID) -> None:
        rows = reading.with_following(self.threads, self.request.user)
        self.thread = get_object_or_404(rows, pk=address["thread_id"])
        self.thread.competition = self.competition

    def do_reply(self) -> HttpResponse:
        post = actions.reply(**self.who, **self.typed())
        return redirect(post_address(post))

    def do_answer(self) -> str:
        post = get_object_or_404(self.thread.all_posts, pk=self.key())
        actions.mark_answer(post=post, user=self.user, at=self.at)
        return _("The answer is now shown below the question.")

    def do_pin(self) -> None:
        actions.pin(pinned=self.thread.pinned_at is None, **self.who)

    def do_lock(self) -> None:
        actions.close(locked=self.thread.locked_at is None, **self.who)

    def context(self) -> dict[str, Any]:
        thread = self.thread
        posts: Page[Any] = lookups.page_of(self.request, reading.posts_for(thread), POSTS_SHOWN)
        shown = list(posts)
        answer = None
        if thread.answered and posts.number == 1 and not any(post.answers for post in shown[:2]):
            answer = reading.posts_for(thread).filter(answers=True).first()
        known = [post.author for post in (*shown, *([answer] if answer else []))]
        self.by = bylines(self.viewer, known)
        lines = [self._line(post) for post in shown]
        own = thread.author_id == self.request.user.pk
        closed = thread.deleted_at is not None or (
            thread.locked_at is not None and not self.runs_it
        )
        return {
            "thread": thread,
            "pages": posts,
            "lines": lines,
            "answer": self._line(answer) if answer else None,
            "own": own,
            "runs_it": self.runs_it,
            "may_write": self.may_write and not closed,
            "may_answer": thread.asks and self.may_write and (own or self.runs_it),
            "form": self.form("reply"),
            "hide": self.form("hide") if self.runs_it else None,
        }

    def _line(self, post: Any) -> dict[str, Any]:
        """A post as it is shown. `html` is None where its words are not for this reader."""
        user = self.request.user
        words = post.deleted_at is None and reading.reads_words(post, user, runs_it=self.runs_it)
        own = post.author_id == user.pk
        return {
            "post": post,
            "by": self.by[post.author_id],
            "html": markdown.render_post(post.text) if words else None,
            "own": own,
            "reported": self.runs_it and post.reported,
        }


def post_address(post: Post) -> str:
    """Where the post stands, on its page of its thread."""
    earlier = Q(at__lt=post.at) | Q(at=post.at, pk__lt=post.pk)
    number = 1 + post.thread.all_posts.filter(earlier).count() // POSTS_SHOWN
    where = reverse("thread", args=[post.thread.competition.slug, post.thread_id])
    return f"{where}{f'?page={number}' if number > 1 else ''}#{post.pk}"


class EditForm(TextForm):
    """The title is asked for with the first post alone."""

    title = forms.CharField(
        label=gettext_lazy("Title"), max_length=actions.TITLE_LENGTH, required=False
    )


@page("forum/<uuid:thread_id>/<uuid:post_id>", "post")
class PostPage(WritingPage):
    """`/c/<slug>/forum/<thread>/<post>`: one's own to edit or delete, others' to report or hide."""

    template = "post.html"
    is_read = False
    forms: ClassVar = {
        "edit": EditForm,
        "preview": EditForm,
        "report": Why,
        "hide": Why,
    }
    beside: ClassVar = {"edit": None, "report": "reason", "hide": "reason"}
    verbs: ClassVar = {
        "edit": (actions.edit_post, gettext_lazy("Changed. It is marked as edited.")),
        "report": (actions.report, gettext_lazy("The organizers have been notified.")),
        "hide": (
            actions.hide_post,
            gettext_lazy("The post is hidden, and its author was notified of the reason."),
        ),
        "unhide": (actions.show_post, gettext_lazy("The post is shown again.")),
        "dismiss": (
            actions.dismiss_reports,
            gettext_lazy("The reports are settled, and the post stays."),
        ),
    }
    about = "post"
    ids = "{verb}_%s"
    post: Post

    def open(self, **address: UUID) -> None:
        thread = get_object_or_404(self.threads, pk=address["thread_id"])
        self.post = get_object_or_404(reading.posts_for(thread), pk=address["post_id"])
        thread.competition = self.competition
        self.post.thread = thread
        if not self.runs_it and (
            self.post.deleted_at is not None
            or not reading.reads_words(self.post, self.request.user, runs_it=False)
        ):
            raise Http404

    def address(self) -> str:
        return post_address(self.post)

    def do_delete(self) -> HttpResponse:
        thread = actions.delete_post(**self.who).thread
        messages.success(self.request, _("Deleted."))
        is_over = self.post.opens or thread.deleted_at is not None
        return redirect("forum", self.competition.slug) if is_over else self.done()

    def context(self) -> dict[str, Any]:
        post = self.post
        reports = list(post.reports.select_related("user")) if self.runs_it else []
        by = bylines(self.viewer, [post.author, *(row.user for row in reports)])
        return {
            "thread": post.thread,
            "post": post,
            "by": by[post.author_id],
            "html": markdown.render_post(post.text) if post.deleted_at is None else None,
            "own": post.author_id == self.user.pk,
            "runs_it": self.runs_it,
            "back": self.address(),
            "form": self.form("edit", initial={"title": post.thread.title, "text": post.text}),
            "report": self.form("report"),
            "hide": self.form("hide"),
            "reports": [(row, by[row.user_id]) for row in reports],
        }


FIRST = 30  # of those who wait and of what is reported: the others come when these are done


@page(
    "desk/forum",
    "desk_forum",
    Entry(CONTEST, pgettext_lazy("contest", "Forum"), 45, who=EVERY_ROLE),
)
class DeskForum(DeskPage):
    """`/c/<slug>/desk/forum`: for every organizer. What is decided, is decided at the thread."""

    template = "desk/forum.html"

    def is_for(self) -> bool:
        return self.viewer.role is not None

    def context(self) -> dict[str, Any]:
        waiting = list(reading.waiting(self.competition)[:FIRST])
        reports = list(reading.open_reports(self.competition)[:FIRST])
        people = [thread.author for thread in waiting]
        people += [person for row in reports for person in (row.user, row.post.author)]
        by = bylines(self.viewer, people)

        return {
            "waiting": thread_lines(waiting, by),
            "reports": [(row, by[row.post.author_id], by[row.user_id]) for row in reports],
            "first": FIRST,
        }
