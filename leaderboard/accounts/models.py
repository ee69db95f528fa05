"""The person behind a session or a token."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import models
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.accounts.names import check_username, tidy
from leaderboard.accounts.skeletons import SkeletonField


class User(AbstractUser):
    """A person. Roles live with the contest they are for, never here."""

    class Language(models.TextChoices):
        KOREAN = "ko", _("Korean")
        ENGLISH = "en", _("English")

    username = models.CharField(
        pgettext_lazy("account", "Username"),
        max_length=150,
        unique=True,
        validators=[check_username, UnicodeUsernameValidator()],
    )
    skeleton = SkeletonField(of="username")
    language = models.CharField(
        _("Language"), max_length=2, choices=Language.choices, default=Language.KOREAN
    )
    must_change_password = models.BooleanField(
        _("Must change the password at the next sign-in"), default=False
    )
    may_create_contests = models.BooleanField(_("Can create competitions"), default=False)
    closed_at = models.DateTimeField(_("Closed at"), null=True, blank=True, editable=False)

    # Part of every session's hash: one more, and all of them have ended.
    session_epoch = models.PositiveIntegerField(default=0, editable=False)

    class Meta(AbstractUser.Meta):
        constraints = [models.UniqueConstraint(fields=["skeleton"], name="one_person_per_skeleton")]

    @classmethod
    def normalize_username(cls, username: str) -> str:
        """A name as it is kept; Django asks here wherever it makes or compares one."""
        return tidy(username)

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Django's, which ends with the password, made to end with the epoch as well."""
        of_password: str = super()._get_session_auth_hash(secret)  # type: ignore[misc]
        if not self.session_epoch:
            return of_password
        epoch = str(self.session_epoch)
        return salted_hmac(of_password, epoch, secret=secret, algorithm="sha256").hexdigest()


class HeldName(models.Model):
    """A closed account's name, which nobody may take for a time. Only a keyed hash is kept."""

    skeleton_hmac = models.CharField("hmac", max_length=64, unique=True)
    until = models.DateTimeField(_("Until"))

    class Meta:
        verbose_name = _("Held name")
        verbose_name_plural = _("Held name")

    def __str__(self) -> str:
        return f"{self.until:%Y-%m-%d %H:%M}"


class PasswordLink(models.Model):
    """A way to a new password that an administrator hands to a person. Only its hash is kept."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="password_links"
    )
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    token_sha256 = models.CharField("sha256", max_length=64, unique=True)
    # Of the password that it was made to replace: with that one it ends.
    password_hmac = models.CharField("hmac", max_length=64, default="")
    made_at = models.DateTimeField(_("Created"))
    expires_at = models.DateTimeField(_("Expires at"))
    used_at = models.DateTimeField(_("Used at"), null=True)

    class Meta:
        ordering = ["-made_at", "-pk"]
        verbose_name = _("Password link")
        verbose_name_plural = _("Password link")

    def __str__(self) -> str:
        return f"{self.user} {self.made_at:%Y-%m-%d %H:%M}"


class ApiToken(models.Model):
    """What a program says instead of a password, as far as its scope goes. A hash is kept."""

    class Scope(models.TextChoices):
        """Each may what the ones before it may."""

        READ = "read", pgettext_lazy("scope", "Read")
        SUBMIT = "submit", _("Read and submit")
        ORGANIZE = "organize", _("Everything, running competitions too")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(pgettext_lazy("token", "Name"), max_length=80)
    scope = models.CharField(_("Scope"), max_length=10, choices=Scope.choices)
    digest = models.CharField("sha256", max_length=64, unique=True)
    made_at = models.DateTimeField(_("Created"))
    expires_at = models.DateTimeField(_("Expires at"))
    last_used_at = models.DateTimeField(_("Last used"), null=True)

    class Meta:
        ordering = ["-made_at", "-pk"]
        verbose_name = _("API token")
        verbose_name_plural = _("API token")

    def __str__(self) -> str:
        return f"{self.user} {self.made_at:%Y-%m-%d %H:%M}"

    def allows(self, scope: str) -> bool:
        """Whether what needs `scope` may be done with this token."""
        order = list(self.Scope)
        return order.index(self.Scope(self.scope)) >= order.index(self.Scope(scope))


class RateCount(models.Model):
    """How often something happened until `ends_at`; see `rate_limits`. No history is kept."""

    key = models.CharField("sha256", max_length=64, unique=True)
    number = models.PositiveIntegerField(_("Count"), default=0)
    ends_at = models.DateTimeField(_("ends at"), db_index=True)

    class Meta:
        verbose_name = _("rate limit")
        verbose_name_plural = _("rate limit")

    def __str__(self) -> str:
        return f"{self.key[:8]} {self.number}"
