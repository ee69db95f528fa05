"""Evaluations in the administrator's pages, to read."""

from django.contrib import admin

from leaderboard.accounts.admin import FactAdmin
from leaderboard.evaluation.models import Evaluation


@admin.register(Evaluation)
class EvaluationAdmin(FactAdmin):
    list_display = ("received_at", "submission", "scoring_version", "state", "attempt", "failure")
    list_filter = ("state",)
