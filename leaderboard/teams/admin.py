"""Teams in the administrator's pages, to read: who belongs to one is decided on the desk."""

from django.contrib import admin

from leaderboard.accounts.admin import FactAdmin, FactInline
from leaderboard.teams.models import Membership, Team


class MembershipInline(FactInline):
    model = Membership


@admin.register(Team)
class TeamAdmin(FactAdmin):
    list_display = ("name", "competition", "captain", "created_at")
    search_fields = ("name",)
    inlines = (MembershipInline,)
