"""Competitions in the administrator's pages, where contests are made until the desk can."""

from django.contrib import admin

from leaderboard.competitions.models import Competition, DataFile, Organizer


class OrganizerInline(admin.TabularInline[Organizer, Competition]):
    model = Organizer
    extra = 1
    raw_id_fields = ("user",)


@admin.register(Competition)
class CompetitionAdmin(admin.ModelAdmin[Competition]):
    list_display = ("slug", "title", "opens_at", "closes_at", "reveals_at", "zone", "is_private")
    inlines = (OrganizerInline,)


@admin.register(DataFile)
class DataFileAdmin(admin.ModelAdmin[DataFile]):
    list_display = ("name", "competition", "size", "sha256")
    readonly_fields = ("file", "size", "sha256")

    def has_add_permission(self, request: object) -> bool:
        # Added through `actions`, which writes the hash with the bytes.
        return False
