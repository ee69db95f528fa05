"""The person behind a session or a token."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """A person. Roles live with the contest they are for, never here."""

    class Language(models.TextChoices):
        KOREAN = "ko", _("한국어")
        ENGLISH = "en", _("영어")

    language = models.CharField(
        _("언어"), max_length=2, choices=Language.choices, default=Language.KOREAN
    )
