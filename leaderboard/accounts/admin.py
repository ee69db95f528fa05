"""How the administrator sees an account. `web.admin` registers it, with what actions can do."""

from django.contrib.auth.admin import UserAdmin
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User


class AccountAdmin(UserAdmin[User]):
    """Django's page of a user with the fields of ours."""

    list_display = ("username", "first_name", "is_active", "may_create_contests", "is_superuser")
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        (_("이 서버에서"), {"fields": ("language", "may_create_contests", "must_change_password")}),
    )
