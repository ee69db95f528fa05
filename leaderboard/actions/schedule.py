"""A contest's time: moved, paused, its reveal held and told."""

from collections.abc import Mapping
from copy import copy
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import (
    Change,
    Deciding,
    announcing,
    before_and_after,
    changes,
    deciding,
    in_both,
    listed,
    refuse_unseen,
)
from leaderboard.audit.log import KINDS
from leaderboard.community.models import Webhook
from leaderboard.community.webhooks import queue
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import Phase, phase, stamp
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.refusals import Invalid, Refused

KINDS |= {
    "competition.rescheduled": _("Changed the schedule"),
    "competition.paused": _("Paused submissions"),
    "competition.resumed": _("Resumed submissions"),
    "competition.reveal_held": _("Held the reveal"),
    "competition.reveal_released": _("Released the reveal"),
}

Dates = Mapping[str, datetime | None]
# The dates of a contest; each belongs to what begins at it.
NAMES = {
    "opens_at": _("opening"),
    "team_merge_until": _("end of team merging"),
    "freezes_at": _("leaderboard freeze"),
    "closes_at": _("close"),
    "reveals_at": _("reveal"),
}


def reschedule(
    *,
    competition: Competition,
    user: User,
    dates: Dates,
    reason: str = "",
    seen: str | None = None,
    at: datetime,
) -> Competition:
    """Set these dates, by their `NAMES`, once `seen` is the digest of the preview; what has
    happened cannot be moved, nor a date into the past. Raises Refused."""
    with deciding(competition, user, at) as decision:
        locked = decision.competition
        moves = changes(locked, dates, NAMES)
        if not moves:
            return locked
        _check_dates(locked, moves, at)
        moved = listed(
            "{} {}",
            ((NAMES[n], stamp(to, locked) if to else _("none")) for n, _was, to in moves),
        )
        said = in_both(_("The schedule has changed: {dates}."), dates=moved)
        if reason := reason.strip():
            said = f"{said[0]} {reason}", f"{said[1]} {reason}"
        refuse_unseen(announcing(locked, "rescheduled", said, *moves, at=at), seen)
        decision.save(**{move.name: move.after for move in moves})
        decision.announce(said)
        logged = before_and_after(moves)
        decision.record("competition.rescheduled", locked.pk, **logged, reason=reason)
    return locked


def _check_dates(competition: Competition, moves: tuple[Change, ...], at: datetime) -> None:
    dates = copy(competition)
    for move in moves:
        setattr(dates, move.name, move.after)
    if not dates.opens_at < dates.closes_at <= dates.reveals_at:
        raise Invalid("dates_in_order", _("The dates must be in order: opening, close, reveal."))
    if dates.freezes_at and not dates.opens_at < dates.freezes_at <= dates.closes_at:
        raise Invalid(
            "freeze_while_open", _("The freeze must be between the opening and the close.")
        )
    if dates.team_merge_until and dates.team_merge_until > dates.closes_at:
        raise Invalid("merges_end_before_closing", _("Team merging must end before the close."))
    for move in moves:
        if move.name == "closes_at" and competition.reveals_at > at:
            past = dates.closes_at <= at  # a closed contest may open again until its reveal
        else:
            past = any(
                instant is not None and instant <= at for instant in (move.before, move.after)
            )
        if past:
            raise Invalid(
                "date_in_the_past",
                _("Dates in the past cannot be set or changed: {date}."),
                date=NAMES[move.name],
            )


def pause(
    *,
    competition: Competition,
    user: User,
    reason: str = "",
    seen: str | None = None,
    at: datetime,
) -> Competition:
    """Take no submission from now on; what was accepted is scored. Twice is once."""
    with deciding(competition, user, at) as decision:
        if decision.competition.paused_at is None:
            why = reason.strip()[:200]
            text = _("Submissions are paused. Submitted files are still scored.")
            if why:
                text = _(
                    "Submissions are paused. Submitted files are still scored. Reason: {reason}"
                )
            said = in_both(text, reason=why)
            _switch(decision, "paused", said, seen, reason, paused_at=at, pause_reason=why)
    return decision.competition


def resume(
    *, competition: Competition, user: User, seen: str | None = None, at: datetime
) -> Competition:
    """Take submissions again; the close stays where it is until it is moved."""
    with deciding(competition, user, at) as decision:
        if decision.competition.paused_at is not None:
            said = in_both(_("Submissions are no longer paused."))
            _switch(decision, "resumed", said, seen, paused_at=None, pause_reason="")
    return decision.competition


def hold_reveal(
    *, competition: Competition, user: User, held: bool, seen: str | None = None, at: datetime
) -> Competition:
    """Keep the private board closed after its date, until the winners' code is verified, or let it
    open. Refused once it is open."""
    with deciding(competition, user, at) as decision:
        competition = decision.competition
        if phase(competition, at) == Phase.REVEALED:
            raise Refused("revealed", _("A result that was revealed cannot be hidden again."))
        if competition.reveal_held != held:
            text = _("The results are revealed at {opens}.")
            if held:
                text = _("The reveal waits until the winners' code is verified.")
            elif competition.reveals_at <= at:
                text = _("The results have been revealed.")
            said = in_both(text, opens=stamp(competition.reveals_at, competition))
            kind = "reveal_held" if held else "reveal_released"
            _switch(decision, kind, said, seen, reveal_held=held)
    return competition


def _switch(
    decision: Deciding,
    kind: str,
    said: tuple[str, str],
    seen: str | None,
    reason: str = "",
    **values: object,
) -> None:
    """Announce to all what was seen, log it and do it. Raises Refused if it was not seen."""
    refuse_unseen(announcing(decision.competition, kind, said, at=decision.at), seen)
    if kind != "reveal_released" or decision.competition.reveals_at > decision.at:
        decision.announce(said)  # of a reveal that comes now, everybody is told by `_announce`
    decision.record(f"competition.{kind}", decision.competition.pk, reason=reason)
    decision.save(**values)


def announce_reveals(*, at: datetime) -> int:
    """Tell of every reveal that has come and was not told; answers how many contests."""
    due = Competition.objects.filter(
        reveal_told_at=None, reveals_at__lte=at, reveal_held=False
    ).order_by("reveals_at")
    return sum(_announce(competition, at) for competition in due.values_list("pk", flat=True))


def _announce(competition_id: UUID, at: datetime) -> bool:
    with transaction.atomic():
        found = lock(Competition.objects.filter(pk=competition_id, reveal_told_at=None))
        # Another sweeper may have told, an organizer have held the reveal or deleted the contest, a
        # moment ago.
        if not found or phase(found[0], at) is not Phase.REVEALED:
            return False
        (locked,) = found
        people = User.objects.filter(memberships__competition=locked).only("pk")
        tell(
            users=people.iterator(chunk_size=500),
            kind=Notification.Kind.REVEALED,
            subject=locked.pk,
            competition=locked.pk,
            competition_slug=locked.slug,
            data={},
            at=at,
        )
        locked.reveal_told_at = at
        locked.save(update_fields=["reveal_told_at"])
        queue(Webhook.Event.REVEALED, competition=locked.pk, at=at)
    return True
