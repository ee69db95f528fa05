"""A competition, the people who run it, and the files it hands out."""

import uuid
import zoneinfo
from functools import cache
from typing import ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.storage import Storage, storages
from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from scoring.profile import PRESETS, Profile
from scoring.tokenizers import NAMES


@cache  # it walks the folders of the zone database
def zone_names() -> frozenset[str]:
    """The names of all time zones."""
    return frozenset(zoneinfo.available_timezones())


def validate_zone(name: str) -> None:
    """Refuse a name that the zone database does not know."""
    if name not in zone_names():
        raise ValidationError(_("%(name)s: unknown time zone."), params={"name": name})


def validate_preset(name: str) -> None:
    """Refuse a scoring preset that does not exist."""
    if name not in PRESETS:
        raise ValidationError(
            _("The preset is one of %(names)s."), params={"names": ", ".join(PRESETS)}
        )


def validate_tokenizer(name: str) -> None:
    """Refuse a tokenizer that does not exist."""
    if name not in NAMES:
        raise ValidationError(
            _("The tokenizer is one of %(names)s."), params={"names": ", ".join(NAMES)}
        )


def data_storage() -> Storage:
    """Where files for participants lie."""
    return storages["default"]


class NotDeleted(models.Manager["Competition"]):
    """All but the contests that are being deleted: nobody finds those any more."""

    def get_queryset(self) -> models.QuerySet["Competition"]:
        return super().get_queryset().exclude(state=Competition.State.DELETED)


class Competition(models.Model):
    """One event with dates, rules and limits. Its board and references live in higher apps.

    `every` finds those that are being deleted, too, and so does whatever a row leads to.
    """

    class State(models.TextChoices):
        ACTIVE = "active", _("Active")
        ARCHIVED = "archived", _("Archived")
        DELETED = "deleted", _("Being deleted")

    class Registration(models.TextChoices):
        OPEN = "open", _("Anybody")
        CODE = "code", _("Code to join")
        ALLOW_LIST = "allow-list", _("List of mail addresses")
        APPROVAL = "approval", _("By approval")

    class FinalsRule(models.TextChoices):
        FINALS = "finals", _("The better of the finals")
        BEST = "best", _("The best of all submissions")

    class ForumReaders(models.TextChoices):
        MEMBERS = "members", _("Who takes part, and the organizers")
        PUBLIC = "public", _("Everybody who may read the competition")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    state = models.CharField(
        _("State"), max_length=8, choices=State.choices, default=State.ACTIVE, editable=False
    )
    slug = models.SlugField(_("Address"), unique=True)
    title = models.CharField(_("Title"), max_length=120)
    title_en = models.CharField(_("Title (English)"), max_length=120, blank=True)
    introduction = models.TextField(_("Introduction (Markdown)"), blank=True)
    introduction_en = models.TextField(_("Introduction (English)"), blank=True)
    rules = models.TextField(_("Rules (Markdown)"), blank=True)
    rules_en = models.TextField(_("Rules (English)"), blank=True)
    opens_at = models.DateTimeField(_("Opens"))
    team_merge_until = models.DateTimeField(_("Last day to merge teams"), null=True, blank=True)
    freezes_at = models.DateTimeField(_("Board freeze"), null=True, blank=True)
    closes_at = models.DateTimeField(_("Closes"))
    reveals_at = models.DateTimeField(_("Results revealed"))
    paused_at = models.DateTimeField(_("Paused at"), null=True, blank=True)
    pause_reason = models.CharField(_("Reason for the pause"), max_length=200, blank=True)
    reveal_held = models.BooleanField(_("Reveal held until verified"), default=False)
    # When its members were told of the reveal: the sweeper's mark that it need not tell them again.
    reveal_told_at = models.DateTimeField(_("Reveal announced at"), null=True, editable=False)
    # When it was made of a file or as a clone; what was handed in before was told of elsewhere.
    imported_at = models.DateTimeField(_("Imported at"), null=True, editable=False)
    zone = models.CharField(
        _("Time zone"), max_length=64, default="Asia/Seoul", validators=[validate_zone]
    )
    preset = models.CharField(
        _("Preset"), max_length=20, default="max-sum", validators=[validate_preset]
    )
    tokenizer = models.CharField(
        _("Tokenizer"), max_length=20, default="mecab-ko", validators=[validate_tokenizer]
    )
    daily_limit = models.PositiveIntegerField(
        _("Submissions a day"), default=12, validators=[MinValueValidator(1)]
    )
    total_limit = models.PositiveIntegerField(_("Submissions in total"), null=True, blank=True)
    max_waiting = models.PositiveIntegerField(
        _("Waiting at once"), default=3, validators=[MinValueValidator(1)]
    )
    max_cell = models.PositiveIntegerField(_("Characters of one summary"), default=2000)
    max_team_size = models.PositiveSmallIntegerField(
        _("People in a team"), default=5, validators=[MinValueValidator(1)]
    )
    late_entries = models.BooleanField(
        _("Accept entries after the close (unranked)"), default=False
    )
    finals_rule = models.CharField(
        _("Private ranks"), max_length=6, choices=FinalsRule.choices, default=FinalsRule.FINALS
    )
    registration = models.CharField(
        _("How people join"), max_length=10, choices=Registration.choices, default=Registration.OPEN
    )
    registration_code = models.CharField(_("Code to join"), max_length=40, blank=True)
    is_private = models.BooleanField(_("Private competition"), default=False)
    # Set by an app above that adds columns to the boards: without it nobody asks its tables.
    shows_other_columns = models.BooleanField(_("Shows other columns"), default=False)
    board_needs_sign_in = models.BooleanField(
        _("Leaderboard for signed-in people only"), default=False
    )
    forum_readers = models.CharField(
        _("Who reads the forum"),
        max_length=7,
        choices=ForumReaders.choices,
        default=ForumReaders.MEMBERS,
    )

    objects = NotDeleted()
    every: ClassVar[models.Manager["Competition"]] = models.Manager()

    class Meta:
        ordering = ["-opens_at", "slug"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(opens_at__lt=models.F("closes_at"))
                & models.Q(closes_at__lte=models.F("reveals_at")),
                name="competition_dates_in_order",
            ),
            models.CheckConstraint(
                condition=models.Q(freezes_at__isnull=True)
                | models.Q(
                    freezes_at__gt=models.F("opens_at"), freezes_at__lte=models.F("closes_at")
                ),
                name="freeze_while_open",
            ),
            models.CheckConstraint(
                condition=models.Q(team_merge_until__isnull=True)
                | models.Q(team_merge_until__lte=models.F("closes_at")),
                name="merges_end_before_closing",
            ),
            models.UniqueConstraint(
                fields=["registration_code"],
                condition=~models.Q(registration_code=""),
                name="one_contest_per_code",
            ),
            models.CheckConstraint(
                condition=models.Q(max_team_size__gte=1), name="team_of_one_at_least"
            ),
            models.CheckConstraint(
                condition=models.Q(max_cell__gte=1, max_cell__lte=10_000), name="max_cell_in_range"
            ),
        ]
        verbose_name = _("Competition")
        verbose_name_plural = _("Competition")

    def __str__(self) -> str:
        return self.title

    @property
    def zoneinfo(self) -> zoneinfo.ZoneInfo:
        """The contest's own zone: all its dates are printed in it, and its day begins there."""
        return zoneinfo.ZoneInfo(self.zone)

    @property
    def is_active(self) -> bool:
        """Whether anything of it may change."""
        return self.state == self.State.ACTIVE

    @property
    def is_archived(self) -> bool:
        """Whether it can only be read."""
        return self.state == self.State.ARCHIVED

    def profile(self) -> Profile:
        """The profile that a new scoring version of this contest starts from."""
        return PRESETS[self.preset].with_tokenizer(self.tokenizer)


