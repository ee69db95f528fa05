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
        WAITING = "waiting", _("재는 중")
        COMPLETE = "complete", _("완료")
        STOPPED = "stopped", _("그만둠")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    config = models.ForeignKey(JudgeConfig, models.PROTECT, related_name="repeats")
    config_hash = models.CharField(max_length=64)
    judging = models.ForeignKey(Judging, models.PROTECT, related_name="+")
    state = models.CharField(_("상태"), max_length=8, choices=State.choices, default=State.WAITING)
    # In the plan's order: [example id, key of the answer that holds its claims].
    rows = models.JSONField()
    # Answers to each item in all: the stored one and so many less one. One more is asked with the
    # items in another order.
    samples = models.PositiveSmallIntegerField()
    # Pass → example id → {"items": kind → item id → verdict, "scores": metric → score}; the stored
    # answers are pass "0".
    said = models.JSONField()
    done = models.PositiveIntegerField(_("끝난 행"), default=0)
    numbers = models.JSONField(default=dict)
    begun_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    begun_at = models.DateTimeField(_("시작한 시각"))
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
        verbose_name = _("되풀이")
        verbose_name_plural = _("되풀이")

    def __str__(self) -> str:
        return f"{self.config_id} {self.state}"

    @property
    def to_do(self) -> int:
        """How many rows are asked in all, each as often as it is."""
        return len(self.rows) * self.samples
