"""Competitions in the administrator's pages, to read: contests are run on their desks."""

from django.contrib import admin

from leaderboard.accounts.admin import FactAdmin, FactInline
from leaderboard.competitions.models import Competition, DataFile, Organizer


class OrganizerInline(FactInline):
    model = Organizer


@admin.register(Competition)
class CompetitionAdmin(FactAdmin):
    list_display = ("slug", "title", "opens_at", "closes_at", "reveals_at", "zone", "is_private")
    inlines = (OrganizerInline,)


@admin.register(DataFile)
class DataFileAdmin(FactAdmin):
    list_display = ("name", "competition", "size", "sha256")
