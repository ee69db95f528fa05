"""Steps of the random walk in which organizers tell outside, and people choose what they read."""

from typing import ClassVar

from leaderboard.accounts.models import User
from leaderboard.actions.announcements import publish_answer
from leaderboard.actions.mails import choose_notices, remove_mail
from leaderboard.actions.webhooks import remove_webhook, renew_secret, send_test, set_webhook
from leaderboard.community.models import Thread, Webhook
from leaderboard.inbox.models import Notification
from tests.services.walker import Walker


class TellingSteps(Walker):
    WEIGHTS: ClassVar[dict[str, int]] = {
        "set_webhook": 3,
        "end_webhook": 1,
        "publish_answer": 3,
        "choose_notices": 3,
    }

    def set_webhook(self) -> None:
        """To an address that nobody serves: what is queued for it waits or fails."""
        who = {"competition": self.contest(), "user": self.organizer(), "at": self.moment()}
        forms = {"format": Webhook.Format.JSON, "language": User.Language.KOREAN}
        address = "https://hooks.example.org/one"
        set_webhook(url=address, events=list(Webhook.Event), **forms, **who)
        send_test(**who)

    def end_webhook(self) -> None:
        who = {"competition": self.contest(), "user": self.organizer(), "at": self.moment()}
        renew_secret(**who)
        if self.dice.random() < 0.3:
            remove_webhook(**who)

    def publish_answer(self) -> bool:
        rows = Thread.objects.filter(kind=Thread.Kind.INQUIRY).select_related("competition")
        if (inquiry := self.one(rows)) is None:
            return False
        text = f"정해진 것을 알립니다. {self.dice.random()}"
        publish_answer(inquiry=inquiry, user=self.organizer(), text=text, at=self.moment())
        return True

    def choose_notices(self) -> None:
        kinds = self.dice.sample(Notification.Kind.values, 5)
        user = self.person()
        choose_notices(user=user, app=kinds, mail=None)
        if self.dice.random() < 0.3:
            remove_mail(user=user)
