"""Who runs a competition, as functions; there is no permission framework."""

from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, QuerySet

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition, Organizer

Anyone = User | AnonymousUser

EDITING = (Organizer.Role.OWNER, Organizer.Role.EDITOR)


def role_of(user: Anyone, competition: Competition) -> str | None:
    """This person's role in running this competition: `owner`, `editor`, `assistant` or None."""
    if not isinstance(user, User):
        return None
    roles = Organizer.objects.filter(user=user, competition=competition)
    return roles.values_list("role", flat=True).first()


def is_organizer(user: Anyone, competition: Competition) -> bool:
    """Whether this person has any role in running this competition."""
    return role_of(user, competition) is not None


def may_edit(user: Anyone, competition: Competition) -> bool:
    """Whether this person may change references, versions and teams: owners and editors."""
    return role_of(user, competition) in EDITING


def editors(competition_id: UUID) -> QuerySet[User]:
    """Everybody for whom `may_edit` holds."""
    return User.objects.filter(
        organizer_roles__competition=competition_id, organizer_roles__role__in=EDITING
    )


def owners(competition_id: UUID) -> QuerySet[User]:
    """Who answers for the competition."""
    return User.objects.filter(
        organizer_roles__competition=competition_id, organizer_roles__role=Organizer.Role.OWNER
    )


def owned_alone(user: User) -> QuerySet[Competition]:
    """The competitions that would have no owner who can sign in, if this person left."""
    owners = Organizer.objects.filter(role=Organizer.Role.OWNER)
    others = owners.filter(competition=OuterRef("pk"), user__is_active=True).exclude(user=user)
    own = Competition.objects.filter(pk__in=owners.filter(user=user).values("competition"))
    return own.exclude(Exists(others))


def may_create(user: Anyone) -> bool:
    """Whether this person may make a competition; `CONTEST_CREATORS` says who may."""
    if not isinstance(user, User) or not user.is_active:
        return False
    anyone: bool = settings.CONTEST_CREATORS == "anyone"
    return anyone or user.is_superuser or user.may_create_contests


def organizers(competition: Competition) -> list[Organizer]:
    """Owners first, then editors, then assistants, each by name."""
    order = list(Organizer.Role)
    rows = Organizer.objects.filter(competition=competition).select_related("user")
    return sorted(rows, key=lambda row: (order.index(Organizer.Role(row.role)), row.user.username))
