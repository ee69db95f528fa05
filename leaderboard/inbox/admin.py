"""The inbox in the administrator's pages, to read: what somebody was told stays told."""

from django.contrib import admin

from leaderboard.accounts.admin import FactAdmin
from leaderboard.inbox.models import Notification


@admin.register(Notification)
class NotificationAdmin(FactAdmin):
    list_display = ("created_at", "kind", "user", "competition_slug", "read_at")
    list_filter = ("kind",)
