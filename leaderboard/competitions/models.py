"""A competition, the people who run it, and the files it hands out."""

import uuid
import zoneinfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.storage import Storage, storages
from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from scoring.profile import PRESETS, Profile
from scoring.tokenizers import NAMES


def validate_zone(name: str) -> None:
    """Refuse a name that the zone database does not know."""
    if name not in zoneinfo.available_timezones():
        raise ValidationError(_("%(name)s: 알 수 없는 시간대입니다."), params={"name": name})


def validate_preset(name: str) -> None:
    """Refuse a scoring preset that does not exist."""
    if name not in PRESETS:
        raise ValidationError(
            _("채점 방식은 %(names)s 가운데 하나입니다."), params={"names": ", ".join(PRESETS)}
        )


def validate_tokenizer(name: str) -> None:
    """Refuse a tokenizer that does not exist."""
    if name not in NAMES:
        raise ValidationError(
            _("분석기는 %(names)s 가운데 하나입니다."), params={"names": ", ".join(NAMES)}
        )


def data_storage() -> Storage:
    """Where files for participants lie."""
    return storages["default"]


class Competition(models.Model):
    """One event with dates, rules and limits. Its board and golds live in higher rooms."""

    class Registration(models.TextChoices):
        OPEN = "open", _("누구나")
        CODE = "code", _("참가 코드")
        ALLOW_LIST = "allow-list", _("이메일 명단")
        APPROVAL = "approval", _("주최자 승인")

    class FinalsRule(models.TextChoices):
        FINALS = "finals", _("최종 제출 가운데 나은 것")
        BEST = "best", _("모든 제출 가운데 가장 나은 것")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.SlugField(_("주소"), unique=True)
    title = models.CharField(_("제목"), max_length=120)
    title_en = models.CharField(_("제목 (영어)"), max_length=120, blank=True)
    introduction = models.TextField(_("소개 (Markdown)"), blank=True)
    introduction_en = models.TextField(_("소개 (영어)"), blank=True)
    rules = models.TextField(_("룰 (Markdown)"), blank=True)
    rules_en = models.TextField(_("룰 (영어)"), blank=True)
    opens_at = models.DateTimeField(_("시작"))
    team_merge_until = models.DateTimeField(_("팀 합치기 마감"), null=True, blank=True)
    freezes_at = models.DateTimeField(_("순위표 고정"), null=True, blank=True)
    closes_at = models.DateTimeField(_("마감"))
    reveals_at = models.DateTimeField(_("결과 공개"))
    paused_at = models.DateTimeField(_("멈춘 시각"), null=True, blank=True)
    pause_reason = models.CharField(_("멈춘 까닭"), max_length=200, blank=True)
    reveal_held = models.BooleanField(_("검증이 끝날 때까지 공개 미룸"), default=False)
    # When its members were told of the reveal: the sweeper's mark that it need not tell them again.
    reveal_told_at = models.DateTimeField(_("공개를 알린 시각"), null=True, editable=False)
    # When it was made of a file or as a clone; what was handed in before was told of elsewhere.
    imported_at = models.DateTimeField(_("가져온 시각"), null=True, editable=False)
    zone = models.CharField(
        _("시간대"), max_length=64, default="Asia/Seoul", validators=[validate_zone]
    )
    preset = models.CharField(
        _("채점 방식"), max_length=20, default="max-sum", validators=[validate_preset]
    )
    tokenizer = models.CharField(
        _("형태소 분석기"), max_length=20, default="mecab-ko", validators=[validate_tokenizer]
    )
    daily_limit = models.PositiveIntegerField(
        _("하루 제출"), default=12, validators=[MinValueValidator(1)]
    )
    total_limit = models.PositiveIntegerField(_("전체 제출"), null=True, blank=True)
    max_waiting = models.PositiveIntegerField(
        _("동시 대기"), default=3, validators=[MinValueValidator(1)]
    )
    max_cell = models.PositiveIntegerField(_("요약 한 칸의 글자 수"), default=2000)
    late_entries = models.BooleanField(_("마감 뒤 제출 받기 (순위 없음)"), default=False)
    finals_rule = models.CharField(
        _("private 순위"), max_length=6, choices=FinalsRule.choices, default=FinalsRule.FINALS
    )
    registration = models.CharField(
        _("참가 방법"), max_length=10, choices=Registration.choices, default=Registration.OPEN
    )
    registration_code = models.CharField(_("참가 코드"), max_length=40, blank=True)
    is_private = models.BooleanField(_("비공개 대회"), default=False)
    # Set by an app above that adds columns to the boards: without it nobody asks its tables.
    shows_other_columns = models.BooleanField(_("다른 열도 보임"), default=False)
    board_needs_sign_in = models.BooleanField(_("순위표는 로그인한 사람에게만"), default=False)

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
                condition=models.Q(max_cell__gte=1, max_cell__lte=10_000), name="max_cell_in_range"
            ),
        ]
        verbose_name = _("대회")
        verbose_name_plural = _("대회")

    def __str__(self) -> str:
        return self.title

    @property
    def zoneinfo(self) -> zoneinfo.ZoneInfo:
        """The contest's own zone: all its dates are printed in it, and its day begins there."""
        return zoneinfo.ZoneInfo(self.zone)

    def profile(self) -> Profile:
        """The profile that a new scoring version of this contest starts from."""
        return PRESETS[self.preset].with_tokenizer(self.tokenizer)

    def title_in(self, language: str) -> str:
        return self.title_en if language == "en" and self.title_en else self.title

    def introduction_in(self, language: str) -> str:
        english = language == "en" and self.introduction_en
        return self.introduction_en if english else self.introduction

    def rules_in(self, language: str) -> str:
        return self.rules_en if language == "en" and self.rules_en else self.rules


