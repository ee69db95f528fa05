"""Django's name for this app."""

from django.apps import AppConfig


class BoardsConfig(AppConfig):
    name = "leaderboard.boards"
    verbose_name = "순위표"
