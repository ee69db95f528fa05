"""Django's name for the judge; where its parts join what other apps list."""

from importlib import import_module

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "leaderboard.judging"
    verbose_name = "심사 모델"

    def ready(self) -> None:
        import_module("leaderboard.judging.board")
        import_module("leaderboard.judging.demo")