class Organizer(models.Model):
    """A person's role in running one competition, and no other."""

    class Role(models.TextChoices):
        OWNER = "owner", _("소유자")
        EDITOR = "editor", _("편집자")
        ASSISTANT = "assistant", _("조교")

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="organizers")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="organizer_roles"
    )
    role = models.CharField(_("역할"), max_length=10, choices=Role.choices, default=Role.OWNER)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["competition", "user"], name="one_role_per_person")
        ]
        verbose_name = _("주최자")
        verbose_name_plural = _("주최자")

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class Terms(models.Model):
    """One wording of what participants agree to. A change is a new row; the newest one counts."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="terms")
    number = models.PositiveIntegerField(_("번호"))
    # Empty: the wording before was taken back, and nothing is to be accepted.
    text = models.TextField(_("약관 (Markdown)"), blank=True)
    text_en = models.TextField(_("약관 (영어)"), blank=True)
    made_at = models.DateTimeField(_("만든 시각"))

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "number"], name="one_terms_per_number")
        ]
        verbose_name = _("약관")
        verbose_name_plural = _("약관")

    def __str__(self) -> str:
        return f"{self.competition} {self.number}"

    def text_in(self, language: str) -> str:
        return self.text_en if language == "en" and self.text_en else self.text


class TermsAcceptance(models.Model):
    """That a person agreed to one wording of the terms, and when."""

    terms = models.ForeignKey(Terms, models.PROTECT, related_name="acceptances")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField(_("시각"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["terms", "user"], name="terms_accepted_once")
        ]
        verbose_name = _("약관 동의")
        verbose_name_plural = _("약관 동의")

    def __str__(self) -> str:
        return f"{self.user} {self.terms}"


class AllowedEmail(models.Model):
    """A mail address whose owner may join a contest with an allow-list. Kept in lower case."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="allowed_emails")
    email = models.EmailField(_("이메일"))

    class Meta:
        ordering = ["email"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "email"], name="one_line_per_email")
        ]
        verbose_name = _("명단의 이메일")
        verbose_name_plural = _("명단의 이메일")

    def __str__(self) -> str:
        return self.email


class DataFile(models.Model):
    """A file that participants may download."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="data_files")
    name = models.CharField(_("이름"), max_length=120)
    description = models.TextField(_("설명"), blank=True)
    description_en = models.TextField(_("설명 (영어)"), blank=True)
    file = models.FileField(_("파일"), storage=data_storage, upload_to="data")
    size = models.PositiveBigIntegerField(_("크기"))
    sha256 = models.CharField("sha256", max_length=64)
    position = models.PositiveIntegerField(_("순서"), default=0)

    class Meta:
        ordering = ["position", "name"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "name"], name="one_file_per_name")
        ]
        verbose_name = _("데이터 파일")
        verbose_name_plural = _("데이터 파일")

    def __str__(self) -> str:
        return self.name

    def description_in(self, language: str) -> str:
        return self.description_en if language == "en" and self.description_en else self.description
