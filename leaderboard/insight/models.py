"""What is derived of leaderboards and files to say how far they can be believed.

The tables keep the names that they had in `boards`. Nothing in the database holds their rows to
what they are about: where this app is taken out, a contest can still be deleted.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.boards.models import Placement
from leaderboard.competitions.models import Competition, data_storage
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion, gold_storage
from leaderboard.teams.models import Team


class BoardBands(models.Model):
    """How far the order of a board can be believed; see `bands`. Derived, made anew by a task when
    the standings changed.

    `instant`: of the rows that it was made of, None: of now. `threshold`: totals nearer than this
    are within noise (× 10⁴); None with too few rows or teams. `totals`: the printed totals of the
    ranked teams, ascending, as little-endian int64. `facts`: what else was found of the board.
    """

    scoring_version = models.ForeignKey(
        ScoringVersion, models.CASCADE, related_name="bands", db_constraint=False
    )
    board = models.CharField(_("Board"), max_length=7, choices=Placement.Board.choices)
    stamp = models.CharField(max_length=64)
    made_at = models.DateTimeField(_("Created"))
    look_after = models.DateTimeField()
    instant = models.DateTimeField(null=True)
    rows = models.PositiveIntegerField(_("Rows"))
    threshold = models.BigIntegerField(null=True)
    signature = models.TextField(_("Signature"))
    totals = models.BinaryField()
    facts = models.JSONField(default=dict)

    class Meta:
        db_table = "boards_boardbands"
        constraints = [
            models.UniqueConstraint(fields=["scoring_version", "board"], name="one_band_row"),
        ]
        verbose_name = _("Rank ranges")
        verbose_name_plural = _("Rank ranges")

    def __str__(self) -> str:
        return f"{self.scoring_version} {self.board}"


class FileLift(models.Model):
    """What an evaluated file owes to its texts standing where they stand, on one board; see `lift`.
    Derived and never changed, as an evaluation that is done is not.

    `ratio`: lift / total, None where the total is 0 or the board has one row. `length`: mean tokens
    of a text over the whole file.
    """

    evaluation = models.ForeignKey(
        Evaluation, models.CASCADE, related_name="lifts", db_constraint=False
    )
    board = models.CharField(_("Board"), max_length=7, choices=Placement.Board.choices)
    ratio = models.FloatField(_("Dialogue-specific share"), null=True)
    length = models.FloatField(_("Length"))
    signature = models.TextField(_("Signature"))

    class Meta:
        db_table = "boards_filelift"
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "board"], name="one_lift_per_board"),
        ]
        verbose_name = _("Dialogue-specific share")
        verbose_name_plural = _("Dialogue-specific share")

    def __str__(self) -> str:
        return f"{self.evaluation_id} {self.board}"


class FileLights(models.Model):
    """Signs that an evaluated file is made for the number, for organizers alone; see `lights`.

    `found`: light, rows and of how many, by name. Derived; made anew where `signature` is another.
    """

    evaluation = models.OneToOneField(
        Evaluation, models.CASCADE, related_name="lights", db_constraint=False
    )
    signature = models.TextField(_("Signature"))
    found = models.JSONField(_("Flags"))

    class Meta:
        db_table = "boards_filelights"
        verbose_name = _("Flags")
        verbose_name_plural = _("Flags")

    def __str__(self) -> str:
        return f"{self.evaluation_id}"


class TeamSpread(models.Model):
    """How far a team's files differ row by row, for organizers alone; see `gaps`. Derived.

    `files`: of its standing as they were read; made anew where it is another. `deviation`: as in
    `scoring.insight.tuning_gap`, over all rows; None with fewer than two files. `gap`: public less
    private total (× 10⁴) of the file that stands for it on the public board.
    """

    scoring_version = models.ForeignKey(
        ScoringVersion, models.CASCADE, related_name="spreads", db_constraint=False
    )
    team = models.ForeignKey(Team, models.CASCADE, related_name="spreads", db_constraint=False)
    files = models.BigIntegerField(default=0)
    deviation = models.FloatField(_("Deviation"), null=True)
    gap = models.BigIntegerField(null=True)

    class Meta:
        db_table = "boards_teamspread"
        constraints = [
            models.UniqueConstraint(fields=["scoring_version", "team"], name="one_spread_per_team"),
        ]
        verbose_name = _("Deviation")
        verbose_name_plural = _("Deviation")

    def __str__(self) -> str:
        return f"{self.team_id} {self.deviation}"


class ClosingReport(models.Model):
    """The bundles of a revealed contest, as they were last made; see `closing`.

    Derived, made anew by a task when what stands on the boards changed. The public edition is for
    who may read the final board, the organizers' one holds golds and every file that stands there.
    """

    competition = models.OneToOneField(
        Competition,
        models.CASCADE,
        related_name="closing_report",
        verbose_name=_("Competition"),
        db_constraint=False,
    )
    scoring_version = models.ForeignKey(
        ScoringVersion, models.CASCADE, related_name="+", db_constraint=False
    )
    stamp = models.CharField(max_length=64)
    made_at = models.DateTimeField(_("Created"))
    look_after = models.DateTimeField()
    public = models.FileField(_("Public edition"), storage=data_storage)
    public_sha256 = models.CharField("sha256", max_length=64)
    public_size = models.PositiveBigIntegerField(_("Size"))
    organizers = models.FileField(_("Organizers' edition"), storage=gold_storage)
    organizers_sha256 = models.CharField("sha256", max_length=64)
    organizers_size = models.PositiveBigIntegerField(_("Size"))

    class Meta:
        db_table = "boards_closingreport"
        verbose_name = _("Closing report")
        verbose_name_plural = _("Closing report")

    def __str__(self) -> str:
        return f"{self.competition}"
