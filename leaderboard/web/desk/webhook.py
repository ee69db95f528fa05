"""The desk's webhook: where to, how and of what; trying it; what came of the last message."""

from typing import Any

from django import forms
from django.http import HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.accounts.models import User
from leaderboard.actions import webhooks as actions
from leaderboard.actions.webhooks import URL_LENGTH, SetWebhook
from leaderboard.community.messages import label
from leaderboard.community.models import Webhook
from leaderboard.community.webhooks import host_of, last_delivery, webhook_of
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import CONTEST, Entry
from leaderboard.web.stored import StoredForm

# What the codes of `outbox.outgoing` mean.
FAILURES = {
    "address_not_allowed": gettext_lazy("The name leads into a private network"),
    "address_port": gettext_lazy("A port that cannot be called"),
    "address_unreadable": gettext_lazy("No web address"),
    "address_without_https": gettext_lazy("No https"),
    "certificate": gettext_lazy("The certificate is not of this name"),
    "cut_off": gettext_lazy("The connection was cut off"),
    "no_http": gettext_lazy("The answer was no HTTP"),
    "refused": gettext_lazy("The connection was refused"),
    "timed_out": gettext_lazy("No answer in time"),
    "unknown_name": gettext_lazy("Nobody knows this name"),
    "unreachable": gettext_lazy("Could not be reached"),
}


def _failure(code: str) -> str:
    """In words; of an answer its status."""
    return f"HTTP {code}" if code.isdigit() else str(FAILURES.get(code, code))


class WebhookForm(StoredForm):
    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=URL_LENGTH,
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


@page("desk/webhook", "desk_webhook", Entry(CONTEST, pgettext_lazy("outgoing", "Webhook"), 50))
class WebhookPage(DeskPage):
    """`/c/<slug>/desk/webhook`: the address is never shown again, the secret once."""

    template = "desk/webhook.html"
    forms = {"set": WebhookForm}
    beside = {"set": {"webhook_address": "url"}}
    verbs = {
        "test": (
            actions.send_test,
            gettext_lazy(
                "A test is on its way. Within half a minute it stands below whether it came."
            ),
        ),
        "remove": (
            actions.remove_webhook,
            gettext_lazy("The webhook is removed. Its address and secret are forgotten."),
        ),
    }

    def do_set(self) -> HttpResponseBase | str:
        done = actions.set_webhook(**self.typed(), **self.who)
        return self._with_secret(done) if done.secret else _("Saved.")

    def do_renew(self) -> HttpResponse:
        return self._with_secret(actions.renew_secret(**self.who))

    def context(self) -> dict[str, Any]:
        webhook = webhook_of(self.competition)
        last = last_delivery(webhook) if webhook else None
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

    def _with_secret(self, done: SetWebhook) -> HttpResponse:
        """In this very answer: nothing could show the secret to a second request."""
        return self.show(secret=done.secret)
