"""Tables whose rows are facts: the administrator reads them and changes none."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest


class FactAdmin(admin.ModelAdmin[Any]):
    """Pages to read a table. What it says was decided by an action and stays said."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
