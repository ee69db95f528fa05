"""Django's name for this app."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "leaderboard.audit"
    verbose_name = "감사 기록"
