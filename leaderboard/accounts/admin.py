"""How the administrator sees accounts, and tables whose rows are facts: read, never changed."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.accounts import taken_problem
from leaderboard.accounts.models import User
from leaderboard.accounts.names import invalid, tidy


class _FreeName:
    """Reserved names are for administrators to give; lookalikes and held ones are for nobody."""

    instance: User
    cleaned_data: dict[str, str]

    def clean_username(self) -> str:
        name = tidy(self.cleaned_data["username"])
        if name == tidy(self.instance.username):
            return self.instance.username
        known = self.instance if self.instance.pk else None
        problem = taken_problem(name, at=timezone.now(), besides=known)
        if problem is not None:
            raise invalid(problem)
        return name


class AccountCreationForm(_FreeName, AdminUserCreationForm[User]):
    """A new account."""


class AccountChangeForm(_FreeName, UserChangeForm[User]):
    """An existing one, which may have a name from before the policy and still be suspended."""

    def _get_validation_exclusions(self) -> set[str]:
        exclude: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]
        same = self.cleaned_data.get("username") == self.initial.get("username")
        return {*exclude, "username"} if same else exclude


class AccountAdmin(UserAdmin[User]):
    """Django's page of a user with the fields of ours."""

    form = AccountChangeForm
    add_form = AccountCreationForm
    list_display = ("username", "first_name", "is_active", "may_create_contests", "is_superuser")
    list_editable = ("may_create_contests",)
    # Without Django's groups and permissions, which nothing here asks for.
    fieldsets = (
        (None, {"fields": ("username", "password", "first_name", "email", "language")}),
        (
            _("On this server"),
            {
                "fields": (
                    *("is_active", "is_staff", "is_superuser"),
                    *("may_create_contests", "must_change_password"),
                )
            },
        ),
    )
    filter_horizontal = ()
    list_filter = ("may_create_contests", "is_active", "is_superuser")

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        # An account is closed, which keeps what its teams submitted, or made inactive.
        return False


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
