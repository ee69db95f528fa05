"""The demo's people, with passwords that exist on this machine alone."""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from django.conf import settings

from leaderboard.accounts.models import User


@dataclass(frozen=True)
class DemoAccount:
    """One line of `var/demo-accounts.json`."""

    username: str
    password: str
    role: str
    team: str | None


def accounts_file() -> Path:
    """Where the passwords lie, readable by the owner of the data folder only."""
    return Path(settings.DATA_DIR) / "demo-accounts.json"


def person(username: str) -> User:
    """The account of that name; a new one cannot sign in until it gets a password."""
    user, made = User.objects.get_or_create(username=username)
    if made:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def organizer(username: str) -> User:
    """The account of that name, allowed to make contests."""
    user = person(username)
    if not user.may_create_contests:
        user.may_create_contests = True
        user.save(update_fields=["may_create_contests"])
    return user


def hand_out(people: dict[str, tuple[str, str | None]]) -> list[DemoAccount]:
    """Give each `username: (role, team)` a random password; the file is written whole or not."""
    accounts = []
    for username, (role, team) in people.items():
        password = secrets.token_urlsafe(9)
        user = person(username)
        user.set_password(password)
        user.save(update_fields=["password"])
        accounts.append(DemoAccount(username, password, role, team))
    _write({"url": settings.BASE_URL, "accounts": [asdict(account) for account in accounts]})
    return accounts


def _write(content: dict[str, object]) -> None:
    file = accounts_file()
    aside = file.with_suffix(".part")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump(content, out, ensure_ascii=False, indent=2)
    os.replace(aside, file)
