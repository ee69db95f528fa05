"""Announcements in the administrator's pages: what was said stays said."""

from django.contrib import admin

from leaderboard.accounts.admin import FactAdmin
from leaderboard.community.models import Announcement


@admin.register(Announcement)
class AnnouncementAdmin(FactAdmin):
    list_display = ("at", "competition", "author", "audience", "pinned")
