"""A person's inbox, where they want mail of it, and the links in that mail."""

from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from leaderboard.actions import mails as actions
from leaderboard.actions.mails import mail_link_unusable
from leaderboard.competitions.models import Competition
from leaderboard.inbox import lines, mails
from leaderboard.inbox.models import MailAddress, Notification
from leaderboard.teams.queries import visible_to
from leaderboard.web import lookups
from leaderboard.web.page import LinkPage, PersonPage

PAGE = 50
MOST = 5000  # the newest; older ones are kept


class Inbox(PersonPage):
    """`/inbox`: what a person should know. The button marks all of it as read."""

    template = "inbox.html"
    default = "read"

    def do_read(self) -> HttpResponse:
        lines.mark_read(user=self.user, at=self.at)
        return self.done()

    def context(self) -> dict[str, Any]:
        rows = Notification.objects.filter(user=self.user)
        page = lookups.page_of(self.request, rows, PAGE, MOST)
        grouped = lines.grouped(page, timezone.get_current_timezone())
        contests = visible_to(self.user).in_bulk({row.competition for row in page} - {None})
        return {
            "lines": [_line(line, contests.get(line[0].competition)) for line in grouped],
            "page": page,
        }


def _line(rows: list[Notification], contest: Competition | None) -> dict[str, Any]:
    """Notices of one kind and contest, the newest first, each with its heading and where it leads
    who may know of its contest."""
    return {
        "notices": [
            (row, lines.heading(row), lines.address(row, known=contest is not None)) for row in rows
        ],
        "new": any(row.read_at is None for row in rows),
        "contest": contest,
        "zone": contest.zoneinfo if contest else ZoneInfo(timezone.get_current_timezone_name()),
    }


class AddressForm(forms.Form):
    address = forms.EmailField(
        label=gettext_lazy("Mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text=gettext_lazy(
            "We send a link to this address, and no other mail until you open it. Only "
            "administrators see the address."
        ),
    )


class EveryForm(forms.Form):
    every = forms.ChoiceField(label=gettext_lazy("How often"), choices=MailAddress.Every.choices)


class Notices(PersonPage):
    """`/settings/notices`: where notices are mailed and how often."""

    template = "notices.html"
    forms = {"ask": AddressForm, "every": EveryForm}
    beside = {"ask": "address"}
    verbs = {
        "ask": (
            actions.ask_for_mail,
            gettext_lazy("We are sending a link to this address. It works for 24 hours."),
        ),
        "every": (actions.choose_how_often, gettext_lazy("Saved.")),
    }

    def do_remove(self) -> str:
        actions.remove_mail(user=self.user)
        return _("The address was removed.")

    def context(self) -> dict[str, Any]:
        confirmed, asked = mails.of_person(self.user)
        every = {"every": confirmed.every} if confirmed else {}
        return {
            "mail_on": settings.MAIL_ON,
            "confirmed": confirmed,
            "asked": asked,
            "asked_over": asked is not None and asked.expires_at <= self.at,
            "form": self.form("ask"),
            "every_form": self.form("every", initial=every),
        }


class ConfirmMail(LinkPage, PersonPage):
    """`/settings/mail?token=…`: where the mailed link leads; the button on it confirms."""

    template = "mail_confirm.html"
    default = "confirm"
    unusable = mail_link_unusable

    def find(self) -> object | None:
        return mails.to_confirm(user=self.user, token=self.token, at=self.at)

    def do_confirm(self) -> HttpResponse:
        actions.confirm_mail(user=self.user, token=self.token, at=self.at)
        messages.success(self.request, _("The address is confirmed. New notices are sent there."))
        return redirect("notices")

    def context(self) -> dict[str, Any]:
        return {"token": self.token, "found": self.found}


class StopMail(LinkPage):
    """`/mail/stop?token=…`: no mail any more, by the link in each, for whoever has that.

    Mail programs send the POST by themselves (RFC 8058): with the address as it stands in the mail
    and neither cookie nor form of ours. The signed token is what proves that it may be done.
    """

    template = "mail_stop.html"
    default = "stop"
    guards = (csrf_exempt, never_cache)
    unusable = mail_link_unusable

    def find(self) -> object | None:
        return mails.address_of_stop(self.token)

    def do_stop(self) -> HttpResponse:
        actions.stop_mail(token=self.token, at=self.at)
        return self.show(stopped=True)
