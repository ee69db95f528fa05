"""Who may join a contest: its code, its list of mail addresses, the terms that they accept."""

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.crypto import constant_time_compare

from leaderboard.accounts.models import User
from leaderboard.competitions.models import AllowedEmail, Competition, Terms, TermsAcceptance
from leaderboard.competitions.roles import Anyone
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


@dataclass(frozen=True)
class WayToFiles:
    """What stands between somebody and a contest's files; `terms` are a wording to accept first."""

    must_join: bool
    terms: Terms | None
    is_early: bool


def way_to_files(
    competition: Competition,
    user: Anyone,
    *,
    takes_part: bool,
    runs_it: bool,
    unjoined: bool = True,
    at: datetime,
) -> WayToFiles:
    """For participants from the start on, for organizers always.

    `unjoined`: also for who may read a finished contest's files without taking part.
    """
    reads = unjoined and isinstance(user, User) and may_read_unjoined(competition, at)
    accepts = takes_terms(competition, user, takes_part=takes_part, runs_it=runs_it, at=at)
    return WayToFiles(
        must_join=not (takes_part or runs_it or reads),
        terms=terms_due(user, competition) if accepts and isinstance(user, User) else None,
        is_early=not runs_it and phase(competition, at) is Phase.UPCOMING,
    )


def takes_terms(
    competition: Competition, user: Anyone, *, takes_part: bool, runs_it: bool, at: datetime
) -> bool:
    """Whether the contest's terms are this person's to accept. Organizers accept nothing."""
    if takes_part or runs_it:
        return takes_part
    return isinstance(user, User) and may_read_unjoined(competition, at)


def tidy_code(text: str) -> str:
    """A code as it is kept and compared: full-width letters narrowed, trimmed, upper case."""
    return nfkc(text).strip().upper()


def is_code(text: str) -> bool:
    """Whether a tidied text can be a code: 6 to 40 of A-Z, 0-9 and hyphen, no hyphen first."""
    return CODE.fullmatch(text) is not None


def new_code() -> str:
    """A code that nobody guesses."""
    return secrets.token_hex(6).upper()


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


def is_allowed(competition: Competition, email: str) -> bool:
    """Whether this address stands on the contest's list."""
    return competition.allowed_emails.filter(email=tidy_email(email)).exists()


def allowing(email: str) -> QuerySet[AllowedEmail]:
    """The lists in use that this address stands on."""
    rows = AllowedEmail.objects.filter(
        competition__registration=Competition.Registration.ALLOW_LIST
    )
    return rows.filter(email=tidy_email(email)) if email.strip() else rows.none()


@dataclass(frozen=True)
class EmailList:
    """A list as it was read: one address a line, blank lines skipped. `invalid` by line number."""

    emails: tuple[str, ...]
    duplicates: int
    invalid: dict[int, str]


def read_emails(lines: Iterable[str]) -> EmailList:
    """`["A@b.kr", "a@B.kr ", "x"]` is one address, one duplicate and a bad third line."""
    emails: dict[str, None] = {}
    invalid: dict[int, str] = {}
    duplicates = 0
    for number, line in enumerate(lines, start=1):
        email = tidy_email(line)
        if not email:
            continue
        if email in emails:
            duplicates += 1
            continue
        try:
            validate_email(email)
        except ValidationError:
            invalid[number] = line.strip()
        else:
            emails[email] = None
    return EmailList(tuple(emails), duplicates, invalid)


def replace_emails(*, competition: Competition, emails: Iterable[str]) -> tuple[int, int]:
    """Let the list hold exactly these tidied addresses; answers how many came and went."""
    wanted = set(emails)
    rows = AllowedEmail.objects.filter(competition=competition)
    kept = set(rows.values_list("email", flat=True))
    new = sorted(wanted - kept)
    AllowedEmail.objects.bulk_create(
        [AllowedEmail(competition=competition, email=email) for email in new], batch_size=500
    )
    gone = kept - wanted
    rows.filter(email__in=gone).delete()
    return len(new), len(gone)


def newest_terms(competition: Competition) -> Terms | None:
    """The wording that counts now, or None: never any, or the newest takes them back (empty)."""
    newest = Terms.objects.filter(competition=competition).order_by("-number").first()
    return newest if newest is not None and newest.text else None


def terms_due(user: User, competition: Competition) -> Terms | None:
    """The wording that this person has yet to accept; None if nothing is due."""
    accepted = TermsAcceptance.objects.filter(terms=OuterRef("pk"), user=user)
    newest = (
        Terms.objects.filter(competition=competition)
        .annotate(accepted=Exists(accepted))
        .order_by("-number")
        .first()
    )
    return newest if newest is not None and newest.text and not newest.accepted else None


def accepted_at(user: User, terms: Terms) -> datetime | None:
    """When this person accepted that wording."""
    return terms.acceptances.filter(user=user).values_list("at", flat=True).first()


def accept(*, terms: Terms, user: User, at: datetime) -> None:
    """Keep that the person agreed. Agreeing again changes nothing: the first time counts."""
    TermsAcceptance.objects.bulk_create(
        [TermsAcceptance(terms=terms, user=user, at=at)], ignore_conflicts=True, batch_size=500
    )


def write_terms(*, competition: Competition, text: str, text_en: str, at: datetime) -> Terms:
    """Add a wording under the next number. The competition's row is locked by the caller."""
    newest = Terms.objects.filter(competition=competition).order_by("-number").first()
    return Terms.objects.create(
        competition=competition,
        number=newest.number + 1 if newest else 1,
        text=text,
        text_en=text_en,
        made_at=at,
    )
