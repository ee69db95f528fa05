"""Django's name for this app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "leaderboard.accounts"
    verbose_name = "계정"
