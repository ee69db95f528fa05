"""Django's name for this app."""

from django.apps import AppConfig


class TeamsConfig(AppConfig):
    name = "leaderboard.teams"
    verbose_name = "팀"
