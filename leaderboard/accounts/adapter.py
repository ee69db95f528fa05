"""What the sign-in package asks of us when a person changes the password."""

from allauth.account.adapter import DefaultAccountAdapter
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from leaderboard.accounts.models import User


class AccountAdapter(DefaultAccountAdapter):
    """A password that somebody else has seen must be replaced by another one."""

    def clean_password(self, password: str, user: User | None = None) -> str:
        """Refuses the printed password as the new one, beside what Django's validators refuse."""
        if user is not None and user.must_change_password and user.check_password(password):
            raise ValidationError(_("받은 비밀번호와 다른 것으로 정해 주세요."))
        cleaned: str = super().clean_password(password, user)
        return cleaned

    def set_password(self, user: User, password: str) -> None:
        """Keep the new password; the person need not change it any more."""
        user.set_password(password)
        user.must_change_password = False
        user.save(update_fields=["password", "must_change_password"])
