"""Making a competition and giving it an owner."""

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import may_create


def create_competition(*, owner: User, at: datetime, **fields: Any) -> Competition:
    """A competition with these fields, run by `owner`.

    Raises Refused, and ValidationError by field for what the model refuses.
    """
    competition = Competition(**fields)
    try:
        with transaction.atomic():
            # The right is read under the lock, which also keeps the owner from closing the account.
            if not may_create(lock_one(User.objects.filter(pk=owner.pk))):
                raise not_a_creator()
            _check(competition, at)
            competition.save(force_insert=True)
            Organizer.objects.create(competition=competition, user=owner, role=Organizer.Role.OWNER)
            record(
                kind="competition.created",
                actor=owner,
                at=at,
                competition=competition.pk,
                subject=competition.pk,
                after={"slug": competition.slug},
            )
    except IntegrityError:
        # Somebody took the address between the check and the row.
        raise Refused(
            "slug_taken",
            ko="같은 주소의 대회가 방금 생겼습니다.",
            en="Another competition has just taken this address.",
            next_ko="다른 주소를 적어 주세요.",
            next_en="Choose another address.",
        ) from None
    return competition


def not_a_creator() -> Refused:
    """For a person who may not make competitions on this server."""
    return Refused(
        "not_a_creator",
        ko="이 계정으로는 대회를 만들 수 없습니다.",
        en="This account may not make competitions.",
        next_ko="관리자에게 대회를 만들 권한을 부탁해 주세요.",
        next_en="Ask the administrator for the right to make one.",
        status=403,
    )


def date_in_the_past() -> Refused:
    """For a new contest that would have closed before anybody could hand in."""
    return Refused(
        "date_in_the_past",
        ko="마감은 앞으로 올 시각이어야 합니다.",
        en="The close must lie in the future.",
        status=422,
    )


def _check(competition: Competition, at: datetime) -> None:
    competition.full_clean(validate_constraints=False)
    if not competition.opens_at < competition.closes_at <= competition.reveals_at:
        raise Refused(
            "dates_in_order",
            ko="시작, 마감, 결과 공개 순서여야 합니다.",
            en="The dates must come in order: opening, close, reveal.",
            status=422,
        )
    if competition.closes_at <= at:
        # The schedule cannot move what has passed, so this contest could never open.
        raise date_in_the_past()
    competition.validate_constraints()
