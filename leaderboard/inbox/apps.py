"""Django's name for this room."""

from django.apps import AppConfig


class InboxConfig(AppConfig):
    name = "leaderboard.inbox"
    verbose_name = "알림"
