"""The read model of the boards: one row per version, board and team."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team


class Standing(models.Model):
    """What a team shows on one board. Derived from its scores, rebuildable, checked by a command.

    Totals and metrics are kept as the integers that are printed (4 decimals), so that order, ties
    and print can never disagree.
    """

    class Board(models.TextChoices):
        PUBLIC = "public", "Public"
        PRIVATE = "private", "Private"

    scoring_version = models.ForeignKey(ScoringVersion, models.CASCADE, related_name="standings")
    board = models.CharField(_("순위표"), max_length=7, choices=Board.choices)
    team = models.ForeignKey(Team, models.CASCADE, related_name="standings")
    printed = models.BigIntegerField(_("총점 × 10⁴"))
    metrics = models.JSONField(_("지표 × 10⁴"))
    submission = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    received_at = models.DateTimeField(_("그 제출을 받은 시각"))
    entries = models.PositiveIntegerField(_("제출 수"))
    last_submission_at = models.DateTimeField(_("마지막 제출"))

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scoring_version", "board", "team"], name="one_standing_per_team"
            ),
        ]
        indexes = [
            models.Index(
                fields=["scoring_version", "board", "-printed", "received_at", "team"],
                name="standing_in_board_order",
            ),
        ]
        verbose_name = _("순위 줄")
        verbose_name_plural = _("순위 줄")

    def __str__(self) -> str:
        return f"{self.team} {self.board}"  # no number: lists of rows show this
