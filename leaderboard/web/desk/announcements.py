"""The desk's announcements: what was said to whom, saying something new, putting it right.

Both reach inboxes: the first POST shows what would be said, the one from that page says it.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import prefetch_related_objects
from django.forms import Form, ModelMultipleChoiceField
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from leaderboard.actions import announcements as actions
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import earlier
from leaderboard.audit.models import AuditEvent
from leaderboard.community.announcements import announcements, may_correct
from leaderboard.community.models import Announcement
from leaderboard.community.reading import answered_inquiries
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import stamp
from leaderboard.teams.queries import participants
from leaderboard.web import find
from leaderboard.web.find import WebRequest
from leaderboard.web.forms import AnnouncementForm, CorrectionForm
from leaderboard.web.navigation import CONTEST, EVERY_ROLE, Entry
from leaderboard.web.page import DeskPage, page
from leaderboard.web.templatetags.formatting import spoken

SHOWN = 10  # inquiries whose answer may be published


@dataclass(frozen=True)
class SaidLine:
    """One announcement with its earlier words; the form is there for who may correct it, open while
    they do."""

    announcement: Announcement
    versions: list[AuditEvent]
    form: Form | None
    is_open: bool


@page(
    "desk/announcements",
    "desk_announcements",
    Entry(CONTEST, pgettext_lazy("desk", "Announcements"), 40, who=EVERY_ROLE),
)
class Announcements(DeskPage):
    """`/c/<slug>/desk/announcements`: for every organizer, assistants too."""

    template = "desk/announcements.html"
    default = "announce"
    correcting: Announcement | None = None

    @staticmethod
    def known(request: WebRequest, slug: str) -> Competition:
        return find.competition_to_speak_in(request, slug)

    def do_announce(self) -> HttpResponse | str:
        form = self.bound = self._form(self.request.POST)
        if not form.is_valid():
            return self.show(status=422)
        said = form.cleaned_data
        to_teams = said["audience"] == Announcement.Audience.TEAMS
        wanted: dict[str, Any] = {
            **said,
            "teams": list(said["teams"]) if to_teams else [],
            "competition": self.competition,
            "user": self.user,
        }
        try:
            return self.second_step(actions.announce, _("Announced."), **wanted)
        except Refused as refusal:
            place = "teams" if refusal.code == "unknown_audience" else "text"
            return self.at_field(place, spoken(refusal), refusal.status)

    def do_correct(self) -> HttpResponse | str:
        rows = Announcement.objects.select_related("competition")
        said = get_object_or_404(rows, competition=self.competition, pk=self.key())
        self.correcting = said
        form = self.bound = CorrectionForm(self.request.POST, auto_id=f"{said.pk}_%s")
        if not form.is_valid():
            return self.show(status=422)
        done = _("The announcement is corrected. Who was told was told the new words.")
        wanted = {"announcement": said, "user": self.user, **form.cleaned_data}
        try:
            return self.second_step(actions.correct_announcement, done, **wanted)
        except Refused as refusal:
            return self.at_field("text", spoken(refusal), refusal.status)

    def context(self) -> dict[str, Any]:
        said = announcements(self.competition, self.user, runs_it=True)
        prefetch_related_objects(said, "teams")
        versions = earlier(self.competition.pk, "announcement.corrected", [one.pk for one in said])
        opens_at = self.competition.opens_at
        return {
            "lines": [self._line(one, versions[one.pk]) for one in said],
            "early": stamp(opens_at, self.competition) if self.at < opens_at else "",
            "inquiries": answered_inquiries(self.competition)[:SHOWN],
            "form": self.bound if self.verb == "announce" else self._form(None),
        }

    def _form(self, sent: Any) -> AnnouncementForm:
        form = AnnouncementForm(sent)
        teams = form.fields["teams"]
        assert isinstance(teams, ModelMultipleChoiceField)
        teams.queryset = participants(self.competition)
        return form

    def _line(self, said: Announcement, versions: list[AuditEvent]) -> SaidLine:
        if said == self.correcting:
            return SaidLine(said, versions, self.bound, is_open=True)
        if not may_correct(said, self.user, self.viewer.role):
            return SaidLine(said, versions, None, is_open=False)
        words = {"text": said.text, "text_en": said.text_en}
        form = CorrectionForm(initial=words, auto_id=f"{said.pk}_%s")
        return SaidLine(said, versions, form, is_open=False)
