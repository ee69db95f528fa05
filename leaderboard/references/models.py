"""Immutable uploads of golds, and the scoring versions that boards are scored with."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import Competition
from scoring.profile import Profile


class ReferenceSet(models.Model):
    """One hashed upload of all references of a competition. Never edited, never served."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.PROTECT, related_name="reference_sets")
    sha256 = models.CharField("sha256", max_length=64)
    rows = models.PositiveIntegerField(_("행"))
    public_rows = models.PositiveIntegerField(_("public 행"))
    private_rows = models.PositiveIntegerField(_("private 행"))
    golds_min = models.PositiveSmallIntegerField(_("행마다 정답, 최소"))
    golds_max = models.PositiveSmallIntegerField(_("행마다 정답, 최대"))
    split_seed = models.BigIntegerField(_("나누기 씨앗"), null=True)
    file_names = models.JSONField(_("파일 이름"), default=list)
    stored_as = models.JSONField(_("저장 이름"), default=list)
    notices = models.JSONField(_("알림"), default=list)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField(_("올린 시각"))

    class Meta:
        ordering = ["-uploaded_at"]
        verbose_name = _("정답 묶음")
        verbose_name_plural = _("정답 묶음")

    def __str__(self) -> str:
        return self.sha256[:8]


class Example(models.Model):
    """One dialogue's references. `example_id` is the id that predictions name."""

    reference_set = models.ForeignKey(ReferenceSet, models.CASCADE, related_name="examples")
    position = models.PositiveIntegerField()
    example_id = models.CharField(max_length=200)
    references = models.JSONField()
    split = models.CharField(max_length=7)
    topic = models.TextField(blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["reference_set", "example_id"], name="one_example_per_id"
            ),
            models.CheckConstraint(
                condition=models.Q(split__in=["public", "private"]), name="example_split_is_known"
            ),
        ]
        verbose_name = _("정답 행")
        verbose_name_plural = _("정답 행")

    def __str__(self) -> str:
        return self.example_id


class ScoringVersion(models.Model):
    """A reference set under a profile: one signature, "v3" of its competition."""

    class State(models.TextChoices):
        DRAFT = "draft", _("초안")
        REHEARSING = "rehearsing", _("예행")
        LIVE = "live", _("사용 중")
        RETIRED = "retired", _("물러남")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.PROTECT, related_name="scoring_versions")
    number = models.PositiveIntegerField(_("번호"))
    reference_set = models.ForeignKey(ReferenceSet, models.PROTECT, related_name="scoring_versions")
    profile_settings = models.JSONField(_("채점 설정"))
    signature = models.TextField(_("서명"))
    state = models.CharField(_("상태"), max_length=10, choices=State.choices, default=State.DRAFT)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(_("만든 시각"))
    made_live_at = models.DateTimeField(_("사용 시작"), null=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "number"], name="one_version_per_number"
            ),
            models.UniqueConstraint(
                fields=["competition"],
                condition=models.Q(state="live"),
                name="one_live_version",
            ),
        ]
        verbose_name = _("채점 기준")
        verbose_name_plural = _("채점 기준")

    def __str__(self) -> str:
        return f"v{self.number}"

    def profile(self) -> Profile:
        """The profile as the workshop knows it."""
        return Profile.from_dict(self.profile_settings)
