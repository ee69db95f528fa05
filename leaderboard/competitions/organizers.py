"""The people who run a contest: who they are, and writes of their roles."""

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition, Organizer


def organizers(competition: Competition) -> list[Organizer]:
    """Owners first, then editors, then assistants, each by name."""
    order = list(Organizer.Role)
    rows = Organizer.objects.filter(competition=competition).select_related("user")
    return sorted(rows, key=lambda row: (order.index(Organizer.Role(row.role)), row.user.username))


def owners(competition: Competition) -> int:
    """How many owners there are; the caller holds the competition's row when it matters."""
    rows = Organizer.objects.filter(competition=competition, role=Organizer.Role.OWNER)
    return rows.count()


def give_role(*, competition: Competition, user: User, role: str) -> None:
    """Let this person have exactly this role."""
    Organizer.objects.update_or_create(competition=competition, user=user, defaults={"role": role})


def take_role(*, competition: Competition, user: User) -> None:
    """Let this person have no role any more."""
    Organizer.objects.filter(competition=competition, user=user).delete()
