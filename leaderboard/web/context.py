"""What the site header of every page shows."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from leaderboard.accounts.models import User
from leaderboard.inbox.tell import unread_count

THEMES = ("light", "dark")


def site(request: HttpRequest) -> dict[str, Any]:
    """`theme` as the person chose it (empty: the system's) and the lazily counted `unread`."""
    theme = request.COOKIES.get("theme", "")
    user = getattr(request, "user", None)

    def unread() -> int:
        return unread_count(user) if isinstance(user, User) else 0

    return {"theme": theme if theme in THEMES else "", "unread": SimpleLazyObject(unread)}
