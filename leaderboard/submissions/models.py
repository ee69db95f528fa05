"""What a team handed in, and what it cost."""

import uuid

from django.conf import settings
from django.core.files.storage import storages
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.competitions.storage import Store
from leaderboard.teams.models import Team
from leaderboard.texts import say


def submission_storage() -> Store:
    """Where prediction files lie, apart from references."""
    place = storages["submissions"]
    assert isinstance(place, Store)
    return place


class Submission(models.Model):
    """One accepted upload. The file never changes; it has no status: see its evaluations."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.PROTECT, related_name="submissions")
    # The team that handed it in; `team` may be another one since the two merged.
    origin = models.ForeignKey(Team, models.PROTECT, related_name="+")
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    received_at = models.DateTimeField(_("Received"))
    key = models.CharField(_("Idempotency key"), max_length=64)
    file = models.FileField(_("File"), storage=submission_storage, max_length=120)
    file_name = models.CharField(_("Name as sent"), max_length=120)
    size = models.PositiveIntegerField(_("Size"))
    sha256 = models.CharField("sha256", max_length=64)
    notices = models.JSONField(_("Notice"), default=list)
    note = models.CharField(_("Note"), max_length=500, blank=True)
    method_name = models.CharField(_("Method"), max_length=80, blank=True)
    is_late = models.BooleanField(_("Late entries"), default=False)

    class Meta:
        ordering = ["-received_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["origin", "key"], name="one_submission_per_origin_key")
        ]
        indexes = [
            models.Index(fields=["team", "-received_at"]),
            # Of one team, or of anybody: the desk finds hashes by their beginning.
            models.Index(fields=["sha256", "team"], name="submission_by_hash"),
            models.Index(
                fields=["-received_at", "-id"],
                condition=models.Q(is_late=True),
                name="submission_late_by_time",
            ),
            # What came lately, whoever sent it: the sweeper asks in each of its rounds.
            models.Index(fields=["-received_at", "-id"], name="submission_by_time"),
            models.Index(fields=["file"], name="submission_by_file"),
        ]
        verbose_name = _("Submission")
        verbose_name_plural = _("Submission")

    def __str__(self) -> str:
        return f"{self.team} {self.received_at:%Y-%m-%d %H:%M}"


class SubmissionText(models.Model):
    """The predictions of a file that an earlier version took, and whose file is not in the store.

    Nothing writes any; `queries.texts_of` reads one where the file is lost. The table goes with the
    next release.
    """

    submission = models.OneToOneField(
        Submission, models.CASCADE, primary_key=True, related_name="text"
    )
    blob = models.BinaryField()

    class Meta:
        verbose_name = _("Submission text")
        verbose_name_plural = _("Submission text")

    def __str__(self) -> str:
        return str(self.submission_id)


class Cancellation(models.Model):
    """A submission that its team took back while it waited. It is never scored, by any version."""

    submission = models.OneToOneField(
        Submission, models.CASCADE, primary_key=True, related_name="cancellation"
    )
    cancelled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("Cancelled by")
    )
    at = models.DateTimeField(_("Time"))

    class Meta:
        verbose_name = _("Cancelled")
        verbose_name_plural = _("Cancelled")

    def __str__(self) -> str:
        return str(self.submission_id)


class Exclusion(models.Model):
    """A submission that an organizer took off the boards. Restoring deletes the row; the log keeps
    both."""

    submission = models.OneToOneField(
        Submission, models.CASCADE, primary_key=True, related_name="exclusion"
    )
    excluded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("Excluded by")
    )
    at = models.DateTimeField(_("Time"))
    reason = models.CharField(_("Reason"), max_length=300)
    reason_shown = models.BooleanField(_("Show the reason to the team"), default=True)

    class Meta:
        verbose_name = _("Exclusion")
        verbose_name_plural = _("Exclusion")

    def __str__(self) -> str:
        return str(self.submission_id)


class FinalChoice(models.Model):
    """A submission that a team chose for the private board."""

    submission = models.OneToOneField(
        Submission, models.CASCADE, primary_key=True, related_name="final_choice"
    )
    chosen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("Chosen by")
    )
    at = models.DateTimeField(_("Time"))

    class Meta:
        verbose_name = _("Finals")
        verbose_name_plural = _("Finals")

    def __str__(self) -> str:
        return str(self.submission_id)


class QuotaEntry(models.Model):
    """One line of a team's ledger: what a day's slots were used for, and what came back."""

    class Kind(models.TextChoices):
        CHARGE = "charge", _("Charge")
        REFUND = "refund", _("Refund")
        GRANT = "grant", _("Grant")
        CARRIED = "carried", _("Carried over")

    class Reason(models.TextChoices):
        """Why there is a line that nobody gave words to."""

        SUBMITTED = "submitted", _("Submission")
        FAILED = "failed", pgettext_lazy("ledger", "Scoring failed on our side")
        CANCELLED = "cancelled", _("Cancelled by the team")
        CARRIED = "carried", _("Used in the team before")

    team = models.ForeignKey(Team, models.PROTECT, related_name="quota_entries")
    # The team that a merge brought the line from. None: it was written for this one.
    origin = models.ForeignKey(Team, models.PROTECT, null=True, blank=True, related_name="+")
    # Of a carried line: the team that had used it. None: carried before this was kept.
    source = models.ForeignKey(Team, models.PROTECT, null=True, blank=True, related_name="+")
    submission = models.ForeignKey(
        Submission, models.PROTECT, null=True, related_name="quota_entries"
    )
    kind = models.CharField(_("Kind"), max_length=7, choices=Kind.choices)
    amount = models.PositiveSmallIntegerField(_("Count"), default=1)
    day = models.DateField(_("Contest day"))
    at = models.DateTimeField(_("Time"))
    reason = models.CharField(_("Reason"), max_length=9, choices=Reason.choices, blank=True)
    words = models.CharField(_("Reason in words"), max_length=200, blank=True)

    class Meta:
        ordering = ["at", "id"]
        constraints = [
            # A retry of `fail` can never give the same attempt back twice.
            models.UniqueConstraint(fields=["submission", "kind"], name="one_entry_per_kind"),
        ]
        indexes = [models.Index(fields=["team", "day"])]
        verbose_name = _("Quota ledger")
        verbose_name_plural = _("Quota ledger")

    def __str__(self) -> str:
        return f"{self.kind} {self.amount}"

    @property
    def signed(self) -> int:
        """Its amount as it changes what is left: what takes attempts is negative."""
        takes = self.kind in (self.Kind.CHARGE, self.Kind.CARRIED)
        return -self.amount if takes else self.amount

    def message(self, language: str) -> str:
        """Why it is there: the sentence of its reason, or an organizer's own words."""
        return say(self.Reason(self.reason).label, language) if self.reason else self.words
