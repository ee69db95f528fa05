"""Django's name for this app, where it is joined to the rest."""

from importlib import import_module

from django.apps import AppConfig


class KaggleConfig(AppConfig):
    name = "leaderboard.kaggle"

    def ready(self) -> None:
        # It needs the models, which are loaded after this file.
        import_module(f"{self.name}.seams").register()
