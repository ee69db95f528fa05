"""A person's inbox, what they are told of and how, and the links in their mail."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from leaderboard.actions import mails
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.inbox import addresses, lines
from leaderboard.inbox.lines import InboxFilter, InboxLine
from leaderboard.inbox.models import MailAddress, Notification
from leaderboard.teams.queries import visible_to
from leaderboard.web import errors, lookups
from leaderboard.web.page import Page, PersonPage

PAGE = 25


class Inbox(PersonPage):
    """`/inbox`: what a person should know. Marked as read: a line (`newest`, `oldest`), or all.

    `open`: the line whose notices are shown one by one.
    """

    template = "inbox.html"
    default = "read"

    def do_read(self) -> HttpResponse:
        lines.mark_read(user=self.user, at=self.at)
        return self.done()

    def do_read_line(self) -> HttpResponse:
        newest, oldest = self.key("newest"), self.key("oldest")
        lines.mark_line_read(user=self.user, newest=newest, oldest=oldest, at=self.at)
        return self.done()

    def address(self) -> str:
        """Back to the part of the inbox that the button was pressed in."""
        asked = self.asked(*ASKED, "open")
        return reverse("inbox") + (f"?{asked}" if asked else "")

    def asked(self, *names: str) -> str:
        """What of the address has these names."""
        sent = self.request.GET
        return urlencode({name: sent[name] for name in names if sent.get(name)})

    @cached_property
    def contests(self) -> dict[UUID, Competition]:
        """Those that this person takes part in or helps to run, by key."""
        mine = Q(teams__memberships__user=self.user) | Q(organizers__user=self.user)
        found = Competition.objects.filter(mine).distinct().order_by("-closes_at", "slug")
        return {contest.pk: contest for contest in found}

    def wanted(self) -> InboxFilter:
        asked = self.request.GET
        slugs = {contest.slug: pk for pk, contest in self.contests.items()}
        kind = asked.get("kind", "")
        return InboxFilter(
            competition=slugs.get(asked.get("contest", "")),
            kind=kind if kind in Notification.Kind.values else "",
            unread=asked.get("unread") == "1",
            after=lookups.key(asked["after"]) if asked.get("after") else None,
        )

    def context(self) -> dict[str, Any]:
        wanted = self.wanted()
        rows = lines.window(self.user, wanted)
        grouped = lines.grouped(rows, timezone.get_current_timezone())
        page = lookups.page_of(self.request, grouped, PAGE)
        is_cut = len(rows) == lines.WINDOW and not page.has_next()
        chosen = self.contests[wanted.competition].slug if wanted.competition else ""
        asked = {"contest": chosen, "kind": wanted.kind, "unread": "1" if wanted.unread else ""}
        view = {name: value for name, value in asked.items() if value}
        return {
            "lines": self._shown(list(page)),
            "page": page,
            "contests": self.contests.values(),
            "kinds": Notification.Kind.choices,
            "wanted": wanted,
            "filtered": bool(view),
            "here": self.asked(*ASKED),
            "view": urlencode(view | ({"after": wanted.after} if wanted.after else {})),
            "older": urlencode(view | {"after": rows[-1].pk}) if is_cut else "",
        }

    def _shown(self, page: list[InboxLine]) -> list[dict[str, Any]]:
        opened = self.request.GET.get("open")
        notices = lines.shown(page, lookups.key(opened) if opened else None)
        strange = {line.newest.competition for line in page} - self.contests.keys()
        known = self.contests | (visible_to(self.user).in_bulk(strange - {None}) if strange else {})
        own_zone = ZoneInfo(timezone.get_current_timezone_name())
        found = []
        for line in page:
            contest = known.get(line.newest.competition) if line.newest.competition else None
            rows = [notices[row.pk] for row in line.rows if row.pk in notices]
            if rows:
                found.append(
                    {
                        "line": line,
                        "notices": [_notice(row, contest) for row in rows],
                        "contest": contest,
                        "zone": contest.zoneinfo if contest else own_zone,
                    }
                )
        return found


ASKED = ("contest", "kind", "unread", "after", "page")


def _notice(row: Notification, contest: Competition | None) -> dict[str, Any]:
    """One notification as shown. `address`: where it leads, for who may know of its contest."""
    way = lines.way(row)
    address = lines.address(row, known=contest is not None)
    return {
        "row": row,
        "heading": lines.heading(row),
        "address": address,
        "label": str(way.label) if way and address else "",
    }


class AddressForm(forms.Form):
    address = forms.EmailField(
        label=gettext_lazy("Mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text=gettext_lazy(
            "A link is mailed there, and nothing else until you follow it. Nobody but "
            "administrators sees the address."
        ),
    )


class EveryForm(forms.Form):
    every = forms.ChoiceField(label=gettext_lazy("How often"), choices=MailAddress.Every.choices)


class WishesForm(forms.Form):
    """The kinds that count as unread, and those that are mailed."""

    app = forms.MultipleChoiceField(choices=Notification.Kind.choices, required=False)
    mail = forms.MultipleChoiceField(choices=Notification.Kind.choices, required=False)


class Notices(PersonPage):
    """`/settings/notices`: a switch for each kind, and where mail goes."""

    template = "notices.html"
    forms = {"choose": WishesForm, "ask": AddressForm, "every": EveryForm}
    beside = {"ask": "address"}
    verbs = {
        "ask": (
            mails.ask_for_mail,
            gettext_lazy(
                "A link is being mailed to that address. It can be followed for 24 hours."
            ),
        ),
        "every": (mails.choose_how_often, gettext_lazy("Saved.")),
    }

    def do_choose(self) -> str:
        typed = self.typed()
        unseen = set(Notification.Kind.values) - self.kinds().keys()  # as they are for everybody
        mail = [*typed["mail"], *unseen] if settings.MAIL_ON else None
        mails.choose_notices(user=self.user, app=[*typed["app"], *unseen], mail=mail)
        return _("Saved.")

    def do_remove(self) -> str:
        mails.remove_mail(user=self.user)
        return _("The address is removed.")

    def kinds(self) -> dict[str, str]:
        """Kind to name, without those that nobody tells this person."""
        for_administrators = set() if self.user.is_superuser else {Notification.Kind.ALARM}
        return {
            kind.value: str(kind.label)
            for kind in Notification.Kind
            if kind not in for_administrators
        }

    def context(self) -> dict[str, Any]:
        confirmed, asked = addresses.of_person(self.user)
        labels = self.kinds()
        wishes = addresses.wishes(self.user)
        every = {"every": confirmed.every} if confirmed else {}
        return {
            "kinds": [(kind, labels[kind], *wishes[kind]) for kind in labels],
            "mail_on": settings.MAIL_ON,
            "confirmed": confirmed,
            "asked": asked,
            "asked_over": asked is not None and asked.expires_at <= self.at,
            "last": addresses.last_mail(confirmed) if confirmed else None,
            "last_asked": addresses.last_mail(asked) if asked else None,
            "form": self.form("ask"),
            "every_form": self.form("every", initial=every),
            "zone": timezone.get_current_timezone(),
        }


class ConfirmMail(PersonPage):
    """`/settings/mail?token=…`: where the mailed link leads; the button on it confirms."""

    template = "mail_confirm.html"
    default = "confirm"

    def enter(self, **address: Any) -> HttpResponse | None:
        posted = self.request.method == "POST"
        self.token = (self.request.POST if posted else self.request.GET).get("token", "")
        self.found = addresses.to_confirm(user=self.user, token=self.token, at=self.at)
        if self.found is None:
            return errors.refused(self.request, Refused("mail_link_unusable"))
        return None

    def do_confirm(self) -> HttpResponse:
        mails.confirm_mail(user=self.user, token=self.token, at=self.at)
        messages.success(self.request, _("The address is confirmed. News is mailed there."))
        return redirect("notices")

    def refuse(self, refusal: Refused) -> HttpResponse:
        return errors.refused(self.request, refusal)

    def context(self) -> dict[str, Any]:
        return {"token": self.token, "found": self.found}


class StopMail(Page):
    """`/mail/stop?token=…`: no mail any more, by the link in each, for whoever has that.

    Mail programs send the POST by themselves (RFC 8058): with the address as it stands in the mail
    and neither cookie nor form of ours. The signed token is what proves that it may be done.
    """

    template = "mail_stop.html"
    default = "stop"
    guards = (csrf_exempt, never_cache)

    def enter(self, **address: Any) -> HttpResponse | None:
        self.token = self.request.GET.get("token", "")
        self.found = addresses.address_of_stop(self.token)
        if self.found is None:
            return errors.refused(self.request, Refused("mail_link_unusable"))
        return None

    def do_stop(self) -> HttpResponse:
        mails.stop_mail(token=self.token, at=self.at)
        return render(self.request, self.template, {"stopped": True})

    def refuse(self, refusal: Refused) -> HttpResponse:
        return errors.refused(self.request, refusal)

    def context(self) -> dict[str, Any]:
        return {"stopped": False}
