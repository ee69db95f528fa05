"""Django's name for this room."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "leaderboard.submissions"
    verbose_name = "제출"
