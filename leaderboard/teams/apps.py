"""Django's name for this room."""

from django.apps import AppConfig


class TeamsConfig(AppConfig):
    name = "leaderboard.teams"
    verbose_name = "팀"
