"""The unit that is ranked, also for one person."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import Competition


class Team(models.Model):
    """A team of one contest. The row is what actions lock: it orders a team's writes."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.PROTECT, related_name="teams")
    name = models.CharField(_("이름"), max_length=40)
    captain = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("팀장")
    )
    created_at = models.DateTimeField(_("만든 시각"))

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "name"], name="one_team_per_name")
        ]
        verbose_name = _("팀")
        verbose_name_plural = _("팀")

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person in a team. The competition is repeated so that the database can forbid two teams."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="memberships")
    joined_at = models.DateTimeField(_("들어온 시각"))

    class Meta:
        ordering = ["joined_at"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "user"], name="one_team_per_person")
        ]
        verbose_name = _("팀원")
        verbose_name_plural = _("팀원")

    def __str__(self) -> str:
        return f"{self.user} @ {self.team}"
