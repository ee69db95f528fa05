"""What an account is called and becomes: which names are free, its language, its end and its name
in stored facts after that."""

import json
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial, reduce
from operator import or_
from typing import Any
from uuid import UUID

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts import tokens
from leaderboard.accounts.models import HeldName, PasswordLink, User
from leaderboard.accounts.skeletons import skeleton
from leaderboard.refusals import Refused

name_taken = partial(
    Refused,
    "name_taken",
    _("Somebody already has this name or one that looks like it."),
    _("Choose another name."),
)


def known(usernames: Iterable[str]) -> dict[str, User]:
    """By name, the account that has it, or else the one whose name looks like it."""
    looks = {name: skeleton(name) for name in usernames}
    rows = list(User.objects.filter(Q(username__in=looks) | Q(skeleton__in=looks.values())))
    having = {user.username: user for user in rows}
    alike = {user.skeleton: user for user in rows}
    found = {name: having.get(name) or alike.get(look) for name, look in looks.items()}
    return {name: user for name, user in found.items() if user is not None}


def taken_problem(name: str, *, at: datetime, besides: User | None = None) -> Refused | None:
    """Why a new account, or the one `besides` which is renamed, cannot be called so at `at`."""
    looks = skeleton(name)
    having = User.objects.filter(skeleton=looks)
    if besides is not None:
        having = having.exclude(pk=besides.pk)
    if having.exists():
        return name_taken()
    return name_held(name) if held([name], at=at) else None


def held(names: Iterable[str], *, at: datetime) -> list[str]:
    """Those of these names that a closed account still holds at `at`."""
    hmacs = {name: _hmac(skeleton(name)) for name in names}
    rows = HeldName.objects.filter(skeleton_hmac__in=set(hmacs.values()), until__gt=at)
    found = set(rows.values_list("skeleton_hmac", flat=True))
    return [name for name, hmac in hmacs.items() if hmac in found]


def name_held(name: str) -> Refused:
    """For a name whose account was closed a short while ago."""
    return Refused(
        "name_held",
        _("{name}: nobody can take the name of a closed account for {days} days."),
        _("Choose another name."),
        name=name,
        days=settings.CLOSED_NAME_DAYS,
    )


def _hmac(looks: str) -> str:
    """Keyed, because names are short enough to be guessed from a plain hash."""
    return salted_hmac("leaderboard.accounts.held_name", looks, algorithm="sha256").hexdigest()


def close(*, user: User, at: datetime) -> None:
    """No name, which is held for a time, no mail, no rights and no way in; every session ends."""
    HeldName.objects.filter(until__lte=at).delete()
    until = at + timedelta(days=settings.CLOSED_NAME_DAYS)
    HeldName.objects.update_or_create(
        skeleton_hmac=_hmac(skeleton(user.username)), defaults={"until": until}
    )
    user.username = f"탈퇴-{secrets.token_hex(6)}"
    user.first_name = user.last_name = user.email = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.may_create_contests = user.must_change_password = False
    user.last_login = None
    user.closed_at = at
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
    PasswordLink.objects.filter(user=user).delete()
    tokens.end_all(user=user)
    UserSession.objects.filter(user=user).delete()
    EmailAddress.objects.filter(user=user).delete()
    # What an administrator did with the account names it as it was called then.
    kept = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User))
    kept.filter(object_id=str(user.pk)).update(object_repr=user.username)


def prefer_language(*, user: User, language: str) -> None:
    """Keep the language in which this person reads; a change to the same one is none."""
    User.objects.filter(pk=user.pk).exclude(language=language).update(language=language)


FILE_NAME = "submission.csv"
# Under these keys of facts kept as JSON, in notices and in the log, stands a person.
OF_PEOPLE = ("username", "captain", "usernames", "accounts", "joined")


@dataclass(frozen=True)
class Unnaming:
    """What stands for the names of an account from now on.

    `teams`: of each contest that the person was in, what its teams that were theirs are called
    instead; `files`: the submissions they handed in, whose names as sent go.
    """

    username: str
    instead: str
    teams: Mapping[UUID, Mapping[str, str]]
    files: frozenset[UUID]

    def rename(self, rows: QuerySet[Any], column: str, of_teams: Collection[str] = ()) -> None:
        """Call the account as it is called now, and under the keys `of_teams` its teams."""
        teams = {old for names in self.teams.values() for old in names}
        # One database keeps letters beyond ASCII, the other one escapes them.
        found = [
            form
            for escaped in (True, False)
            for form in (
                json.dumps(self.username, ensure_ascii=escaped)[:-1],
                *(json.dumps(team, ensure_ascii=escaped)[1:] for team in teams),
            )
        ]
        named = rows.alias(text=Cast(column, TextField())).filter(
            reduce(or_, (Q(text__contains=form) for form in found))
        )
        changed = []
        for row in named.order_by("pk").iterator():
            names, stored = self.teams.get(row.competition, {}), getattr(row, column)
            renamed = self._renamed(stored, "", names, of_teams)
            if renamed != stored:
                setattr(row, column, renamed)
                changed.append(row)
        rows.bulk_update(changed, [column], batch_size=500)

    def _renamed(
        self, value: Any, key: str, teams: Mapping[str, str], of_teams: Collection[str]
    ) -> Any:
        match value:
            case dict():
                return {k: self._renamed(one, k, teams, of_teams) for k, one in value.items()}
            case list():
                return [self._renamed(one, key, teams, of_teams) for one in value]
            case str() if key in of_teams:
                return teams.get(value, value)
            case str() if key in OF_PEOPLE:  # with a team behind it, in the log of a class list
                person, colon, team = value.partition(": ")
                person = self.instead if person == self.username else person
                return person + colon + teams.get(team, team)
        return value
