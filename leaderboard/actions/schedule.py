"""A contest's time: moved, paused, its reveal held and told."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import (
    Change,
    Deciding,
    Preview,
    Values,
    announcing,
    changes,
    deciding,
    in_both,
    refuse_unseen,
)
from leaderboard.actions.refusals import Refused
from leaderboard.community.models import Webhook
from leaderboard.community.webhooks import queue
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import Phase, phase, stamp
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.teams.queries import participants
from leaderboard.texts import say


@dataclass(frozen=True)
class Dates(Values):
    """The dates of a contest; each belongs to what begins at it."""

    opens_at: datetime
    closes_at: datetime
    reveals_at: datetime
    freezes_at: datetime | None = None
    team_merge_until: datetime | None = None


NAMES = {
    "opens_at": _("opening"),
    "team_merge_until": _("end of team merging"),
    "freezes_at": _("freeze of the board"),
    "closes_at": _("close"),
    "reveals_at": _("reveal"),
}


@dataclass(frozen=True)
class Moves(Preview):
    """What moving dates would do.

    `sooner`: how much earlier the close would be, None if it is not; `without`: how many teams have
    handed in nothing so far.
    """

    moves: tuple[Change, ...] = ()
    sooner: timedelta | None = None
    without: int = 0


def reschedule(
    *,
    competition: Competition,
    user: User,
    dates: Dates,
    reason: str = "",
    seen: str | None = None,
    at: datetime,
) -> Competition:
    """Set the dates. What has already happened cannot be moved, nor can a date into the past.

    `seen` is the digest of the preview. Raises Refused.
    """
    with deciding(competition, user, at) as decision:
        locked = decision.competition
        before, after = _printable(Dates.of(locked)), _printable(dates)
        moves = changes(locked, dates, NAMES)
        if not moves:
            return locked
        _check_dates(locked, dates, moves, at)
        said = _sentence(locked, moves, reason, "ko"), _sentence(locked, moves, reason, "en")
        found = announcing(locked, "rescheduled", said, *before.items(), *after.items())
        sooner = locked.closes_at - dates.closes_at
        seen_as = Moves(
            digest=found.digest,
            announced=said,
            audience=found.audience,
            people=found.people,
            moves=moves,
            sooner=sooner if sooner > timedelta() else None,
            without=participants(locked).filter(submissions=None).count(),
        )
        refuse_unseen(seen_as, seen)
        decision.save(**{move.name: move.after for move in moves})
        decision.announce(said)
        decision.record(
            "competition.rescheduled", locked.pk, before=before, after=after, reason=reason
        )
    return locked


def _check_dates(
    competition: Competition, dates: Dates, moves: tuple[Change, ...], at: datetime
) -> None:
    if not dates.opens_at < dates.closes_at <= dates.reveals_at:
        raise Refused("dates_in_order")
    if dates.freezes_at and not dates.opens_at < dates.freezes_at <= dates.closes_at:
        raise Refused("freeze_while_open")
    if dates.team_merge_until and dates.team_merge_until > dates.closes_at:
        raise Refused("merges_end_before_closing")
    for move in moves:
        if move.name == "closes_at" and competition.reveals_at > at:
            past = dates.closes_at <= at  # a closed contest may open again until its reveal
        else:
            past = any(
                instant is not None and instant <= at for instant in (move.before, move.after)
            )
        if past:
            raise Refused("date_in_the_past", date=NAMES[move.name])


def _sentence(
    competition: Competition, moves: tuple[Change, ...], reason: str, language: str
) -> str:
    none = _("none")
    with override(language):
        parts = [
            f"{NAMES[move.name]} {none if move.after is None else stamp(move.after, competition)}"
            for move in moves
        ]
    said = say(_("The schedule has changed: {dates}."), language, dates=", ".join(parts))
    return f"{said} {reason.strip()}".strip()


def _printable(dates: Dates) -> dict[str, str | None]:
    return {
        name: value.isoformat() if value is not None else None
        for name, value in asdict(dates).items()
    }


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
            found = _pausing(decision.competition, reason)
            said = _short(reason)
            _switch(decision, "paused", found, seen, reason, paused_at=at, pause_reason=said)
    return decision.competition


def resume(
    *, competition: Competition, user: User, seen: str | None = None, at: datetime
) -> Competition:
    """Take submissions again; the close stays where it is until it is moved."""
    with deciding(competition, user, at) as decision:
        if decision.competition.paused_at is not None:
            found = _resuming(decision.competition)
            _switch(decision, "resumed", found, seen, paused_at=None, pause_reason="")
    return decision.competition


def hold_reveal(
    *, competition: Competition, user: User, held: bool, seen: str | None = None, at: datetime
) -> Competition:
    """Keep the private board closed after its date, until the winners' code is verified, or let it
    open. Refused once it is open."""
    with deciding(competition, user, at) as decision:
        if (found := _holding(decision.competition, held, at)) is not None:
            _switch(decision, _hold_kind(held), found, seen, reveal_held=held)
    return decision.competition


def _switch(
    decision: Deciding,
    kind: str,
    found: Preview,
    seen: str | None,
    reason: str = "",
    **values: object,
) -> None:
    """Announce to all what was seen, log it and do it. Raises Refused if it was not seen."""
    refuse_unseen(found, seen)
    assert found.announced is not None
    decision.announce(found.announced)
    decision.record(f"competition.{kind}", decision.competition.pk, reason=reason)
    decision.save(**values)


def _pausing(competition: Competition, reason: str) -> Preview:
    said = _short(reason)
    text = _("Submissions are paused. What was handed in is scored.")
    if said:
        text = _("Submissions are paused. What was handed in is scored. Reason: {reason}")
    return announcing(competition, "paused", in_both(text, reason=said))


def _short(reason: str) -> str:
    return reason.strip()[:200]


def _resuming(competition: Competition) -> Preview:
    return announcing(competition, "resumed", in_both(_("Submissions are open again.")))


def _holding(competition: Competition, held: bool, at: datetime) -> Preview | None:
    """What would be announced, if anything changes. Raises Refused for what is open already."""
    if phase(competition, at) == Phase.REVEALED:
        raise Refused("revealed")
    if competition.reveal_held == held:
        return None
    if held:
        text = _("The reveal waits until the winners' code is verified.")
    elif competition.reveals_at <= at:
        text = _("The results have been revealed.")
    else:
        text = _("The results are revealed at {opens}.")
    opens = stamp(competition.reveals_at, competition)
    return announcing(competition, _hold_kind(held), in_both(text, opens=opens))


def _hold_kind(held: bool) -> str:
    return "reveal_held" if held else "reveal_released"


def announce_reveals(*, at: datetime) -> int:
    """Tell of every reveal that has come and was not told; answers how many contests.

    Safe to run twice, and from two sweepers. A reveal that was held is told of once it is let go.
    """
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
        tell(
            users=User.objects.filter(memberships__competition=locked)
            .only("pk")
            .iterator(chunk_size=500),
            kind=Notification.Kind.REVEALED,
            subject=locked.pk,
            competition=locked.pk,
            competition_slug=locked.slug,
            data={},
            at=at,
        )
        locked.reveal_told_at = at
        locked.save(update_fields=["reveal_told_at"])
        queue(
            Webhook.Event.REVEALED,
            competition=locked.pk,
            at=at,
        )
    return True
