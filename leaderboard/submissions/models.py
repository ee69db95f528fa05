"""What a team handed in, and what it cost."""

import uuid

from django.conf import settings
from django.core.files.storage import Storage, storages
from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.teams.models import Team


def submission_storage() -> Storage:
    """Where prediction files lie, apart from golds."""
    return storages["submissions"]


class Submission(models.Model):
    """One accepted upload. The file never changes; it has no status: see its evaluations."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.PROTECT, related_name="submissions")
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    received_at = models.DateTimeField(_("받은 시각"))
    key = models.CharField(_("반복 방지 열쇠"), max_length=64)
    file = models.FileField(_("파일"), storage=submission_storage, max_length=120)
    file_name = models.CharField(_("보낸 이름"), max_length=120)
    size = models.PositiveIntegerField(_("크기"))
    sha256 = models.CharField("sha256", max_length=64)
    notices = models.JSONField(_("알림"), default=list)
    note = models.CharField(_("메모"), max_length=500, blank=True)
    method_name = models.CharField(_("방법 이름"), max_length=80, blank=True)
    is_late = models.BooleanField(_("마감 뒤 제출"), default=False)

    class Meta:
        ordering = ["-received_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["team", "key"], name="one_submission_per_key")
        ]
        indexes = [
            models.Index(fields=["team", "-received_at"]),
            models.Index(fields=["team", "sha256"]),
            models.Index(fields=["file"], name="submission_by_file"),
        ]
        verbose_name = _("제출")
        verbose_name_plural = _("제출")

    def __str__(self) -> str:
        return f"{self.team} {self.received_at:%Y-%m-%d %H:%M}"


class SubmissionText(models.Model):
    """The predictions as the validator read them: what a worker scores, on whatever machine.

    Kept in the database, so that a worker needs no way to the web machine's files.
    """

    submission = models.OneToOneField(
        Submission, models.CASCADE, primary_key=True, related_name="text"
    )
    blob = models.BinaryField()

    class Meta:
        verbose_name = _("제출 본문")
        verbose_name_plural = _("제출 본문")

    def __str__(self) -> str:
        return str(self.submission_id)


class Cancellation(models.Model):
    """A submission that its team took back while it waited. It is never scored, by any version."""

    submission = models.OneToOneField(
        Submission, models.CASCADE, primary_key=True, related_name="cancellation"
    )
    cancelled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("취소한 사람")
    )
    at = models.DateTimeField(_("시각"))

    class Meta:
        verbose_name = _("취소")
        verbose_name_plural = _("취소")

    def __str__(self) -> str:
        return str(self.submission_id)


class Exclusion(models.Model):
    """A submission that an organizer took off the boards. Restoring deletes the row; the log keeps
    both."""

    submission = models.OneToOneField(
        Submission, models.CASCADE, primary_key=True, related_name="exclusion"
    )
    excluded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("뺀 사람")
    )
    at = models.DateTimeField(_("시각"))
    reason = models.CharField(_("까닭"), max_length=300)
    reason_shown = models.BooleanField(_("팀에게 까닭을 보임"), default=True)

    class Meta:
        verbose_name = _("제외")
        verbose_name_plural = _("제외")

    def __str__(self) -> str:
        return str(self.submission_id)


class FinalChoice(models.Model):
    """A submission that a team chose for the private board."""

    submission = models.OneToOneField(
        Submission, models.CASCADE, primary_key=True, related_name="final_choice"
    )
    chosen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("고른 사람")
    )
    at = models.DateTimeField(_("시각"))

    class Meta:
        verbose_name = _("최종 제출")
        verbose_name_plural = _("최종 제출")

    def __str__(self) -> str:
        return str(self.submission_id)


class QuotaEntry(models.Model):
    """One line of a team's ledger: what a day's slots were used for, and what came back."""

    class Kind(models.TextChoices):
        CHARGE = "charge", _("사용")
        REFUND = "refund", _("돌려받음")
        GRANT = "grant", _("더 받음")

    team = models.ForeignKey(Team, models.PROTECT, related_name="quota_entries")
    submission = models.ForeignKey(
        Submission, models.PROTECT, null=True, related_name="quota_entries"
    )
    kind = models.CharField(_("종류"), max_length=6, choices=Kind.choices)
    amount = models.PositiveSmallIntegerField(_("횟수"), default=1)
    day = models.DateField(_("대회 날짜"))
    at = models.DateTimeField(_("시각"))
    reason_ko = models.CharField(_("까닭"), max_length=200)
    reason_en = models.CharField(_("까닭 (영어)"), max_length=200)

    class Meta:
        ordering = ["at", "id"]
        constraints = [
            # A retry of `fail` can never give the same attempt back twice.
            models.UniqueConstraint(fields=["submission", "kind"], name="one_entry_per_kind"),
        ]
        indexes = [models.Index(fields=["team", "day"])]
        verbose_name = _("횟수 장부")
        verbose_name_plural = _("횟수 장부")

    def __str__(self) -> str:
        return f"{self.kind} {self.amount}"


class FileRound(models.Model):
    """What the last round over the folder of files found. One row; `orphans` alone writes it.

    `installation` and the number of the round stand in the folder too: a database that is not the
    files' own, or older than they are, is known by them.
    """

    class Stop(models.TextChoices):
        """Why a round moved nothing."""

        OTHER = "other", _("폴더가 다른 데이터베이스의 것")
        OLDER = "older", _("데이터베이스가 파일보다 오래됨")
        UNKNOWN = "unknown", _("폴더가 누구의 것인지 모름")
        MANY = "many", _("제출이 없는 파일이 너무 많음")

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    installation = models.UUIDField(_("설치 id"), null=True)
    number = models.PositiveBigIntegerField(_("차례"), default=0)
    ended_at = models.DateTimeField(_("마친 시각"), null=True)
    erases_from = models.DateTimeField(_("휴지통을 비우는 때"), null=True)
    files = models.PositiveBigIntegerField(_("파일"), default=0)
    without_row = models.PositiveBigIntegerField(_("제출이 없는 파일"), default=0)
    trashed = models.PositiveBigIntegerField(_("휴지통의 파일"), default=0)
    stopped = models.CharField(
        _("옮기지 않은 까닭"), max_length=7, choices=Stop.choices, blank=True
    )

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="one_file_round")]
        verbose_name = _("파일 점검")
        verbose_name_plural = _("파일 점검")

    def __str__(self) -> str:
        return f"{self.number} {self.stopped}"
