"""Forms of a person's own account."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import ChangePasswordForm as AllauthChangePasswordForm
from django import forms
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User

# A translated text must be made anew for each reader.
_rules = lazy(password_validators_help_text_html, str)


class NewPasswordForm(forms.Form):
    """A new password, twice. Whether it is good enough is the action's to say."""

    password1 = forms.CharField(
        label=_("New password"),
        max_length=256,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_rules(),
    )
    password2 = forms.CharField(
        label=_("New password again"),
        max_length=256,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        if (
            typed.get("password1")
            and typed.get("password2", typed["password1"]) != typed["password1"]
        ):
            self.add_error("password2", _("The two passwords differ."))
        return typed


class ChangePasswordForm(AllauthChangePasswordForm):  # type: ignore[misc]  # without types
    """Whoever finds a signed-in browser may guess the password no more often than elsewhere."""

    def clean_oldpassword(self) -> str:
        typed: str = self.cleaned_data["oldpassword"]
        if not get_adapter().reauthenticate(self.user, typed):
            raise get_adapter().validation_error("enter_current_password")
        return typed


class DisplayForm(forms.Form):
    """How a person reads the site. An empty theme follows the system."""

    language = forms.ChoiceField(label=_("Language"), choices=User.Language.choices)
    theme = forms.ChoiceField(
        label=_("Theme"),
        choices=[("", _("Auto")), ("light", _("Light")), ("dark", _("Dark"))],
        required=False,
    )


class CloseAccountForm(forms.Form):
    """The password once more, and that closing is meant."""

    password = forms.CharField(
        label=_("Password"),
        max_length=256,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    sure = forms.BooleanField(label=_("I know that this cannot be undone."))
