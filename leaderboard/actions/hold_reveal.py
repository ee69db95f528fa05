"""Keeping the private board closed until the winners' code is verified."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import announce_decision, locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import Phase, phase, stamp


def hold_reveal(*, competition: Competition, user: User, held: bool, at: datetime) -> Competition:
    """Keep the private board closed after its date, or let it open. Refused once it is open."""
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        if phase(locked, at) == Phase.REVEALED:
            raise Refused(
                "revealed",
                ko="이미 공개한 결과는 다시 감출 수 없습니다.",
                en="A result that was revealed cannot be hidden again.",
            )
        if locked.reveal_held != held:
            locked.reveal_held = held
            locked.save(update_fields=["reveal_held"])
            opens = stamp(max(locked.reveals_at, at), locked)
            announce_decision(
                locked,
                user,
                "reveal_held" if held else "reveal_released",
                at,
                "",
                ko="우승 코드를 확인하는 동안 결과 공개를 미룹니다."
                if held
                else f"결과를 {opens}에 공개합니다.",
                en="The reveal waits until the winners' code is verified."
                if held
                else f"The results are revealed at {opens}.",
            )
    return locked
