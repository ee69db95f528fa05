"""Django's name for this app, and where it is joined to the rest."""

from importlib import import_module

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "leaderboard.judging"
    verbose_name = "심사 모델"

    def ready(self) -> None:
        # It needs the models, which are loaded after this file.
        import_module(f"{self.name}.seams").register()
