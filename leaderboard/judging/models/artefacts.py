"""What every submission is asked: made once of dialogues and instructions, then frozen."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.judging.models.configs import JudgeConfig
from leaderboard.judging.models.leases import Leased


class Section(models.Model):
    """What a summary, or a part of it, was asked to be; adherence and completeness come of it."""

    class Kind(models.TextChoices):
        FREE = "free", _("Free text")
        CATEGORICAL = "categorical", _("One of a fixed set of values")
        PREBUILT = "prebuilt", _("No instruction")

    config = models.ForeignKey(JudgeConfig, models.CASCADE, related_name="sections")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(_("Name"), max_length=60)
    kind = models.CharField(_("Kind"), max_length=11, choices=Kind.choices, default=Kind.FREE)
    instruction = models.TextField(_("Instruction"), blank=True)
    allowed_values = models.JSONField(_("Allowed values"), default=list)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["config", "name"], name="one_section_per_name"),
        ]
        verbose_name = _("Section")
        verbose_name_plural = _("Section")

    def __str__(self) -> str:
        return self.name


class Artefact(models.Model):
    """One thing that every submission is asked, or that its dialogue contains; reviewed once.

    `item_id` is the id that judges must echo. Frozen with its config.
    """

    class Kind(models.TextChoices):
        QUESTION = "question", _("Question")
        RUBRIC = "rubric", _("Completeness rubric")
        ADHERENCE = "adherence", _("Adherence rubric")
        CONTENT = "content", _("Dialogue content")

    class Origin(models.TextChoices):
        GENERATED = "generated", _("Made by the model")
        ORGANIZER = "organizer", _("Written by the organizer")

    config = models.ForeignKey(JudgeConfig, models.CASCADE, related_name="artefacts")
    kind = models.CharField(_("Kind"), max_length=10, choices=Kind.choices)
    item_id = models.CharField(max_length=40)
    example_id = models.CharField(_("Dialogues"), max_length=200, blank=True)  # blank: of a section
    section = models.ForeignKey(Section, models.CASCADE, null=True, related_name="artefacts")
    rubric_id = models.CharField(max_length=40, blank=True)  # of a content: what it belongs to
    text = models.TextField(_("Texts"))
    origin = models.CharField(max_length=9, choices=Origin.choices, default=Origin.GENERATED)
    # Questions that the source does not answer, and what an organizer struck out, are not asked.
    source_answer = models.BooleanField(null=True)
    is_kept = models.BooleanField(_("Is asked"), default=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering = ["example_id", "kind", "item_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["config", "example_id", "item_id"], name="one_artefact_per_id"
            ),
        ]
        verbose_name = _("Judge item")
        verbose_name_plural = _("Judge item")

    def __str__(self) -> str:
        return f"{self.example_id} {self.item_id}"


class BuiltDialogue(models.Model):
    """A dialogue whose artefacts are there, or whose making failed and why."""

    config = models.ForeignKey(JudgeConfig, models.CASCADE, related_name="built_dialogues")
    example_id = models.CharField(max_length=200, blank=True)  # blank: the sections' own items
    failure = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["config", "example_id"], name="built_once"),
        ]

    def __str__(self) -> str:
        return self.example_id


class Build(Leased):
    """The lease of the worker that makes a config's artefacts; made when the first one comes."""

    config = models.OneToOneField(
        JudgeConfig, models.CASCADE, primary_key=True, related_name="build"
    )

    class Meta:
        verbose_name = _("Making judge items")
        verbose_name_plural = _("Making judge items")

    def __str__(self) -> str:
        return str(self.config_id)
