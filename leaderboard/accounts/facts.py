"""Tables whose rows are facts: the administrator reads them and changes none."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest


class _OnlyRead:
    """What the table says was decided by an action, which logs and announces it."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class FactAdmin(_OnlyRead, admin.ModelAdmin[Any]):
    """Pages to read a table."""


class FactInline(_OnlyRead, admin.TabularInline[Any, Any]):
    """Rows of another table on such a page."""
