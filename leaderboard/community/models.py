"""Announcements: what organizers, and the schedule itself, tell the people of a contest."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Team


class Announcement(models.Model):
    """One announcement. A correction is marked (`edited_at`); the log keeps the words of before."""

    class Audience(models.TextChoices):
        ALL = "all", pgettext_lazy("audience", "Everybody")
        NO_SUBMISSION = "no_submission", _("Teams without a submission")
        TEAMS = "teams", _("Chosen teams")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="announcements")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("Author")
    )
    at = models.DateTimeField(_("Time"))
    edited_at = models.DateTimeField(_("edited at"), null=True)
    text = models.TextField(_("Content"), max_length=2000)
    text_en = models.TextField(_("Text (English)"), max_length=2000, blank=True)
    audience = models.CharField(
        _("Recipient"), max_length=13, choices=Audience.choices, default=Audience.ALL
    )
    teams = models.ManyToManyField(Team, blank=True, related_name="announcements")
    pinned = models.BooleanField(_("Pin to the top"), default=False)

    class Meta:
        ordering = ["-pinned", "-at", "pk"]
        indexes = [models.Index(fields=["competition", "-at"])]
        verbose_name = _("Announcement")
        verbose_name_plural = _("Announcement")

    def __str__(self) -> str:
        return self.text[:40]

    def text_in(self, language: str) -> str:
        return self.text_en if language == "en" and self.text_en else self.text
