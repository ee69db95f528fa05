"""Django's name for this app."""

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "leaderboard.evaluation"
    verbose_name = "채점"
