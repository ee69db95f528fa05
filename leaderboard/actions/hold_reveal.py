"""Keeping the private board closed until the winners' code is verified."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import (
    Decision,
    announce_decision,
    locked_for_editing,
    refuse_all_but_editors,
)
from leaderboard.actions.refusals import Refused
from leaderboard.actions.second_step import Preview
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import Phase, phase, stamp


def preview_hold(
    *, competition: Competition, user: User, held: bool, at: datetime
) -> Preview | None:
    """What `hold_reveal` would announce; None where it would change nothing. Raises Refused."""
    refuse_all_but_editors(competition, user)
    _refuse_revealed(competition, at)
    if competition.reveal_held == held:
        return None
    return _decision(competition, held, at).preview(competition)


def hold_reveal(
    *,
    competition: Competition,
    user: User,
    held: bool,
    seen: str | None = None,
    at: datetime,
) -> Competition:
    """Keep the private board closed after its date, or let it open. Refused once it is open."""
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        _refuse_revealed(locked, at)
        if locked.reveal_held != held:
            announce_decision(locked, user, _decision(locked, held, at), seen=seen, at=at)
            locked.reveal_held = held
            locked.save(update_fields=["reveal_held"])
    return locked


def _refuse_revealed(competition: Competition, at: datetime) -> None:
    if phase(competition, at) == Phase.REVEALED:
        raise Refused(
            "revealed",
            ko="이미 공개한 결과는 다시 감출 수 없습니다.",
            en="A result that was revealed cannot be hidden again.",
        )


def _decision(competition: Competition, held: bool, at: datetime) -> Decision:
    if held:
        return Decision(
            "reveal_held",
            ko="우승 코드를 확인하는 동안 결과 공개를 미룹니다.",
            en="The reveal waits until the winners' code is verified.",
        )
    if competition.reveals_at <= at:
        return Decision(
            "reveal_released", ko="결과를 공개했습니다.", en="The results have been revealed."
        )
    opens = stamp(competition.reveals_at, competition)
    return Decision(
        "reveal_released",
        ko=f"결과를 {opens}에 공개합니다.",
        en=f"The results are revealed at {opens}.",
    )
