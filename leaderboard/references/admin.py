"""Versions in the administrator's pages, to read. Gold texts are not shown here."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from leaderboard.references.models import ScoringVersion


@admin.register(ScoringVersion)
class ScoringVersionAdmin(admin.ModelAdmin[ScoringVersion]):
    list_display = ("competition", "number", "state", "signature", "created_at", "made_live_at")
    list_filter = ("state",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
