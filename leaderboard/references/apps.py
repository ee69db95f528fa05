"""Django's name for this app."""

from django.apps import AppConfig


class ReferencesConfig(AppConfig):
    name = "leaderboard.references"
    verbose_name = "정답"
