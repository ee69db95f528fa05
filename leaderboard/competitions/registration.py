"""Who may join a contest: its code, its list of mail addresses, the terms that they accept."""

import re
from collections.abc import Iterable
from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.crypto import constant_time_compare

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition, Terms
from leaderboard.competitions.schedule import Phase, phase
from scoring.characters import nfkc

# Part of an address, so letters, digits and hyphens; long enough that guessing takes years
# under the limit on wrong codes.
CODE = re.compile(r"[A-Z0-9][A-Z0-9-]{5,39}")
MOST_EMAILS = 5000


def may_read_unjoined(competition: Competition, at: datetime) -> bool:
    """Whether anybody with an account may have the contest's files without taking part.

    Those of a finished contest that anybody could have joined: nobody can join it any more, and
    whom a code, a list or an organizer kept out stays out.
    """
    is_open = competition.registration == Competition.Registration.OPEN
    is_over = phase(competition, at) is Phase.REVEALED
    return is_open and is_over and not competition.is_private


def tidy_code(text: str) -> str:
    """A code as it is kept and compared: full-width letters narrowed, trimmed, upper case."""
    return nfkc(text).strip().upper()


def is_code(text: str) -> bool:
    """Whether a tidied text can be a code: 6 to 40 of A-Z, 0-9 and hyphen, no hyphen first."""
    return CODE.fullmatch(text) is not None


def code_fits(competition: Competition, text: str) -> bool:
    """Whether this is the contest's code; how long the answer takes tells nothing about it."""
    kept = tidy_code(competition.registration_code)
    return constant_time_compare(tidy_code(text), kept) and bool(kept)


def by_code(text: str) -> Competition | None:
    """The contest with this code, private or not."""
    code = tidy_code(text)
    if not is_code(code):
        return None
    return Competition.objects.filter(registration_code=code).first()


def tidy_email(text: str) -> str:
    """An address as it is kept and compared: trimmed, lower case."""
    return text.strip().lower()


def read_emails(lines: Iterable[str]) -> tuple[set[str], dict[int, str]]:
    """One address a line, tidied; and by their numbers the lines that are no address.

    >>> read_emails(["A@b.kr", "a@B.kr ", "x"])
    ({'a@b.kr'}, {3: 'x'})
    """
    emails, invalid = set[str](), dict[int, str]()
    for number, email in enumerate(map(tidy_email, lines), start=1):
        try:
            if email:
                validate_email(email)
                emails.add(email)
        except ValidationError:
            invalid[number] = email
    return emails, invalid


def newest_terms(competition: Competition) -> Terms | None:
    """The wording that counts now, or None: never any, or the newest takes them back (empty)."""
    newest = Terms.objects.filter(competition=competition).order_by("-number").first()
    return newest if newest is not None and newest.text else None


def terms_due(user: User, competition: Competition) -> Terms | None:
    """The wording that this person has yet to accept; None if nothing is due."""
    newest = newest_terms(competition)
    accepted = newest is not None and newest.acceptances.filter(user=user).exists()
    return None if accepted else newest
