"""Mail addresses of accounts. Nobody verified them: there may be no mail server."""

from leaderboard.accounts.models import User


def give_address(*, user: User, email: str) -> None:
    """Keep this address with an account that has none; another one stays as it is."""
    User.objects.filter(pk=user.pk, email="").update(email=email)
    user.refresh_from_db(fields=["email"])
