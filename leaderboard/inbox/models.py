"""One row per person and event, so that telling twice is telling once."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Notification(models.Model):
    """Something a person should know. Holds ids and public facts, never a private score."""

    class Kind(models.TextChoices):
        SCORED = "scored", _("채점 완료")
        FAILED = "failed", _("채점 실패")
        ANNOUNCED = "announced", _("공지")
        GRANTED = "granted", _("횟수를 더 받았습니다")
        WARNED = "warned", _("경고")
        DISQUALIFIED = "disqualified", _("실격")
        REINSTATED = "reinstated", _("실격이 풀림")
        REVEALED = "revealed", _("결과 공개")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="notifications",
        verbose_name=_("받는 사람"),
    )
    kind = models.CharField(_("종류"), max_length=20, choices=Kind.choices)
    subject = models.UUIDField(_("대상"))
    competition = models.UUIDField(_("대회"), null=True)
    competition_slug = models.SlugField(_("대회 주소"), blank=True)
    data = models.JSONField(_("내용"), default=dict)
    created_at = models.DateTimeField(_("만든 시각"))
    read_at = models.DateTimeField(_("읽은 시각"), null=True)

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "subject"], name="one_notification")
        ]
        indexes = [models.Index(fields=["user", "-created_at"])]
        verbose_name = _("알림")
        verbose_name_plural = _("알림")

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"
