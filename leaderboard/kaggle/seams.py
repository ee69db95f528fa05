"""Where the facade is joined to the rest. Besides, its `settings` and `urls` are found by name."""

from leaderboard.api import middleware
from leaderboard.kaggle.settings import KAGGLE_FACADE


def register() -> None:
    """Once a process, when the models are loaded."""
    if KAGGLE_FACADE:
        middleware.TOKEN_CHECKS.add("/api/v1/security.OAuthService/IntrospectToken")
