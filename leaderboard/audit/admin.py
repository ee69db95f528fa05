"""The log in the administrator's pages: to read, never to change."""

from django.contrib import admin

from leaderboard.accounts.admin import FactAdmin
from leaderboard.audit.models import AuditEvent


@admin.register(AuditEvent)
class AuditEventAdmin(FactAdmin):
    list_display = ("at", "kind", "actor", "competition", "subject", "reason")
    list_filter = ("kind",)
