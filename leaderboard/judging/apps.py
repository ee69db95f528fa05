"""Django's name for this room."""

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "leaderboard.judging"
    verbose_name = "심사 모델"
