"""Django's name for this app."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "leaderboard.submissions"
    verbose_name = "제출"
