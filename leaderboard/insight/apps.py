"""Django's name for this app, and where it is registered with the rest."""

from importlib import import_module

from django.apps import AppConfig


class InsightConfig(AppConfig):
    name = "leaderboard.insight"
    verbose_name = "신뢰도"

    def ready(self) -> None:
        # It needs the models, which are loaded after this file.
        import_module(f"{self.name}.seams").register()
