"""Announcements in the administrator's pages, to read."""

from django.contrib import admin

from leaderboard.community.models import Announcement


@admin.register(Announcement)
class AnnouncementAdmin(admin.ModelAdmin[Announcement]):
    list_display = ("at", "competition", "author", "audience", "pinned")
    readonly_fields = ("competition", "author", "at", "text", "text_en", "audience", "teams")
