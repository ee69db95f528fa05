"""Django's name for this room."""

from django.apps import AppConfig


class CompetitionsConfig(AppConfig):
    name = "leaderboard.competitions"
    verbose_name = "대회"
