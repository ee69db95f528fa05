"""Django's name for this app."""

from django.apps import AppConfig


class InboxConfig(AppConfig):
    name = "leaderboard.inbox"
    verbose_name = "알림"
