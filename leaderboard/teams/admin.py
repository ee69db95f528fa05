"""Teams in the administrator's pages."""

from django.contrib import admin

from leaderboard.teams.models import Membership, Team


class MembershipInline(admin.TabularInline[Membership, Team]):
    model = Membership
    extra = 0
    raw_id_fields = ("user", "competition")


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin[Team]):
    list_display = ("name", "competition", "captain", "created_at")
    search_fields = ("name",)
    raw_id_fields = ("captain", "competition")
    inlines = (MembershipInline,)
