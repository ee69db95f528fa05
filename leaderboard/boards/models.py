"""The read models of the boards: one row per version, board and team, now and at past instants."""

from secrets import randbits

from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team


class Placement(models.Model):
    """What a team shows on a board. Derived from its scores, rebuildable, checked by a command.

    Totals and metrics are kept as the integers that are printed (4 decimals), so that order, ties
    and print can never disagree.
    """

    class Board(models.TextChoices):
        PUBLIC = "public", "Public"
        PRIVATE = "private", "Private"

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
    """A team's placement now."""

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
        ]
        verbose_name = _("Standing")
        verbose_name_plural = _("Standing")

    def __str__(self) -> str:
        return f"{self.team} {self.board}"  # no number: lists of rows show this


class BoardInstant(models.Model):
    """An instant of which a version's standings are kept: a contest midnight, or the freeze.

    The row comes first, so that `place` keeps it up to date; `filled` says that every team has been
    gone through and the board of that instant may be shown.
    """

    scoring_version = models.ForeignKey(
        ScoringVersion, models.CASCADE, related_name="board_instants"
    )
    instant = models.DateTimeField(_("Time"))
    filled = models.BooleanField(_("Filled"), default=False)

    class Meta:
        ordering = ["instant"]
        constraints = [
            models.UniqueConstraint(
                fields=["scoring_version", "instant"], name="one_board_per_instant"
            )
        ]
        verbose_name = _("Past board")
        verbose_name_plural = _("Past board")

    def __str__(self) -> str:
        return f"{self.scoring_version} {self.instant:%Y-%m-%d %H:%M}"


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
    """A team's placement by the submissions received before an instant, whenever scored.

    A function of version, those submissions, and today's exclusions and finals.
    """

    scoring_version = models.ForeignKey(
        ScoringVersion, models.CASCADE, related_name="standing_days"
    )
    instant = models.DateTimeField(_("Time"))
    team = models.ForeignKey(Team, models.CASCADE, related_name="standing_days")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scoring_version", "team", "board", "instant"],
                name="one_standing_per_team_and_instant",
            ),
        ]
        indexes = [
            models.Index(
                fields=[
                    "scoring_version",
                    "board",
                    "instant",
                    "-printed",
                    "received_at",
                    "team",
                    "ranked",
                ],
                name="standing_day_by_total",
            ),
        ]
        verbose_name = _("Line of a past board")
        verbose_name_plural = _("Line of a past board")

    def __str__(self) -> str:
        return f"{self.team} {self.board} {self.instant:%Y-%m-%d %H:%M}"


def random_mark() -> int:
    """Forty random bits: the sum of eight million marks fits into a column of SQLite."""
    return randbits(40)


class BoardChange(models.Model):
    """A transaction changed boards of a version. Written and read by `changes` alone.

    `since`: the earliest kept instant whose board changed; None: only the board of now.
    """

    scoring_version = models.ForeignKey(
        ScoringVersion, models.CASCADE, related_name="+", db_index=False
    )
    since = models.DateTimeField(_("From the leaderboard of this instant"), null=True)
    mark = models.BigIntegerField(_("Mark"), default=random_mark)

    class Meta:
        indexes = [
            models.Index(fields=["scoring_version", "since", "mark"], name="marks_of_a_version")
        ]
        verbose_name = _("Change of a leaderboard")
        verbose_name_plural = _("Change of a leaderboard")

    def __str__(self) -> str:
        return str(self.scoring_version_id)
