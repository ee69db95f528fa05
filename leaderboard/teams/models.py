"""The unit that is ranked, also for one person; and the order in which its names are listed."""

import re
import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.names import TEAM_LENGTH, check_team_name
from leaderboard.accounts.skeletons import DerivedField, SkeletonField
from leaderboard.competitions.models import Competition

_DIGITS = re.compile("[0-9]+")


def sort_key(name: str) -> str:
    """A text that databases sort as people sort the name: each number stands behind its length.

    Small and capital letters are one; `팀 01` and `팀 1` are alike.

    >>> sorted(["10모둠", "2모둠", "모둠 a"], key=sort_key)
    ['2모둠', '10모둠', '모둠 a']
    """
    return _DIGITS.sub(_counted, name.casefold())


def _counted(found: re.Match[str]) -> str:
    number = found[0].lstrip("0") or "0"
    return f"{len(number):02}{number}"


class SortKeyField(DerivedField):
    """The sort key of a name."""

    # 40 characters: folding makes three of one at most, and each number is two longer.
    longest = 200

    def derived(self, text: str, kept: str) -> str:
        return sort_key(text)


class Team(models.Model):
    """A team of one contest. The row is what actions lock: it orders a team's writes."""

    class Kind(models.TextChoices):
        PARTICIPANT = "team", _("Participating team")
        BASELINE = "baseline", _("Baseline")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.PROTECT, related_name="teams")
    name = models.CharField(_("Name"), max_length=TEAM_LENGTH, validators=[check_team_name])
    skeleton = SkeletonField(of="name")
    sort_key = SortKeyField(of="name")
    # None where the last member closed the account.
    captain = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("Captain"),
    )
    created_at = models.DateTimeField(_("Created"))
    kind = models.CharField(_("Kind"), max_length=8, choices=Kind.choices, default=Kind.PARTICIPANT)
    disqualified_at = models.DateTimeField(_("Disqualified at"), null=True, blank=True)
    disqualify_reason = models.CharField(
        _("Reason for the disqualification"), max_length=300, blank=True
    )
    # The team that this one is a part of since two captains merged them. The row stays, with its
    # name and who led it.
    merged_into = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="absorbed",
        verbose_name=_("Merged into"),
    )

    class Meta:
        ordering = ["sort_key", "name"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "name"], name="one_team_per_name"),
            models.UniqueConstraint(
                fields=["competition", "skeleton"], name="one_team_per_skeleton"
            ),
            models.CheckConstraint(
                condition=~models.Q(merged_into=models.F("id")), name="merged_into_another"
            ),
        ]
        indexes = [
            models.Index(fields=["competition", "kind", "sort_key"], name="teams_of_a_kind"),
            # Every page of a contest counts its teams: from these few bytes each.
            models.Index(
                fields=["competition", "kind"],
                condition=models.Q(merged_into__isnull=True),
                name="teams_counted",
            ),
        ]
        verbose_name = _("Team")
        verbose_name_plural = _("Team")

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person in a team. The competition is repeated so that the database can forbid two teams."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="memberships")
    joined_at = models.DateTimeField(_("Joined"))
    # What they came in with from the contest's list. Nobody proved it, so it counts here alone.
    typed_email = models.EmailField(_("Typed e-mail"), blank=True)
    # As a class list of this contest calls them; another contest's organizers never read it.
    listed_name = models.CharField(_("Name on the list"), max_length=150, blank=True)

    class Meta:
        ordering = ["joined_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "user"], name="one_team_per_person"),
            models.UniqueConstraint(
                fields=["competition", "typed_email"],
                condition=~models.Q(typed_email=""),
                name="one_person_per_typed_email",
            ),
        ]
        verbose_name = _("Members")
        verbose_name_plural = _("Members")

    def __str__(self) -> str:
        return f"{self.user} @ {self.team}"


