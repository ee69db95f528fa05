"""An organizer decides how people come into a contest."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.competitions.registration import (
    MOST_EMAILS,
    EmailList,
    is_code,
    read_emails,
    replace_emails,
    tidy_code,
)


@dataclass(frozen=True)
class ListChange:
    """What became of the list of addresses."""

    new: int
    removed: int
    duplicates: int
    total: int


def change_registration(
    *,
    competition: Competition,
    user: User,
    registration: str,
    code: str = "",
    emails: Iterable[str] = (),
    at: datetime,
) -> ListChange:
    """Set the kind, the code and the whole list (one address an item); people inside stay.

    A code may stand with any kind: `/join/<code>` then leads to the contest, also to a private
    one, and the kind still decides who comes in. Lines that are no address refuse the whole
    change, so that nobody is left out unseen. Raises Refused.
    """
    tidied, read = tidy_code(code), read_emails(emails)
    _check(registration, tidied, read)
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        before = _printable(locked)
        locked.registration, locked.registration_code = registration, tidied
        _save(locked)
        new, removed = replace_emails(competition=locked, emails=read.emails)
        after = _printable(locked)
        if before != after or new or removed:
            record(
                kind="registration.changed",
                actor=user,
                at=at,
                competition=locked.pk,
                before=before,
                after={**after, "emails_new": new, "emails_removed": removed},
            )
    return ListChange(new, removed, read.duplicates, len(read.emails))


def _save(competition: Competition) -> None:
    try:
        with transaction.atomic():
            competition.save(update_fields=["registration", "registration_code"])
    except IntegrityError:
        raise _refused(
            "code_taken",
            ko="다른 대회가 쓰는 코드입니다. 다른 코드를 적어 주세요.",
            en="Another competition uses this code. Choose another one.",
        ) from None


def _check(registration: str, code: str, read: EmailList) -> None:
    kinds = Competition.Registration
    if registration not in kinds.values:
        raise _refused(
            "unknown_registration",
            ko="그런 참가 방법이 없습니다.",
            en="There is no such way of joining.",
        )
    if code and not is_code(code):
        raise _refused(
            "code_form",
            ko="코드는 영문자, 숫자, 붙임표로 6자부터 40자까지입니다.",
            en="A code has 6 to 40 letters, digits and hyphens.",
        )
    if registration == kinds.CODE and not code:
        raise _refused("code_missing", ko="참가 코드를 적어 주세요.", en="Write the code.")
    if read.invalid:
        shown = ", ".join(f"{line.number}: {line.text[:60]}" for line in read.invalid[:5])
        count = len(read.invalid)
        raise _refused(
            "emails_invalid",
            ko=f"이메일이 아닌 줄이 {count}개 있어 아무것도 저장하지 않았습니다. {shown}",
            en=f"Nothing was saved: {count} lines are no mail address. {shown}",
        )
    if len(read.emails) > MOST_EMAILS:
        raise _refused(
            "too_many_emails",
            ko=f"명단에는 {MOST_EMAILS}개까지 적을 수 있습니다.",
            en=f"The list holds at most {MOST_EMAILS} addresses.",
        )


def _printable(competition: Competition) -> dict[str, object]:
    return {
        "registration": competition.registration,
        "registration_code": competition.registration_code,
    }


def _refused(code: str, *, ko: str, en: str) -> Refused:
    return Refused(code, ko=ko, en=en, status=422)
