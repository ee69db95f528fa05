"""Immutable uploads of references, and the scoring versions that boards are scored with."""

import json
import uuid
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core.files.storage import Storage, storages
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import Competition
from scoring.profile import Profile
from scoring.signature import as_signed, version_signature


def gold_storage() -> Storage:
    """Where files with golds lie, apart from all that participants are ever given."""
    return storages["golds"]


class ReferenceSet(models.Model):
    """One hashed upload of all references of a competition. Never edited, never served."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.PROTECT, related_name="reference_sets")
    sha256 = models.CharField("sha256", max_length=64)
    # The same references under another draw of the splits: equal here, different above.
    golds_sha256 = models.CharField(_("sha256 without splits"), max_length=64)
    rows = models.PositiveIntegerField(_("Rows"))
    public_rows = models.PositiveIntegerField(_("Public rows"))
    private_rows = models.PositiveIntegerField(_("Private rows"))
    golds_min = models.PositiveSmallIntegerField(_("Fewest references per row"))
    golds_max = models.PositiveSmallIntegerField(_("Most references per row"))
    # Secret until the closing report. Null: the files had a split column; empty: its rows were
    # drawn in more than one draw. Earlier versions took a whole number from the organizer.
    split_seed = models.CharField(  # noqa: DJ001
        _("Split seed"),
        max_length=32,
        null=True,
        blank=True,
        validators=[RegexValidator(r"\A(?:-?[0-9]{1,19}|[0-9a-f]{32})\Z")],
    )
    file_names = models.JSONField(_("File names"), default=list)
    stored_as = models.JSONField(_("Stored as"), default=list)
    notices = models.JSONField(_("Notice"), default=list)
    oddities = models.JSONField(_("Worth a look"), default=dict)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField(_("Uploaded"))

    class Meta:
        ordering = ["-uploaded_at", "pk"]
        verbose_name = _("Reference set")
        verbose_name_plural = _("Reference set")

    def __str__(self) -> str:
        return self.sha256[:8]

    def signature_under(self, profile: Profile) -> str:
        """What this process's code and packages sign a scoring version of this set with."""
        return version_signature(
            profile, references_sha256=self.sha256, ngolds=(self.golds_min, self.golds_max)
        )


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
        verbose_name = _("Reference row")
        verbose_name_plural = _("Reference row")

    def __str__(self) -> str:
        return self.example_id


class ScoringVersion(models.Model):
    """A reference set under a profile: one signature, "v3" of its competition.

    The number is given when the version is made live, so that participants read v1, v2, v3. Before
    that, and for ever if it never is, organizers know it by its number among all drafts.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        REHEARSING = "rehearsing", _("Rehearsing")
        LIVE = "live", _("Live")
        RETIRED = "retired", _("Retired")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.PROTECT, related_name="scoring_versions")
    number = models.PositiveIntegerField(_("Number"), null=True)
    draft_number = models.PositiveIntegerField(_("draft number"))
    reference_set = models.ForeignKey(ReferenceSet, models.PROTECT, related_name="scoring_versions")
    profile_settings = models.JSONField(_("Scoring settings"))
    signature = models.TextField(_("Signature"))
    state = models.CharField(_("State"), max_length=10, choices=State.choices, default=State.DRAFT)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(_("Created"))
    made_live_at = models.DateTimeField(_("Made live"), null=True)
    retired_at = models.DateTimeField(_("Retired at"), null=True)
    # Every reference handed in as a prediction, computed once; None until then.
    self_check = models.JSONField(_("Self-check"), null=True)

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
        verbose_name = _("Scoring version")
        verbose_name_plural = _("Scoring version")

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """What people call it, in the language of the page: `v3`, or 초안 4 before it was live."""
        if self.number is not None:
            return f"v{self.number}"
        return gettext("draft %(number)d") % {"number": self.draft_number}

    @property
    def named(self) -> dict[str, int]:
        """What the log calls it."""
        return {"draft": self.draft_number} if self.number is None else {"version": self.number}

    @property
    def signed(self) -> dict[str, Any]:
        """The same with its signature."""
        return {**self.named, "signature": self.signature}

    def profile(self) -> Profile:
        """The profile as `scoring` knows it, with the reading that the version is signed with."""
        return _profile(json.dumps(self.profile_settings), self.signature)

    @property
    def is_live(self) -> bool:
        """Whether the board is scored with it."""
        return self.state == self.State.LIVE


@lru_cache(maxsize=64)  # every page and every submission asks, and a version never changes
def _profile(profile_settings: str, signature: str) -> Profile:
    return as_signed(Profile.from_dict(json.loads(profile_settings)), signature)


class SetUse(models.Model):
    """What the references of a set are for. The constraint makes the two uses exclude each other:
    those that any scoring version uses can never be released, and released ones never score."""

    class Kind(models.TextChoices):
        SCORED = "scored", _("Evaluation")
        RELEASED = "released", _("Released")

    competition = models.ForeignKey(Competition, models.PROTECT, related_name="set_uses")
    golds_sha256 = models.CharField(_("sha256 without splits"), max_length=64)
    use = models.CharField(_("Use"), max_length=8, choices=Kind.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "golds_sha256"], name="scored_or_released_not_both"
            ),
        ]
        verbose_name = _("Use of references")
        verbose_name_plural = _("Use of references")

    def __str__(self) -> str:
        return f"{self.golds_sha256[:8]} {self.use}"


class Release(models.Model):
    """A reference set that participants may read and score against; the newest one counts."""

    competition = models.ForeignKey(Competition, models.PROTECT, related_name="releases")
    reference_set = models.OneToOneField(ReferenceSet, models.PROTECT, related_name="release")
    released_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    released_at = models.DateTimeField(_("Released at"))

    class Meta:
        ordering = ["-released_at", "-pk"]
        verbose_name = _("Released references")
        verbose_name_plural = _("Released references")

    def __str__(self) -> str:
        return f"{self.reference_set} {self.released_at:%Y-%m-%d %H:%M}"


class DialogueSet(models.Model):
    """One hashed upload of dialogues, for judges and the dev lab; no score depends on it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.PROTECT, related_name="dialogue_sets")
    sha256 = models.CharField("sha256", max_length=64)
    rows = models.PositiveIntegerField(_("Rows"))
    file_name = models.CharField(_("File names"), max_length=120)
    notices = models.JSONField(_("Notice"), default=list)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField(_("Uploaded"))
    released_at = models.DateTimeField(_("Released at"), null=True)

    class Meta:
        ordering = ["-uploaded_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "sha256"], name="one_dialogue_set_per_content"
            ),
        ]
        verbose_name = _("Dialogue set")
        verbose_name_plural = _("Dialogue set")

    def __str__(self) -> str:
        return self.sha256[:8]


class Dialogue(models.Model):
    """One dialogue under the id that references and predictions name."""

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
        verbose_name = _("Dialogues")
        verbose_name_plural = _("Dialogues")

    def __str__(self) -> str:
        return self.example_id
