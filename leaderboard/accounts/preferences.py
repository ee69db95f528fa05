"""Writes of what a person prefers."""

from leaderboard.accounts.models import User


def prefer_language(*, user: User, language: str) -> None:
    """Keep the language in which this person reads; a change to the same one is none."""
    User.objects.filter(pk=user.pk).exclude(language=language).update(language=language)
