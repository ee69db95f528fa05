"""Asking a judge again what it has answered, to see which answers change."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.judging.models.configs import JudgeConfig
from leaderboard.judging.models.judgings import Judging
from leaderboard.judging.models.leases import Leased


class Repeat(Leased):
    """Some rows of one judging asked again and again; nothing of it is in any column.

    waiting → complete, or stopped. Fenced as judgings are; see `repeating`.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("Measuring")
        COMPLETE = "complete", _("Done")
        STOPPED = "stopped", _("Stopped")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    config = models.ForeignKey(JudgeConfig, models.PROTECT, related_name="repeats")
    config_hash = models.CharField(max_length=64)
    judging = models.ForeignKey(Judging, models.PROTECT, related_name="+")
    state = models.CharField(_("State"), max_length=8, choices=State.choices, default=State.WAITING)
    # In the plan's order: [example id, key of the answer that holds its claims].
    rows = models.JSONField()
    # Answers to each item in all: the stored one and so many less one. One more is asked with the
    # items in another order.
    samples = models.PositiveSmallIntegerField()
    # Pass → example id → {"items": kind → item id → verdict, "scores": metric → score}; the stored
    # answers are pass "0".
    said = models.JSONField()
    done = models.PositiveIntegerField(_("Rows done"), default=0)
    numbers = models.JSONField(default=dict)
    begun_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    begun_at = models.DateTimeField(_("Started at"))
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-begun_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["config"],
                condition=models.Q(state="waiting"),
                name="one_repeat_at_a_time",
            ),
        ]
        verbose_name = _("Repeats")
        verbose_name_plural = _("Repeats")

    def __str__(self) -> str:
        return f"{self.config_id} {self.state}"

    @property
    def to_do(self) -> int:
        """How many rows are asked in all, each as often as it is."""
        return len(self.rows) * self.samples
