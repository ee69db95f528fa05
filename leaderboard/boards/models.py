"""The read models of the boards: one row per version, board and team, now and as it was before."""

from datetime import UTC, date, datetime, timedelta
from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team

FOREVER = datetime(9999, 1, 1, tzinfo=UTC)  # until now, and on


class Placement(models.Model):
    """What a team shows on a board. Derived from its scores, rebuildable, checked by a command.

    Totals and metrics are kept as the integers that are printed (4 decimals), so that order, ties
    and print can never disagree.
    """

    class Board(models.TextChoices):
        PUBLIC = "public", _("Public")
        PRIVATE = "private", _("Private")

    board = models.CharField(_("Board"), max_length=7, choices=Board.choices)
    printed = models.BigIntegerField(_("Total × 10⁴"))
    metrics = models.JSONField(_("Metrics × 10⁴"))
    submission = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    received_at = models.DateTimeField(_("That submission received at"))
    entries = models.PositiveIntegerField(_("Entries"))
    last_submission_at = models.DateTimeField(_("Last submission"))
    ranked = models.BooleanField(_("Ranked"), default=True)  # a baseline's row has none

    class Meta:
        abstract = True


class Standing(Placement):
    """A team's placement now. `files`: another number where other files count than before.

    `sort_key` is the team's, so that a page of a board by name is read from an index.
    """

    files = models.BigIntegerField(default=0)
    sort_key = models.CharField(max_length=200, default="")
    scoring_version = models.ForeignKey(ScoringVersion, models.CASCADE, related_name="standings")
    team = models.ForeignKey(Team, models.CASCADE, related_name="standings")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scoring_version", "board", "team"], name="one_standing_per_team"
            ),
        ]
        indexes = [
            # `ranked` stands in it so that all totals can be read from the index alone.
            models.Index(
                fields=["scoring_version", "board", "-printed", "received_at", "team", "ranked"],
                name="standing_by_total",
            ),
            models.Index(
                fields=["scoring_version", "board", "sort_key", "-printed", "received_at", "team"],
                name="standing_by_name",
            ),
        ]
        verbose_name = _("Standing")
        verbose_name_plural = _("Standing")

    def __str__(self) -> str:
        return f"{self.team} {self.board}"  # no number: lists of rows show this


class Switch(models.Model):
    """Who moved on one board when a version took another's place. Written once, as it was decided:
    both boards go on afterwards, so it cannot be computed again.

    `moves`: team, and before and after the rank, the printed total (× 10⁴) and the submission that
    stood for it, in the order of the new board.
    """

    scoring_version = models.ForeignKey(ScoringVersion, models.CASCADE, related_name="switches")
    replaced = models.ForeignKey(ScoringVersion, models.CASCADE, related_name="+")
    board = models.CharField(_("Board"), max_length=7, choices=Placement.Board.choices)
    at = models.DateTimeField(_("Made live"))
    moves = models.JSONField(_("moves"))

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["scoring_version", "board", "at"], name="one_switch_at_a_time"
            )
        ]
        verbose_name = _("change of version")
        verbose_name_plural = _("change of version")

    def __str__(self) -> str:
        return f"{self.scoring_version} {self.board}"


class StandingDay(Placement):
    """A team's placement from one of its submissions on, `until` the next one came.

    A function of version, submissions received before an instant (whenever they were scored), and
    today's exclusions and finals: at an instant, the row with `last_submission_at` before it and
    `until` not before it. Standing rows that are only counted once more have no `stands_until`; of
    the others it says when another submission took over, so that few rows tell a past order.
    """

    scoring_version = models.ForeignKey(
        ScoringVersion, models.CASCADE, related_name="standing_days"
    )
    team = models.ForeignKey(Team, models.CASCADE, related_name="standing_days")
    until = models.DateTimeField(default=FOREVER)
    stands_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scoring_version", "team", "board", "last_submission_at"],
                name="one_standing_from_an_instant",
            ),
        ]
        indexes = [
            models.Index(
                fields=[
                    "scoring_version",
                    "board",
                    "-printed",
                    "received_at",
                    "team",
                    "last_submission_at",
                    "stands_until",
                    "ranked",
                ],
                condition=models.Q(stands_until__isnull=False),
                name="standing_day_by_total",
            ),
        ]
        verbose_name = _("Line of a past board")
        verbose_name_plural = _("Line of a past board")

    def __str__(self) -> str:
        return f"{self.team} {self.board} {self.last_submission_at:%Y-%m-%d %H:%M}"


class Figures(models.Model):
    """What pages of a large contest would count over all of it, kept by a task every few minutes
    (`figures`) and shown with its time. Those of a smaller contest are counted at once.

    `taken`: files by contest day; `shake_up`: `shake_up.Numbers`, for who may see both boards;
    `more`: what apps above add, by name, for organizers alone.
    """

    scoring_version = models.OneToOneField(
        ScoringVersion, models.CASCADE, related_name="figures", primary_key=True
    )
    made_at = models.DateTimeField(_("Created"))
    taken = models.JSONField(default=dict)
    more = models.JSONField(default=dict, db_column="lights")
    shake_up = models.JSONField(null=True)

    OLDEST = timedelta(hours=1)  # beyond it, as where no worker comes by, pages count themselves

    class Meta:
        verbose_name = _("Figures")
        verbose_name_plural = _("Figures")

    def __str__(self) -> str:
        return f"{self.scoring_version_id}"

    @classmethod
    def kept(cls, version: ScoringVersion, at: datetime) -> Self | None:
        """Those that are fresh enough; None: the page counts."""
        return cls.objects.filter(scoring_version=version, made_at__gt=at - cls.OLDEST).first()

    @property
    def days(self) -> dict[date, int]:
        """As `ledger.taken_by_day` counted them."""
        return {date.fromisoformat(on): number for on, number in self.taken.items()}
