"""Closing an account: a person's name and words go, scores and contests stay."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial, reduce
from operator import or_
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.accounts import FILE_NAME, Unnaming, close
from leaderboard.accounts.models import User
from leaderboard.actions.decisions import Deciding, deciding
from leaderboard.actions.teams import NOT_NAMED, name_for_all
from leaderboard.audit.log import KINDS, record
from leaderboard.audit.log import unname as unname_decisions
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.standings import rename
from leaderboard.community import forum, webhooks
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import owned_alone
from leaderboard.inbox.models import MailAddress
from leaderboard.inbox.tell import forget, withdraw
from leaderboard.inbox.tell import unname as unname_notices
from leaderboard.outbox.models import Message
from leaderboard.refusals import Forbidden, Invalid, Refused, Unknown
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import kept
from leaderboard.teams import invitations
from leaderboard.teams.membership import (
    beginning,
    disband,
    free_name,
    hand_over,
    is_made_of,
    successor,
)
from leaderboard.teams.models import JoinRequest, Membership, Team

KINDS |= {
    "team.member_closed": _("A member closed the account"),
    "class.account_closed": _("Closed an account from the class list"),
    "class.account_exported": _("Downloaded the data of an account from the class list"),
    "class.password_link": _("Created a new password link"),
}

not_an_administrator = partial(
    Forbidden, "not_an_administrator", _("Only an administrator can do this.")
)
inactive = partial(
    Refused,
    "inactive",
    _("This account is suspended or closed."),
    _("If it is suspended, activate it first."),
)
_wrong_password = partial(Invalid, "wrong_password", _("The password is incorrect."))

# Nobody is meant to find the team by a name that a person chose.
CLOSED_TEAM_NAME = "탈퇴한 팀"


def close_account(*, user: User, password: str, at: datetime) -> None:
    """Close the person's own account. It cannot be undone. Raises Refused.

    Teams that were theirs alone keep their scores under another name, or go if they handed in
    nothing; of others the member who came next leads. The person's name leaves the log and
    everybody's inbox, and what they wrote leaves the forums.
    """
    if not user.check_password(password):
        raise _wrong_password()
    _close(user, by=user, password=password, at=at)


def close_account_of(*, person: User, user: User, at: datetime) -> None:
    """An administrator closes somebody else's account. Raises Refused."""
    _refuse_all_but_administrators(user)
    if person == user:
        raise Refused("own_account", _("Close your own account in your settings."))
    _close(person, by=user, at=at)


def export_account_of(*, person: User, user: User, at: datetime) -> None:
    """Note that an administrator takes out what is known of this person. Raises Refused."""
    _refuse_all_but_administrators(user)
    record(kind="account.exported", actor=user, at=at, after={"user": person.pk})


def _refuse_all_but_administrators(user: User) -> None:
    if not User.objects.filter(pk=user.pk, is_superuser=True, is_active=True).exists():
        raise not_an_administrator()


def close_class_account(
    *, competition: Competition, user: User, username: str, at: datetime
) -> None:
    """An organizer closes an account that the contest's class list made. Raises Refused."""
    with deciding_on_account(competition, user, username, "class.account_closed", at) as person:
        _close(person, by=user, at=at)


def export_class_account(
    *, competition: Competition, user: User, username: str, at: datetime
) -> User:
    """Whose data an organizer takes out, on the person's wish. Raises Refused."""
    with deciding_on_account(competition, user, username, "class.account_exported", at) as person:
        return person


@contextmanager
def deciding_on_account(
    competition: Competition, user: User, username: str, kind: str, at: datetime
) -> Iterator[User]:
    """`deciding` about the account of this participant, logged by the name that it has then.

    For one that the contest's class list made and which is in no other contest and has no role.
    Raises Refused, in the same words whatever is in the way.
    """
    with deciding(competition, user, at) as decision:
        person = _class_account(competition, username)
        yield person
        person.refresh_from_db(fields=["username"])
        decision.record(kind, after={"username": person.username})


