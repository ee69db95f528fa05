"""Django's name for this room."""

from django.apps import AppConfig


class CommunityConfig(AppConfig):
    name = "leaderboard.community"
    verbose_name = "공지"
