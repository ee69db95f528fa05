"""Django's name for this room."""

from importlib import import_module

from django.apps import AppConfig


class BoardsConfig(AppConfig):
    name = "leaderboard.boards"
    verbose_name = "순위표"

    def ready(self) -> None:
        """Put the judge's columns on the board."""
        import_module("leaderboard.boards.judged").register()
