"""Evaluations in the administrator's pages, to read."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from leaderboard.evaluation.models import Evaluation


@admin.register(Evaluation)
class EvaluationAdmin(admin.ModelAdmin[Evaluation]):
    list_display = ("received_at", "submission", "scoring_version", "state", "attempt", "failure")
    list_filter = ("state",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
