"""Django's name for this app."""

from django.apps import AppConfig


class CommunityConfig(AppConfig):
    name = "leaderboard.community"
    verbose_name = "공지"