def _class_account(competition: Competition, username: str) -> User:
    wanted = {"competition": competition, "user__username": User.normalize_username(username)}
    found = Membership.objects.filter(**wanted).select_related("user").first()
    if found is None:
        raise Unknown("unknown_person", _("There is no participant with that name."))
    lists = AuditEvent.objects.filter(competition=competition.pk, kind="team.people_put")
    made = lists.values_list("after__made", flat=True)
    if not any(found.user_id in (ids or ()) for ids in made) or is_elsewhere(found.user):
        raise Refused(
            "not_a_class_account",
            _("This is not possible for this account."),
            _("Ask an administrator of this server."),
        )
    return found.user


def is_elsewhere(person: User) -> bool:
    """Whether the account is, or by its deeds was, more than a participant's in one contest."""
    has_right = person.is_superuser or person.is_staff or person.may_create_contests
    runs = Organizer.objects.filter(user=person).exists()
    own = list(_contests(person).values_list("pk", flat=True))
    traces = AuditEvent.objects.filter(actor=person, competition__isnull=False)
    acted = traces.exclude(competition__in=own).exists()
    return has_right or runs or acted or not person.is_active or len(own) > 1


def _close(user: User, *, by: User, password: str | None = None, at: datetime) -> None:
    with transaction.atomic():
        # Of two last owners only one can go; two teams that lose their names get other ones.
        contests = lock(_contests(user))
        locked = lock(_teams(user).select_related("competition"))
        teams = {team.pk: team for team in locked}
        called = {team.pk: team.name for team in locked}
        threads = lock(forum.threads_of(user))
        user = _locked_person(user, password)
        if set(contests) != set(_contests(user)):  # let in elsewhere, while we waited
            raise Refused("teams_changed", _("The team has just changed."), _("Try again."))
        if set(threads) != set(forum.threads_of(user)):
            raise Refused(
                "teams_changed", _("A forum post has just been written."), _("Try again.")
            )
        _refuse_needed(user)
        lock(MailAddress.objects.filter(user=user), to_delete=True)
        forget(user=user)
        sent = invitations.about(user)
        withdraw(subjects=list(sent.values_list("pk", flat=True)))
        sent.delete()
        for membership in Membership.objects.filter(user=user):
            _leave(user, membership, teams[membership.team_id], at)
        for team in teams.values():
            _unname(team, user)
        Organizer.objects.filter(user=user).delete()
        JoinRequest.objects.filter(user=user).delete()
        Team.objects.filter(captain=user).update(captain=None)
        titled = [thread.pk for thread in threads if thread.author_id == user.pk]
        withdraw(subjects=titled)  # notices of their threads hold their titles
        forum.forget(threads, user=user, at=at)
        lost = [pk for pk, team in teams.items() if team.pk is None or team.name != called[pk]]
        _clear_former_names(user, lost)
        before = user.username
        close(user=user, at=at)
        record(kind="account.closed", actor=by, at=at, after={"user": user.pk})
        # The files stay, without what this person wrote beside them.
        files = Submission.objects.filter(submitted_by=user)
        files.update(note="", method_name="", file_name=FILE_NAME)
        names = _names(user, before, contests, [(called[pk], teams[pk]) for pk in lost])
        unname_notices(names)
        unname_decisions(names)
        webhooks.retitle(titled)  # locked last, and what waits to be sent after it
        Message.objects.filter(user=user).delete()


def _contests(user: User) -> QuerySet[Competition]:
    """Every contest that the person takes part in, asked to join or is asked into, or helps to
    run."""
    tables = (Organizer, Membership, JoinRequest)
    mine = [table._default_manager.filter(user=user).values("competition") for table in tables]
    invited = Q(pk__in=invitations.about(user).values("team__competition"))
    return Competition.objects.filter(reduce(or_, (Q(pk__in=each) for each in mine), invited))


