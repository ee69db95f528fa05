"""What a judge worker holds for a while: the same columns for judgings and for building."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Leased(models.Model):
    """Taken by one worker at a time; see `claim`. Every change is fenced by (owner, attempt)."""

    attempt = models.PositiveIntegerField(default=0)
    owner = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    not_before = models.DateTimeField(null=True)
    # Why it waits: one of `claim.PAUSES`, or nothing.
    paused = models.CharField(_("Reason for the pause"), max_length=20, blank=True)

    class Meta:
        abstract = True
