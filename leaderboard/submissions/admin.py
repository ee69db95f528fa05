"""Submissions in the administrator's pages: what was handed in is not edited."""

from django.contrib import admin

from leaderboard.accounts.admin import FactAdmin
from leaderboard.submissions.models import QuotaEntry, Submission


@admin.register(Submission)
class SubmissionAdmin(FactAdmin):
    list_display = ("received_at", "team", "submitted_by", "file_name", "size", "sha256")
    search_fields = ("team__name", "sha256")


@admin.register(QuotaEntry)
class QuotaEntryAdmin(FactAdmin):
    list_display = ("at", "team", "kind", "amount", "day", "reason_ko")
    list_filter = ("kind",)
