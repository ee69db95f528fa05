"""Django's name for this app."""

from django.apps import AppConfig


class CompetitionsConfig(AppConfig):
    name = "leaderboard.competitions"
    verbose_name = "대회"
