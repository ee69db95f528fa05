"""Submissions in the administrator's pages: what was handed in is not edited."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from leaderboard.submissions.models import QuotaEntry, Submission


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ("received_at", "team", "submitted_by", "file_name", "size", "sha256")
    search_fields = ("team__name", "sha256")


@admin.register(QuotaEntry)
class QuotaEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "team", "kind", "amount", "day", "reason_ko")
    list_filter = ("kind",)
