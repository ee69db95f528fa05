"""The log in the administrator's pages: to read, never to change."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from leaderboard.audit.models import AuditEvent


@admin.register(AuditEvent)
class AuditEventAdmin(admin.ModelAdmin[AuditEvent]):
    list_display = ("at", "kind", "actor", "competition", "subject", "reason")
    list_filter = ("kind",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
