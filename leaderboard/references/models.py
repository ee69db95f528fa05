"""Immutable uploads of golds, and the scoring versions that boards are scored with."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import Competition
from scoring.profile import Profile


class ReferenceSet(models.Model):
    """One hashed upload of all references of a competition. Never edited, never served."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.PROTECT, related_name="reference_sets")
    sha256 = models.CharField("sha256", max_length=64)
    # The same golds under another draw of the splits: equal here, different above.
    golds_sha256 = models.CharField(_("split을 뺀 sha256"), max_length=64)
    rows = models.PositiveIntegerField(_("행"))
    public_rows = models.PositiveIntegerField(_("public 행"))
    private_rows = models.PositiveIntegerField(_("private 행"))
    golds_min = models.PositiveSmallIntegerField(_("행마다 정답, 최소"))
    golds_max = models.PositiveSmallIntegerField(_("행마다 정답, 최대"))
    split_seed = models.BigIntegerField(_("나누기 씨앗"), null=True)
    file_names = models.JSONField(_("파일 이름"), default=list)
    stored_as = models.JSONField(_("저장 이름"), default=list)
    notices = models.JSONField(_("알림"), default=list)
    oddities = models.JSONField(_("살펴볼 것"), default=dict)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField(_("올린 시각"))

    class Meta:
        ordering = ["-uploaded_at", "pk"]
        verbose_name = _("정답 묶음")
        verbose_name_plural = _("정답 묶음")

    def __str__(self) -> str:
        return self.sha256[:8]


class Example(models.Model):
    """One dialogue's references. `example_id` is the id that predictions name.

    Only a practice set has no splits; `draft` takes no such set.
    """

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
                condition=models.Q(split__in=["public", "private", ""]),
                name="example_split_is_known",
            ),
        ]
        verbose_name = _("정답 행")
        verbose_name_plural = _("정답 행")

    def __str__(self) -> str:
        return self.example_id


class ScoringVersion(models.Model):
    """A reference set under a profile: one signature, "v3" of its competition.

    The number is given when the version is made live, so that participants read v1, v2, v3. Before
    that, and for ever if it never is, organizers know it by its number among all drafts.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("초안")
        REHEARSING = "rehearsing", _("예행")
        LIVE = "live", _("사용 중")
        RETIRED = "retired", _("물러남")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.PROTECT, related_name="scoring_versions")
    number = models.PositiveIntegerField(_("번호"), null=True)
    draft_number = models.PositiveIntegerField(_("초안 번호"))
    reference_set = models.ForeignKey(ReferenceSet, models.PROTECT, related_name="scoring_versions")
    profile_settings = models.JSONField(_("채점 설정"))
    signature = models.TextField(_("서명"))
    state = models.CharField(_("상태"), max_length=10, choices=State.choices, default=State.DRAFT)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(_("만든 시각"))
    made_live_at = models.DateTimeField(_("사용 시작"), null=True)
    retired_at = models.DateTimeField(_("사용 끝"), null=True)
    # Every gold handed in as a prediction, computed once; None until then.
    self_check = models.JSONField(_("스스로 점검"), null=True)

    class Meta:
        ordering = ["-draft_number"]
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "number"], name="one_version_per_number"
            ),
            models.UniqueConstraint(
                fields=["competition", "draft_number"], name="one_draft_per_number"
            ),
            models.CheckConstraint(
                condition=models.Q(made_live_at=None) & ~models.Q(state="live")
                | models.Q(number__isnull=False),
                name="what_was_live_has_a_number",
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
        return self.label

    @property
    def label(self) -> str:
        """What people call it, in the language of the page: `v3`, or 초안 4 before it was live."""
        if self.number is not None:
            return f"v{self.number}"
        return gettext("초안 %(number)d") % {"number": self.draft_number}

    @property
    def named(self) -> dict[str, int]:
        """What the log calls it."""
        return {"draft": self.draft_number} if self.number is None else {"version": self.number}

    @property
    def signed(self) -> dict[str, Any]:
        """The same with its signature."""
        return {**self.named, "signature": self.signature}

    def profile(self) -> Profile:
        """The profile as the workshop knows it."""
        return Profile.from_dict(self.profile_settings)

    @property
    def is_live(self) -> bool:
        """Whether the board is scored with it."""
        return self.state == self.State.LIVE


class SetUse(models.Model):
    """What the golds of a set are for. The constraint makes the two uses exclude each other:
    golds that any scoring version uses can never be released, and released ones never score."""

    class Kind(models.TextChoices):
        SCORED = "scored", _("채점")
        RELEASED = "released", _("공개")

    competition = models.ForeignKey(Competition, models.PROTECT, related_name="set_uses")
    golds_sha256 = models.CharField(_("split을 뺀 sha256"), max_length=64)
    use = models.CharField(_("쓰임"), max_length=8, choices=Kind.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "golds_sha256"], name="scored_or_released_not_both"
            ),
        ]
        verbose_name = _("정답의 쓰임")
        verbose_name_plural = _("정답의 쓰임")

    def __str__(self) -> str:
        return f"{self.golds_sha256[:8]} {self.use}"


class Release(models.Model):
    """A reference set that participants may read and score against; the newest one counts."""

    competition = models.ForeignKey(Competition, models.PROTECT, related_name="releases")
    reference_set = models.OneToOneField(ReferenceSet, models.PROTECT, related_name="release")
    released_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    released_at = models.DateTimeField(_("공개한 시각"))

    class Meta:
        ordering = ["-released_at", "-pk"]
        verbose_name = _("공개한 정답")
        verbose_name_plural = _("공개한 정답")

    def __str__(self) -> str:
        return f"{self.reference_set} {self.released_at:%Y-%m-%d %H:%M}"


class DialogueSet(models.Model):
    """One hashed upload of dialogues, for judges and the dev lab; no score depends on it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.PROTECT, related_name="dialogue_sets")
    sha256 = models.CharField("sha256", max_length=64)
    rows = models.PositiveIntegerField(_("행"))
    file_name = models.CharField(_("파일 이름"), max_length=120)
    notices = models.JSONField(_("알림"), default=list)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField(_("올린 시각"))
    released_at = models.DateTimeField(_("공개한 시각"), null=True)

    class Meta:
        ordering = ["-uploaded_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "sha256"], name="one_dialogue_set_per_content"
            ),
        ]
        verbose_name = _("대화 묶음")
        verbose_name_plural = _("대화 묶음")

    def __str__(self) -> str:
        return self.sha256[:8]


class Dialogue(models.Model):
    """One dialogue under the id that golds and predictions name."""

    dialogue_set = models.ForeignKey(DialogueSet, models.CASCADE, related_name="dialogues")
    position = models.PositiveIntegerField()
    example_id = models.CharField(max_length=200)
    text = models.TextField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["dialogue_set", "example_id"], name="one_dialogue_per_id"
            ),
        ]
        verbose_name = _("대화")
        verbose_name_plural = _("대화")

    def __str__(self) -> str:
        return self.example_id
