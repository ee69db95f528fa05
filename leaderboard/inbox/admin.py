"""The inbox in the administrator's pages."""

from django.contrib import admin

from leaderboard.inbox.models import Notification


@admin.register(Notification)
class NotificationAdmin(admin.ModelAdmin[Notification]):
    list_display = ("created_at", "kind", "user", "competition_slug", "read_at")
    list_filter = ("kind",)
    raw_id_fields = ("user",)