class Organizer(models.Model):
    """A person's role in running one competition, and no other."""

    class Role(models.TextChoices):
        OWNER = "owner", _("Owner")
        EDITOR = "editor", _("Editor")
        ASSISTANT = "assistant", _("Assistant")

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="organizers")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="organizer_roles"
    )
    role = models.CharField(_("Role"), max_length=10, choices=Role.choices, default=Role.OWNER)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["competition", "user"], name="one_role_per_person")
        ]
        verbose_name = _("Organizer")
        verbose_name_plural = _("Organizer")

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class Terms(models.Model):
    """One wording of what participants agree to. A change is a new row; the newest one counts."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="terms")
    number = models.PositiveIntegerField(_("Number"))
    # Empty: the wording before was taken back, and nothing is to be accepted.
    text = models.TextField(_("Terms (Markdown)"), blank=True)
    text_en = models.TextField(_("Terms (English)"), blank=True)
    made_at = models.DateTimeField(_("Created"))

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "number"], name="one_terms_per_number")
        ]
        verbose_name = _("Terms")
        verbose_name_plural = _("Terms")

    def __str__(self) -> str:
        return f"{self.competition} {self.number}"


class TermsAcceptance(models.Model):
    """That a person agreed to one wording of the terms, and when."""

    terms = models.ForeignKey(Terms, models.PROTECT, related_name="acceptances")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField(_("Time"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["terms", "user"], name="terms_accepted_once")
        ]
        verbose_name = _("Acceptance of terms")
        verbose_name_plural = _("Acceptance of terms")

    def __str__(self) -> str:
        return f"{self.user} {self.terms}"


class AllowedEmail(models.Model):
    """A mail address whose owner may join a contest with an allow-list. Kept in lower case."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="allowed_emails")
    email = models.EmailField(_("Mail address"))

    class Meta:
        ordering = ["email"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "email"], name="one_line_per_email")
        ]
        verbose_name = _("Listed mail address")
        verbose_name_plural = _("Listed mail address")

    def __str__(self) -> str:
        return self.email


class DataFile(models.Model):
    """A file that participants may download."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="data_files")
    name = models.CharField(_("Name"), max_length=120)
    description = models.TextField(_("Description"), blank=True)
    description_en = models.TextField(_("Description (English)"), blank=True)
    file = models.FileField(_("File"), storage=data_storage, upload_to="data")
    size = models.PositiveBigIntegerField(_("Size"))
    sha256 = models.CharField("sha256", max_length=64)
    position = models.PositiveIntegerField(pgettext_lazy("rows", "Order"), default=0)

    class Meta:
        ordering = ["position", "name"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "name"], name="one_file_per_name")
        ]
        verbose_name = _("Data file")
        verbose_name_plural = _("Data file")

    def __str__(self) -> str:
        return self.name

    @property
    def key(self) -> str:
        """What names it in an address: its name, if it is made when it is asked for."""
        return self.name if self._state.adding else str(self.pk)
