"""Django's name for this room."""

from django.apps import AppConfig


class ReferencesConfig(AppConfig):
    name = "leaderboard.references"
    verbose_name = "정답"
