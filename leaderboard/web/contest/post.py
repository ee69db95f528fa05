"""One post of a forum, and what can be done about it."""

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import messages
from django.forms import CharField, Form
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.actions import forum as actions
from leaderboard.actions import moderation
from leaderboard.community import reading
from leaderboard.community.models import Post
from leaderboard.web import markdown
from leaderboard.web.contest.forum import (
    ForumPage,
    TextForm,
    WhyForm,
    bylines,
)
from leaderboard.web.contest.thread import page_of_post, post_address
from leaderboard.web.page import page


class EditForm(TextForm):
    """The title is asked for with the first post alone."""

    title = CharField(label=gettext_lazy("Title"), max_length=actions.TITLE_LENGTH, required=False)


@page("forum/<uuid:thread_id>/<uuid:post_id>", "post")
class PostPage(ForumPage):
    """`/c/<slug>/forum/<thread>/<post>`: one's own to edit or delete, others' to report or hide."""

    template = "post.html"
    forms: ClassVar = {
        "edit": EditForm,
        "preview": EditForm,
        "report": WhyForm,
        "hide": WhyForm,
    }
    beside: ClassVar = {"edit": None, "report": "reason", "hide": "reason"}
    post: Post

    def way_in(self) -> HttpResponse | None:
        return self.way_to_write()

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
        return post_address(self.post, self.number())

    def number(self) -> int:
        """The page of the thread that it stands on."""
        return page_of_post(self.post)

    def _on_post(self) -> dict[str, Any]:
        return {"post": self.post, "user": self.user, "at": self.at}

    def do_edit(self) -> str:
        actions.edit_post(**self._on_post(), **self.typed())
        return _("Changed. It is marked as edited.")

    def do_delete(self) -> HttpResponse:
        thread = actions.delete_post(**self._on_post()).thread
        messages.success(self.request, _("Deleted."))
        is_over = self.post.opens or thread.deleted_at is not None
        return redirect("forum", self.competition.slug) if is_over else self.done()

    def do_report(self) -> str:
        actions.report(**self._on_post(), **self.typed())
        return _("The organizers were told.")

    def do_hide(self) -> str:
        moderation.hide_post(**self._on_post(), **self.typed())
        return _("The post is hidden. Its author was told why.")

    def do_unhide(self) -> str:
        moderation.show_post(**self._on_post())
        return _("The post is shown again.")

    def do_dismiss(self) -> str:
        moderation.dismiss_reports(**self._on_post())
        return _("The reports are settled; the post stays.")

    def form(self, verb: str, **options: Any) -> Form:
        if verb == "edit" and self.verb == "preview" and self.bound is not None:
            return self.bound
        return super().form(verb, **options)

    def auto_id(self, verb: str) -> str:
        return f"{verb}_%s"

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
