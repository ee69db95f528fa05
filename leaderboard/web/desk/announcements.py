"""What leaves the desk: announcements, said and corrected, and the contest's webhook.

An announcement reaches inboxes: the first POST shows what would be said, the one from that page
says it.
"""

from typing import Any

from django import forms
from django.db.models import prefetch_related_objects
from django.forms import Form
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.accounts.models import User
from leaderboard.accounts.names import tidy
from leaderboard.accounts.skeletons import skeleton
from leaderboard.actions import announcements as actions
from leaderboard.actions import webhooks
from leaderboard.audit.log import decisions
from leaderboard.community.announcements import announcements, may_correct
from leaderboard.community.models import Announcement, Webhook
from leaderboard.community.webhooks import host_of, label, webhook_of
from leaderboard.competitions.schedule import stamp
from leaderboard.outbox.sending import last_sent
from leaderboard.teams.models import Team
from leaderboard.teams.queries import participants
from leaderboard.web.forms import AnnouncementForm, CorrectForm
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import CONTEST, EVERY_ROLE, Entry
from leaderboard.web.stored import StoredForm


@page(
    "desk/announcements",
    "desk_announcements",
    Entry(CONTEST, pgettext_lazy("desk", "Announcements"), 40, who=EVERY_ROLE),
)
class Announcements(DeskPage):
    """`/c/<slug>/desk/announcements`: for every organizer, assistants too."""

    template = "desk/announcements.html"
    default = "announce"
    forms = {"announce": AnnouncementForm, "correct": CorrectForm}
    beside = {"correct": "text", "announce": {"unknown_audience": "teams", "": "text"}}
    verbs = {
        "correct": (
            actions.correct_announcement,
            gettext_lazy(
                "The announcement was corrected. Everybody who received it got the new text."
            ),
        )
    }
    previewed = ("correct",)
    about = "announcement"

    def is_for(self) -> bool:
        return self.viewer.role is not None

    def do_announce(self) -> HttpResponse | str:
        teams, missing = self._called(self.typed()["teams"])
        if missing:
            said = _("There is no team called {names}.").format(names=", ".join(missing))
            return self.at_field("teams", said)
        wanted: dict[str, Any] = {
            **self.typed(),
            "teams": teams,
            "competition": self.competition,
            "user": self.user,
        }
        return self.second_step(actions.announce, _("Announced."), **wanted)

    def _called(self, typed: str) -> tuple[list[Team], list[str]]:
        """The teams of these lines, each a name, and the names that no team has."""
        names = {skeleton(tidy(line)): line.strip() for line in typed.split("\n") if line.strip()}
        teams = list(participants(self.competition).filter(skeleton__in=names))
        known = {team.skeleton for team in teams}
        return teams, [name for key, name in names.items() if key not in known]

    @property
    def announcement(self) -> Announcement:
        rows = Announcement.objects.select_related("competition")
        return get_object_or_404(rows, competition=self.competition, pk=self.key())

    def stored(self, verb: str) -> dict[str, Any] | None:
        return _words(self.announcement) if verb == "correct" else None

    def auto_id(self, verb: str) -> str:
        return f"{self.key()}_%s" if verb == "correct" else "id_%s"

    def context(self) -> dict[str, Any]:
        said = announcements(self.competition, self.user, runs_it=True)
        prefetch_related_objects(said, "teams")
        corrected = list(decisions(self.competition.pk).filter(kind="announcement.corrected"))
        opens_at = self.competition.opens_at
        return {
            "lines": [
                {
                    "announcement": one,
                    "versions": [event for event in corrected if event.subject == one.pk],
                    "form": self._correcting(one),
                    "is_open": self.verb == "correct" and one.pk == self.key(),
                }
                for one in said
            ],
            "early": stamp(opens_at, self.competition) if self.at < opens_at else "",
            "form": self.form("announce"),
        }

    def _correcting(self, said: Announcement) -> Form | None:
        """The form for who may correct it."""
        if self.verb == "correct" and said.pk == self.key():
            return self.bound
        if not may_correct(said, self.user, self.viewer.role):
            return None
        return CorrectForm(initial=_words(said), auto_id=f"{said.pk}_%s")


def _words(said: Announcement) -> dict[str, Any]:
    return {"text": said.text, "text_en": said.text_en}


# What the codes of `outbox.outgoing` mean.
FAILURES = {
    "address_not_allowed": gettext_lazy("The name points to a private network"),
    "address_port": gettext_lazy("A port that cannot be called"),
    "address_unreadable": gettext_lazy("Not a web address"),
    "address_without_https": gettext_lazy("No https"),
    "certificate": gettext_lazy("The certificate is for another name"),
    "cut_off": gettext_lazy("The connection was cut off"),
    "no_http": gettext_lazy("The answer was not HTTP"),
    "refused": gettext_lazy("The connection was refused"),
    "timed_out": gettext_lazy("No answer in time"),
    "unknown_name": gettext_lazy("The name could not be found"),
    "unreachable": gettext_lazy("Could not be reached"),
}


def _failure(code: str) -> str:
    """In words; of an answer its status."""
    return f"HTTP {code}" if code.isdigit() else str(FAILURES.get(code, code))


class WebhookForm(StoredForm):
    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=webhooks.URL_LENGTH,
        required=False,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "placeholder": "https://", "inputmode": "url"}
        ),
    )
    format = forms.ChoiceField(label=gettext_lazy("Format"), choices=Webhook.Format.choices)
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=User.Language.choices)
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=Webhook.Event.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


@page("desk/webhook", "desk_webhook")
class WebhookPage(DeskPage):
    """`/c/<slug>/desk/webhook`: the address is never shown again, the secret once."""

    tab = "desk_announcements"
    template = "desk/webhook.html"
    forms = {"set": WebhookForm}
    beside = {"set": {"webhook_address": "url"}}
    verbs = {
        "test": (
            webhooks.send_test,
            gettext_lazy("A test was sent. The result appears below within half a minute."),
        ),
        "remove": (
            webhooks.remove_webhook,
            gettext_lazy("The webhook was removed, with its address and secret."),
        ),
    }

    def do_set(self) -> HttpResponseBase | str:
        is_new = webhook_of(self.competition) is None
        made = webhooks.set_webhook(**self.typed(), **self.who)
        return self._with_secret(made) if is_new else _("Saved.")

    def do_renew(self) -> HttpResponse:
        return self._with_secret(webhooks.renew_secret(**self.who))

    def context(self) -> dict[str, Any]:
        webhook = webhook_of(self.competition)
        last = last_sent(webhook)
        return {
            "webhook": webhook,
            "host": host_of(webhook) if webhook else "",
            "form": self.form("set"),
            "last": last,
            "event": label(last.kind) if last else "",
            "failure": _failure(last.failure) if last else "",
        }

    def stored(self, verb: str) -> dict[str, Any]:
        webhook = webhook_of(self.competition)
        if webhook is None:
            return {"language": "ko", "events": list(Webhook.Event.values)}
        return {
            "format": webhook.format,
            "language": webhook.language,
            "events": webhook.events,
        }

    def _with_secret(self, webhook: Webhook) -> HttpResponse:
        """In this very answer: nothing could show the secret to a second request."""
        return self.show(secret=webhook.secret)
