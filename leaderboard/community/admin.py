"""Announcements in the administrator's pages, to read: what was said stays said."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from leaderboard.community.models import Announcement


@admin.register(Announcement)
class AnnouncementAdmin(admin.ModelAdmin[Announcement]):
    list_display = ("at", "competition", "author", "audience", "pinned")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
