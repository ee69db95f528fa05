"""What a contest still lacks before participants can hand in."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion


class Need(StrEnum):
    """One thing that a contest opens with."""

    GOLDS = "golds"  # a set of golds was uploaded and checked
    LIVE = "live"  # a scoring version is live
    DATES = "dates"  # it does not close before anybody could hand in
    INTRODUCTION = "introduction"
    RULES = "rules"
    DATA = "data"


REQUIRED = frozenset({Need.GOLDS, Need.LIVE, Need.DATES})


@dataclass(frozen=True)
class OpeningStep:
    """A need and whether it is met. Without a `required` one nobody can hand in."""

    need: Need
    done: bool
    required: bool


def opening_steps(competition: Competition, at: datetime) -> tuple[OpeningStep, ...]:
    """All needs in the order in which an organizer meets them; none once all are met.

    A contest that closed after it had opened lacks nothing any more.
    """
    states = set(
        ScoringVersion.objects.filter(competition=competition).values_list("state", flat=True)
    )
    met = {
        Need.GOLDS: bool(states),
        Need.LIVE: ScoringVersion.State.LIVE in states,
        Need.DATES: competition.closes_at > at,
        Need.INTRODUCTION: bool(competition.introduction.strip()),
        Need.RULES: bool(competition.rules.strip()),
        Need.DATA: competition.data_files.exists(),
    }
    over = met[Need.LIVE] and not met[Need.DATES]
    if over or all(met.values()):
        return ()
    return tuple(OpeningStep(need, done, need in REQUIRED) for need, done in met.items())


def may_open(steps: tuple[OpeningStep, ...]) -> bool:
    """Whether nothing that is required is lacking."""
    return all(step.done or not step.required for step in steps)