def _locked_person(user: User, password: str | None) -> User:
    """The account as it is now: its password may have changed while we waited, or it be closed."""
    locked = lock_one(User.objects.filter(pk=user.pk))
    if locked.closed_at is not None:
        raise inactive()
    changed = password is not None and locked.password != user.password
    if changed and not locked.check_password(password or ""):
        raise _wrong_password()
    return locked


def _refuse_needed(user: User) -> None:
    left_behind = [competition.title for competition in owned_alone(user)]
    if left_behind:
        names = ", ".join(left_behind)
        raise Refused(
            "last_owner",
            _("This account is the only owner of: {names}."),
            _("Make somebody else an owner first."),
            names=names,
        )
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if user.is_superuser and not others.exists():
        raise Refused(
            "last_administrator",
            _("You are this server's only administrator."),
            _("Appoint another administrator first."),
        )


def _teams(user: User) -> QuerySet[Team]:
    """Teams that the person is in or leads, or left under the person's own name."""
    mine = Membership.objects.filter(user=user)
    founded = AuditEvent.objects.filter(actor=user, kind="team.joined").values("subject")
    own = Q(pk__in=mine.values("team")) | Q(captain=user)
    called_so = Q(pk__in=founded, name__startswith=beginning(name_for_all(user.username)))
    return Team.objects.filter(own | called_so, competition__in=_contests(user))


def _leave(user: User, membership: Membership, team: Team, at: datetime) -> None:
    first = successor(team, of=user)
    membership.delete()
    after: dict[str, str] = {}
    if first is not None:
        if team.captain_id == user.pk:
            hand_over(team=team, captain=first.user)
            after = {"captain": first.user.username}
    elif kept([team.pk]):
        rename(team=team, name=free_name(competition=team.competition, wanted=CLOSED_TEAM_NAME))
        hand_over(team=team, captain=None)
        after = {"name": team.name}
    Deciding(team.competition, user, at).record("team.member_closed", team.pk, after=after)
    if first is None and not after:
        disband(team=team)


def _unname(team: Team, user: User) -> None:
    """Give another name to a team that goes on under this person's."""
    if team.pk is None:  # nobody is left in it, and nothing
        return
    is_part = team.merged_into_id is not None
    others = Membership.objects.filter(team=team).exclude(user=user)
    bears = is_made_of(team.name, name_for_all(user.username))
    if not bears and not (is_part and team.captain_id == user.pk):
        return
    heir = others.filter(user=team.captain_id).first() or others.first()
    wanted = name_for_all(heir.user.username) if heir else CLOSED_TEAM_NAME
    rename(team=team, name=free_name(competition=team.competition, wanted=wanted))


def _names(
    user: User, before: str, contests: list[Competition], lost: list[tuple[str, Team]]
) -> Unnaming:
    """What the person and what was theirs is called no more.

    `lost`: their teams that are gone or renamed, by the names that they had. A name that another
    team has by now stays that one's.
    """
    own = name_for_all(before)
    instead: dict[UUID, dict[str, str]] = {
        contest.pk: {} if own == NOT_NAMED else {own: CLOSED_TEAM_NAME} for contest in contests
    }
    for name, team in lost:
        instead[team.competition_id][name] = CLOSED_TEAM_NAME if team.pk is None else team.name
    for contest, names in instead.items():
        for living in Team.objects.filter(competition=contest, name__in=[*names]):
            del names[living.name]
    files = Submission.objects.filter(submitted_by=user).values_list("pk", flat=True)
    return Unnaming(before, user.username, instead, frozenset(files))


def _clear_former_names(user: User, lost: Collection[UUID]) -> None:
    """What teams that were theirs were called before leaves the log; the decisions stay."""
    mine = AuditEvent.objects.filter(actor=user)
    founded = mine.filter(kind="team.joined").values_list("subject", flat=True)
    kinds = ("team.joined", "team.renamed", "team.renamed_by_organizer")
    named = AuditEvent.objects.filter(kind__in=kinds, subject__in={*founded, *lost})
    named.update(before=None, after=None)
    mine.filter(kind="join.requested").update(after=None)
