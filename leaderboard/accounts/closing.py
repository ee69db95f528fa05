"""Taking a person's name off an account that stays, because scores and decisions point at it."""

import secrets
from datetime import datetime

from allauth.account.models import EmailAddress

from leaderboard.accounts import sessions
from leaderboard.accounts.models import PasswordLink, User
from leaderboard.accounts.taken_names import hold


def close(*, user: User, at: datetime) -> None:
    """No name, no mail, no rights and no way in any more; every session ends."""
    hold(user=user, at=at)
    user.username = f"탈퇴-{secrets.token_hex(6)}"
    user.first_name = user.last_name = user.email = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.may_create_contests = user.must_change_password = False
    user.last_login = None
    user.closed_at = at
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
    PasswordLink.objects.filter(user=user).delete()
    sessions.forget(user=user)
    EmailAddress.objects.filter(user=user).delete()
