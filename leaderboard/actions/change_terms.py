"""An organizer gives the terms a new wording."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition, Terms
from leaderboard.competitions.terms import newest_terms, write_terms

LENGTH = 20_000


def change_terms(
    *, competition: Competition, user: User, text: str, text_en: str = "", at: datetime
) -> Terms | None:
    """A new wording under the next number, which everybody has yet to accept. Raises Refused.

    The same wording again changes nothing. An empty one takes the terms back: from then on
    nothing is to be accepted, and the earlier wordings and acceptances stay.
    """
    text, text_en = text.strip(), text_en.strip()
    if max(len(text), len(text_en)) > LENGTH:
        raise Refused(
            "terms_length",
            ko=f"약관은 {LENGTH}자까지 쓸 수 있습니다.",
            en=f"Terms have at most {LENGTH} characters.",
            status=422,
        )
    if text_en and not text:
        raise Refused(
            "terms_language",
            ko="한국어 약관 없이 영어 약관만 둘 수 없습니다.",
            en="English terms need the Korean ones beside them.",
            status=422,
        )
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        before = newest_terms(locked)
        if (before.text, before.text_en) == (text, text_en) if before else not text:
            return before
        terms = write_terms(competition=locked, text=text, text_en=text_en, at=at)
        record(
            kind="terms.changed",
            actor=user,
            at=at,
            competition=locked.pk,
            before={"terms": before.number if before else None},
            after={"terms": terms.number if text else None},
        )
    return terms if text else None
