"""Versions in the administrator's pages, to read. Gold texts are not shown here."""

from django.contrib import admin

from leaderboard.accounts.admin import FactAdmin
from leaderboard.references.models import ScoringVersion


@admin.register(ScoringVersion)
class ScoringVersionAdmin(FactAdmin):
    list_display = (
        "competition",
        "number",
        "draft_number",
        "state",
        "signature",
        "created_at",
        "made_live_at",
    )
    list_filter = ("state",)
