"""The desk's page on which the answer to an inquiry becomes an announcement to all."""

from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.actions.publishing import answer_to_publish, publish_answer
from leaderboard.actions.refusals import Refused
from leaderboard.community.models import Thread
from leaderboard.community.reading import inquiries, posts_for
from leaderboard.competitions.models import Competition
from leaderboard.web import errors, find
from leaderboard.web.contest.forum import bylines
from leaderboard.web.find import WebRequest
from leaderboard.web.forms import CorrectionForm
from leaderboard.web.page import DeskPage, page

SHOWN = 50  # posts of an inquiry


class PublishForm(CorrectionForm):
    pinned = forms.BooleanField(label=gettext_lazy("Pin to the top"), required=False)


@page("desk/inquiries/<uuid:inquiry_id>/publish", "publish_answer")
class PublishAnswer(DeskPage):
    """`/c/<slug>/desk/inquiries/<id>/publish`: for every organizer, who all answer and announce."""

    tab = "desk_announcements"
    template = "desk/publish_answer.html"
    default = "publish"
    forms = {"publish": PublishForm}
    inquiry: Thread

    @staticmethod
    def known(request: WebRequest, slug: str) -> Competition:
        return find.competition_to_speak_in(request, slug)

    def open(self, **address: UUID) -> None:
        rows = inquiries(self.competition).select_related("competition", "author")
        self.inquiry = get_object_or_404(rows, pk=address["inquiry_id"])

    def do_publish(self) -> HttpResponse | str:
        wanted = {"inquiry": self.inquiry, "user": self.user, **self.typed()}
        try:
            return self.second_step(publish_answer, _("Announced."), **wanted)
        except Refused as refusal:
            return self.at_field("text", errors.whole(refusal), refusal.status)

    def address(self) -> str:
        return reverse("desk_announcements", args=[self.competition.slug])

    def context(self) -> dict[str, Any]:
        posts = list(posts_for(self.inquiry).filter(deleted_at=None)[:SHOWN])
        by = bylines(self.viewer, [post.author for post in posts])
        return {
            "inquiry": self.inquiry,
            "posts": [(post, by[post.author_id]) for post in posts],
            "form": self.form("publish", initial={"text": answer_to_publish(self.inquiry)}),
        }