class Invitation(models.Model):
    """A way into a team: by a code for whoever has it, or for one person by name.

    Of a code only the hash is kept.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, models.CASCADE, related_name="invitations")
    code_sha256 = models.CharField("sha256", max_length=64, blank=True)
    invitee = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+"
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(_("Created"))
    expires_at = models.DateTimeField(_("Expires at"))
    max_uses = models.PositiveIntegerField(_("Uses in all"), null=True)
    uses = models.PositiveIntegerField(_("Used"), default=0)
    revoked_at = models.DateTimeField(_("Revoked at"), null=True)
    declined_at = models.DateTimeField(_("Declined at"), null=True)

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(code_sha256="") ^ models.Q(invitee__isnull=True),
                name="invitation_by_code_or_name",
            ),
            models.UniqueConstraint(
                fields=["code_sha256"],
                condition=~models.Q(code_sha256=""),
                name="one_invitation_per_code",
            ),
            models.CheckConstraint(
                condition=models.Q(max_uses__isnull=True)
                | models.Q(uses__lte=models.F("max_uses")),
                name="invitation_uses_in_range",
            ),
            # Who declined is not asked again; who was in the team and left may be.
            models.UniqueConstraint(
                fields=["team", "invitee"],
                condition=models.Q(invitee__isnull=False, revoked_at__isnull=True, uses=0),
                name="one_open_invitation",
            ),
        ]
        verbose_name = _("Invitation")
        verbose_name_plural = _("Invitation")

    def __str__(self) -> str:
        return f"{self.team} {self.created_at:%Y-%m-%d %H:%M}"


class JoinRequest(models.Model):
    """A person who asked to join a contest with approval, and what an organizer decided."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="join_requests")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    team_name = models.CharField(
        _("Team name"), max_length=TEAM_LENGTH, validators=[check_team_name]
    )
    asked_at = models.DateTimeField(_("Asked at"))
    approved = models.BooleanField(_("Approve"), null=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(_("Decided at"), null=True)

    class Meta:
        ordering = ["asked_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "user"], name="one_request_per_person")
        ]
        verbose_name = _("Request to join")
        verbose_name_plural = _("Request to join")

    def __str__(self) -> str:
        return f"{self.user} → {self.competition}"


class Merge(models.Model):
    """One team asks another to become a part of it, and what became of the question."""

    class State(models.TextChoices):
        ASKED = "asked", _("Asked")
        ACCEPTED = "accepted", _("Merged")
        DECLINED = "declined", _("Declined")
        WITHDRAWN = "withdrawn", _("Withdrawn")
        UNDONE = "undone", _("Undone")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="merges")
    survivor = models.ForeignKey(Team, models.CASCADE, related_name="merges_asked")
    absorbed = models.ForeignKey(Team, models.CASCADE, related_name="merges_offered")
    state = models.CharField(_("State"), max_length=9, choices=State.choices, default=State.ASKED)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(_("Asked at"))
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    answered_at = models.DateTimeField(_("Answered at"), null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    undone_at = models.DateTimeField(_("Undone at"), null=True, blank=True)
    reason = models.CharField(_("Reason"), max_length=300, blank=True)

    class Meta:
        ordering = ["-asked_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["survivor", "absorbed"],
                condition=models.Q(state="asked"),
                name="one_open_question_per_pair",
            ),
            models.UniqueConstraint(
                fields=["absorbed"],
                condition=models.Q(state="accepted"),
                name="merged_into_one_team",
            ),
            models.CheckConstraint(
                condition=~models.Q(survivor=models.F("absorbed")), name="merge_of_two_teams"
            ),
            models.CheckConstraint(
                condition=models.Q(state="asked", answered_at=None)
                | (~models.Q(state="asked") & models.Q(answered_at__isnull=False)),
                name="merge_answered_once",
            ),
            models.CheckConstraint(
                condition=models.Q(state="undone", undone_at__isnull=False)
                | (~models.Q(state="undone") & models.Q(undone_at=None)),
                name="merge_undone_with_time",
            ),
        ]
        verbose_name = _("Team merge")
        verbose_name_plural = _("Team merge")

    def __str__(self) -> str:
        return f"{self.absorbed} → {self.survivor}"
